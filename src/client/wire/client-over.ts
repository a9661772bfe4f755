import {
  definedOnly,
  durationMs,
  groupSuffixes,
  systemClock,
  systemEntropy,
  type Clock,
  type DialectGroups,
} from '../../foundation/index.js';
import { Client } from '../client.js';
import type { ConnectOptions, RetryOptions } from './connect-options.js';
import type { ConnectionStreamRequest, StreamingConnection } from './http-connection.js';
import { limited } from './limit.js';
import { retried } from './retry.js';
import type { Sender } from './sender.js';
import { bounded, opensInTime } from './timeout.js';
import type { DecodeText } from './wire-answer.js';
import { WireBackend } from './wire-backend.js';

/** The parts of a client that platforms do in their own ways. */
export interface Platform {
  readonly decode: DecodeText;
  /** Default value of `User-Agent`; undefined where the platform sets it. */
  readonly userAgent: string | undefined;
  /** Closes connections. */
  readonly close: () => void;
}

/** Returns the names of groups of an option. */
export const groupsOf = ({ dialect = 'kubernetes' }: ConnectOptions): DialectGroups =>
  typeof dialect === 'string' ? { groupSuffix: groupSuffixes[dialect] } : dialect;

/** Returns the client of a connection. */
export function clientOver(connection: StreamingConnection, options: ConnectOptions, platform: Platform): Client {
  const { clock = systemClock, entropy = systemEntropy, user, fieldManager, onWarning } = options;
  const { decode, userAgent, close } = platform;
  const gate = gateOf(clock, options);
  const opening = opensInTime((request) => connection.webSocket(request), clock, timeoutOf(options));
  const backend = new WireBackend({
    ...{ clock, entropy, decode, close, dialect: groupsOf(options), namespace: connection.namespace },
    server: connection.server,
    userAgent: userAgent === undefined ? undefined : (options.userAgent ?? userAgent),
    send: senderOf((request) => connection.stream(request), clock, gate, options),
    openSocket: after(gate, opening),
  });
  return new Client(backend, definedOnly({ user, fieldManager, onWarning }));
}

const timeoutOf = ({ timeout = '60s' }: ConnectOptions): number => durationMs(timeout);

/** Waits until the next request, or WebSocket, may be sent. */
type Gate = (request: Gated) => Promise<void>;

/** A request that may have to wait; one in the background does not keep the process alive meanwhile. */
type Gated = Pick<ConnectionStreamRequest, 'signal' | 'background'>;

const OPEN: Gate = () => Promise.resolve();

/** Returns the rate limit of a client; undefined without one. */
function gateOf(clock: Clock, { limit: { perSecond, burst } = {} }: ConnectOptions): Gate | undefined {
  if (perSecond === undefined) return undefined;
  return limited(OPEN, clock, { perSecond, burst: burst ?? Math.max(1, Math.floor(2 * perSecond)) });
}

/** Returns what waits for a gate before it sends. */
const after =
  <Request extends Gated, Answer>(
    gate: Gate | undefined,
    send: (request: Request) => Promise<Answer>,
  ): ((request: Request) => Promise<Answer>) =>
  (request) =>
    gate === undefined ? send(request) : gate(request).then(() => send(request));

/** Returns what sends the requests of a client: from the last step to the first. */
function senderOf(connection: Sender, clock: Clock, gate: Gate | undefined, options: ConnectOptions): Sender {
  const { retry = {}, entropy = systemEntropy } = options;
  const spaced: Sender = after(gate, bounded(connection, clock, timeoutOf(options)));
  return retry === false ? spaced : retried(spaced, { clock, entropy, ...retriesOf(retry) });
}

const retriesOf = ({ attempts = 5, first = '250ms', most = '10s' }: RetryOptions) => ({
  attempts,
  firstMs: durationMs(first),
  mostMs: durationMs(most),
});
