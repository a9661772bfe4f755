import { ApiError, errors, type UserInfo } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';
import { answerOf, type Connection } from './connection.js';
import type { PodHandlers, PortConnection } from './handlers.js';
import type { SpdyStream, StreamHeaders } from './spdy/spdy-session.js';

/** The pod whose ports a client reaches, and who answers for it. */
export interface ForwardedPod {
  readonly pod: StoredPod;
  readonly user: UserInfo;
  readonly handler: NonNullable<PodHandlers['portForward']>;
  readonly connection: Connection;
}

/** The streams of one connection to a port. */
export interface PortStreams extends Pick<PortConnection, 'data' | 'write'> {
  /** Tells the client why the connection fails. */
  fail(message: string): Promise<void>;
}

/** Parses the number of a port. @throws ApiError 400 */
export function portOf(text: string): number {
  const port = Number(text);
  if (!/^[0-9]+$/.test(text) || port < 1 || port > 65535)
    throw errors.badRequest(`invalid port ${JSON.stringify(text)}`);
  return port;
}

/** Lets the handler serve a connection to a port. Resolves when it has ended. */
export async function forwardPort(
  { pod, user, handler, connection }: ForwardedPod,
  port: number,
  { data, write, fail }: PortStreams,
): Promise<void> {
  const { signal, logger } = connection;
  try {
    await answerOf(connection, () => handler(pod, { port, user, data, signal, write }));
  } catch (error) {
    if (signal.aborted) return;
    const isTold = error instanceof ApiError;
    if (!isTold) logger.error('the handler of a pod failed', { error });
    const where = `error forwarding port ${port} to pod ${pod.metadata.name ?? ''}`;
    // Only an ApiError says why.
    await fail(isTold ? `${where}: ${error.message}` : where);
  }
}

/** Maximum number of connections that handlers serve at a time: they may go on after the client has reset their streams. */
const MAX_SERVED = 500;

/** The streams of one connection through a tunnel, by the headers `streamtype`, `port` and `requestid`. */
interface Pair {
  readonly port: number;
  readonly data: SpdyStream | undefined;
  readonly error: SpdyStream | undefined;
}

/** The connections that one client opens through a tunnel: each is a pair of streams. */
export class TunnelledPorts {
  readonly #pod: ForwardedPod;
  /** Pairs of which one stream is open, by their number. */
  readonly #waiting = new Map<string, Pair>();
  #served = 0;

  constructor(pod: ForwardedPod) {
    this.#pod = pod;
  }

  /** Takes a stream. @returns whether it belongs to a connection */
  take(stream: SpdyStream, headers: StreamHeaders): boolean {
    const number = headers.get('requestid');
    const type = headers.get('streamtype');
    const port = portIn(headers.get('port') ?? '');
    if (number === undefined || port === undefined || (type !== 'data' && type !== 'error')) return false;
    const known = this.#waiting.get(number);
    const { data, error }: Pair = { port, data: known?.data, error: known?.error, [type]: stream };
    if ((known !== undefined && known.port !== port) || known?.[type] !== undefined) return false;
    if (data === undefined || error === undefined) {
      this.#waiting.set(number, { port, data, error });
      // The client gives the connection up.
      stream.onEnd = () => this.#waiting.delete(number);
      return true;
    }
    if (this.#served >= MAX_SERVED) return false;
    this.#waiting.delete(number);
    for (const each of [data, error]) each.onEnd = () => undefined;
    void this.#serve(port, data, error);
    return true;
  }

  async #serve(port: number, data: SpdyStream, error: SpdyStream): Promise<void> {
    this.#served += 1;
    await forwardPort(this.#pod, port, {
      data: data.input,
      write: (chunk) => data.write(chunk),
      fail: (message) => error.write(message),
    });
    this.#served -= 1;
    data.end();
    error.end();
  }
}

function portIn(text: string): number | undefined {
  try {
    return portOf(text);
  } catch {
    return undefined;
  }
}
