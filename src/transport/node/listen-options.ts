import { definedOnly } from '../../meta/defined-only.js';
import { systemClock, type Clock } from '../../meta/index.js';
import {
  aBoolean,
  aCount,
  aName,
  checkOptions,
  listOf,
  matching,
  nested,
  oneOf,
  withMethods,
  type OptionChecks,
} from '../../meta/options.js';
import { checkTarget } from '../target.js';
import { isLoopback } from './accepted-hosts.js';

/** Key material of a listener, PEM. */
export interface TlsOptions {
  readonly key: string;
  /** The serving certificate, followed by intermediates if there are any. */
  readonly cert: string;
  /** Authorities whose client certificates count as authorized. A client without a certificate is served all the same. */
  readonly ca?: readonly string[];
  /** Default `TLSv1.2`. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
}

/** What a client may send at most. */
export interface ListenLimits {
  /** Request line and fields together, in bytes; more is answered with 431. Default 64 KiB. */
  readonly headerBytes: number;
  /** Path and query together, in bytes; more is answered with 414. Default 32 KiB. */
  readonly urlBytes: number;
  /** Concurrent streams of one HTTP/2 connection. Default 100. */
  readonly streams: number;
  /** Open connections; further ones are closed at once. Default 20 000. */
  readonly connections: number;
}

/** How long a client may take, in milliseconds. */
export interface ListenTimeouts {
  /** For the TLS handshake, and again for the head of a request, of whose time it is a part; then 408. Default 32 000, or `requestMs` where that is less. */
  readonly headersMs: number;
  /** For a whole request with its body; then 408. Default 60 000. */
  readonly requestMs: number;
  /** For which a connection without a request is kept. Default 90 000. */
  readonly idleMs: number;
  /** For which a client may leave an answer or the events of a watch untaken; then it is cut off. Default 60 000. */
  readonly writeMs: number;
  /**
   * For what a client owes after the limits above, and while the listener closes: the rest of a body that has been answered, a connection
   * that it was told to end, an answer that it does not read. Then the stream is reset or the connection destroyed. Default 5 000.
   */
  readonly lingerMs: number;
}

/** Options of WebSocket watches. */
export interface WebSocketOptions {
  /** Interval of pings; a client that did not answer the one before is cut off. 0 sends none. Default 30 000. */
  readonly pingMs?: number;
  /** Milliseconds for which a client may leave the closing frame unanswered. Default 5 000; a listener's is its `timeouts.lingerMs`. */
  readonly closeMs?: number;
  /** Longest message that a client may send, in bytes; messages of clients are read and thrown away. Default 32 KiB. */
  readonly maxPayloadBytes?: number;
}

/** Options of `listen`. */
export interface ListenOptions {
  /** Address or host name to bind to. Default `127.0.0.1`. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Without it the listener speaks HTTP/1.1 in the clear. */
  readonly tls?: TlsOptions;
  /** Allows listening in the clear on other than the loopback address. Default false. */
  readonly allowPlaintext?: boolean;
  /**
   * Names that the Host header of a request may have, besides those of the loopback address, where the listener is in the clear on that
   * address; other names are answered with 403. `*` takes any: for a proxy in front that passes Host on. Default none.
   */
  readonly acceptHosts?: readonly string[];
  readonly limits?: Partial<ListenLimits>;
  readonly timeouts?: Partial<ListenTimeouts>;
  readonly webSocket?: WebSocketOptions;
  /** For timeouts, pings and the grace time of `close`. The 408 of HTTP/1.1 and the end of a slow TLS handshake are by Node's own timers. */
  readonly clock?: Clock;
}

/** `checkMs`: how often connections are looked at that may be past their time, here and by Node. */
export type ResolvedTimeouts = ListenTimeouts & { readonly checkMs: number };

/** {@link ListenOptions} with every default filled in. */
export interface ResolvedOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  readonly allowPlaintext: boolean;
  /** In lower case; undefined where any host may be named. */
  readonly acceptedHosts: ReadonlySet<string> | undefined;
  readonly limits: ListenLimits;
  readonly timeouts: ResolvedTimeouts;
  readonly webSocket: WebSocketOptions;
  readonly clock: Clock;
}

const milliseconds = aCount('milliseconds', 1);

/** What `limits` of `listen` must be. */
export const listenLimitChecks: OptionChecks<ListenLimits> = {
  headerBytes: aCount('bytes', 1),
  urlBytes: aCount('bytes', 1),
  streams: aCount('streams', 1),
  connections: aCount('connections', 1),
};

/** What `timeouts` of `listen` must be. */
export const timeoutChecks: OptionChecks<ListenTimeouts> = {
  headersMs: milliseconds,
  requestMs: milliseconds,
  idleMs: milliseconds,
  writeMs: milliseconds,
  lingerMs: milliseconds,
};

/** What `webSocket` of `listen` must be. */
export const webSocketChecks: OptionChecks<WebSocketOptions> = {
  pingMs: aCount('milliseconds'),
  closeMs: aCount('milliseconds'),
  maxPayloadBytes: aCount('bytes', 1),
};

const checks: OptionChecks<ListenOptions> = {
  host: aName,
  port: matching(
    'a port, 0 to 65535, where 0 takes a free one',
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  ),
  tls: nested(
    {
      key: aName,
      cert: aName,
      ca: listOf(aName, 'a list of certificates, PEM'),
      minVersion: oneOf('TLSv1.2', 'TLSv1.3'),
    } satisfies OptionChecks<TlsOptions>,
    ['key', 'cert'],
  ),
  allowPlaintext: aBoolean,
  acceptHosts: listOf(aName, 'a list of host names'),
  limits: nested(listenLimitChecks),
  timeouts: nested(timeoutChecks),
  webSocket: nested(webSocketChecks),
  clock: withMethods('a clock', 'now', 'after'),
};

/**
 * Checks what `listen` is given.
 *
 * @throws TypeError that names the option, and says what it must be
 */
export function checkListenOptions(target: unknown, options: ListenOptions): void {
  checkTarget('listen', target);
  checkOptions('listen', options, checks);
}

/** Fills in the defaults. */
export function resolveOptions(options: ListenOptions): ResolvedOptions {
  const timeouts = {
    headersMs: 32_000,
    requestMs: 60_000,
    idleMs: 90_000,
    writeMs: 60_000,
    lingerMs: 5_000,
    ...definedOnly(options.timeouts ?? {}),
  };
  const host = options.host ?? '127.0.0.1';
  const acceptHosts = options.acceptHosts ?? [];
  const anyHost = options.tls !== undefined || !isLoopback(host) || acceptHosts.includes('*');
  return {
    host,
    port: options.port ?? 0,
    tls: options.tls,
    allowPlaintext: options.allowPlaintext ?? false,
    acceptedHosts: anyHost ? undefined : new Set(acceptHosts.map((name) => name.toLowerCase())),
    limits: {
      headerBytes: 64 * 1024,
      urlBytes: 32 * 1024,
      streams: 100,
      connections: 20_000,
      ...definedOnly(options.limits ?? {}),
    },
    // Node refuses a head that may take longer than its request.
    timeouts: {
      ...timeouts,
      headersMs: Math.min(timeouts.headersMs, timeouts.requestMs),
      checkMs: Math.max(20, Math.min(timeouts.headersMs / 4, timeouts.lingerMs / 4, 5_000)),
    },
    webSocket: options.webSocket ?? {},
    clock: options.clock ?? systemClock,
  };
}
