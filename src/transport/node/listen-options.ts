import { BlockList, isIPv6 } from 'node:net';
import { systemClock, type Clock } from '../../meta/index.js';

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
}

/** How long a client may take, in milliseconds. */
export interface ListenTimeouts {
  /** For the TLS handshake, and again for the head of a request; then 408. Default 32 000. */
  readonly headersMs: number;
  /** For a whole HTTP/1.1 request with its body; then 408. Default 60 000. */
  readonly requestMs: number;
  /** For which a connection without a request is kept. Default 90 000. */
  readonly idleMs: number;
}

/** Options of WebSocket watches. */
export interface WebSocketOptions {
  /** Interval of pings; a client that did not answer the one before is cut off. 0 sends none. Default 30 000. */
  readonly pingMs?: number;
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
  readonly limits?: Partial<ListenLimits>;
  readonly timeouts?: Partial<ListenTimeouts>;
  readonly webSocket?: WebSocketOptions;
  /** For the grace time of `close` and for pings. Timeouts against slow clients are Node's own. */
  readonly clock?: Clock;
}

/** {@link ListenOptions} with every default filled in. */
export interface ResolvedOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  readonly allowPlaintext: boolean;
  readonly limits: ListenLimits;
  /** `checkMs`: how often Node looks for connections past their time. */
  readonly timeouts: ListenTimeouts & { readonly checkMs: number };
  readonly webSocket: WebSocketOptions;
  readonly clock: Clock;
}

/** Fills in the defaults. */
export function resolveOptions(options: ListenOptions): ResolvedOptions {
  const timeouts = { headersMs: 32_000, requestMs: 60_000, idleMs: 90_000, ...options.timeouts };
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    tls: options.tls,
    allowPlaintext: options.allowPlaintext ?? false,
    limits: { headerBytes: 64 * 1024, urlBytes: 32 * 1024, streams: 100, ...options.limits },
    timeouts: { ...timeouts, checkMs: Math.max(20, Math.min(timeouts.headersMs / 4, 5_000)) },
    webSocket: options.webSocket ?? {},
    clock: options.clock ?? systemClock,
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address or name can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
