import {
  aBoolean,
  aClock,
  aCount,
  aDuration,
  aName,
  aPositiveDuration,
  checkOptions,
  definedOnly,
  durationMs,
  listOf,
  matching,
  nested,
  oneOf,
  systemClock,
  type Clock,
  type Defined,
  type Duration,
  type OptionChecks,
} from '../../../foundation/index.js';
import { aPage, type PageOptions } from '../../../ui/index.js';
import { isLoopback } from './accepted-hosts.js';

/** TLS options of a listener; keys and certificates in PEM. */
export interface TlsOptions {
  readonly key: string;
  /** Serving certificate, with optional intermediates. */
  readonly cert: string;
  /** Authorities of client certificates. Client certificates are optional. */
  readonly ca?: readonly string[] | undefined;
  /** Default `TLSv1.2`. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined;
}

/** Limits of requests and connections of a listener. */
export interface ListenLimits {
  /** Maximum size of request line and header fields, in bytes; beyond it 431. Default 64 KiB. */
  readonly headerBytes?: number | undefined;
  /** Maximum size of path and query, in bytes; beyond it 414. Default 32 KiB. */
  readonly urlBytes?: number | undefined;
  /** Maximum number of concurrent streams per HTTP/2 connection. Default 100. */
  readonly streams?: number | undefined;
  /**
   * Maximum number of requests of an HTTP/2 connection that its client resets before they are answered, and of PING and
   * SETTINGS frames, in 10 seconds; more: the connection is closed. A third such connection of an address within a
   * minute makes its new connections wait. Default 200.
   */
  readonly resets?: number | undefined;
  /** Maximum number of open connections; further ones are closed immediately. Default 20,000. */
  readonly connections?: number | undefined;
}

/** Timeouts of the clients of a listener: strings such as `30s`, or milliseconds. */
export interface ListenTimeouts {
  /**
   * Timeout of the TLS handshake, and of the head of a request; then 408. It is part of `request`. Default `32s`, at
   * most `request`.
   */
  readonly headers?: Duration | undefined;
  /** Timeout of a complete request with its body; then 408. Default `60s`. */
  readonly request?: Duration | undefined;
  /** How long an idle connection is kept. Default `90s`. */
  readonly idle?: Duration | undefined;
  /** How long a client may leave a response or watch events unread; then it is disconnected. Default `60s`. */
  readonly write?: Duration | undefined;
  /**
   * Grace period after the timeouts above and while the listener closes: for the rest of an answered body, the end of a
   * connection, and an unread response. Then the stream is reset or the connection destroyed. Default `5s`.
   */
  readonly linger?: Duration | undefined;
}

/** Options of WebSocket watches. */
export interface WebSocketOptions {
  /** Interval of pings; a client that did not answer the previous ping is disconnected. 0 disables pings. Default `30s`. */
  readonly ping?: Duration | undefined;
  /** Timeout of the client's close frame. Default `5s`; in a listener, its `timeouts.linger`. */
  readonly close?: Duration | undefined;
  /** Maximum size of a client's message, in bytes; messages to a watch are discarded. Default 256 KiB. */
  readonly maxPayloadBytes?: number | undefined;
}

/** Options of `listen`. */
export interface ListenOptions {
  /** Address or host name to bind to. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port to listen on; 0 means a free port. Default 0. */
  readonly port?: number | undefined;
  /**
   * TLS options; or `generated` for a certificate that is made for the host, whose authority the listener has. Without
   * them the listener serves plaintext HTTP/1.1.
   */
  readonly tls?: TlsOptions | 'generated' | undefined;
  /** Whether to allow plaintext on addresses other than loopback. Default false. */
  readonly allowPlaintext?: boolean | undefined;
  /**
   * Additional host names to accept on a plaintext loopback listener, which otherwise accepts only loopback names in
   * the Host header; other names are refused with 403. `*` accepts any name, for a proxy that forwards Host. Default
   * none.
   */
  readonly acceptHosts?: readonly string[] | undefined;
  /** Whether the page for people is served at `/ui`, and how. Default false. */
  readonly ui?: boolean | PageOptions | undefined;
  readonly limits?: ListenLimits | undefined;
  readonly timeouts?: ListenTimeouts | undefined;
  readonly webSocket?: WebSocketOptions | undefined;
  /**
   * Clock of timeouts, pings and the grace period of `close`. For the 408 of HTTP/1.1 and slow TLS handshakes Node uses
   * its own timers.
   */
  readonly clock?: Clock | undefined;
}

/** {@link ListenTimeouts} with all defaults, in whole milliseconds. */
export interface ResolvedTimeouts {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  readonly writeMs: number;
  readonly lingerMs: number;
  /** Interval of the timeout checks, here and in Node. */
  readonly checkMs: number;
}

/** {@link ListenLimits} with all defaults. */
export type ResolvedLimits = Required<Defined<ListenLimits>>;

/** {@link ListenOptions} with all defaults. */
export interface ResolvedOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | undefined;
  readonly allowPlaintext: boolean;
  /** Host names in lower case; undefined when any host is accepted. */
  readonly acceptedHosts: ReadonlySet<string> | undefined;
  readonly limits: ResolvedLimits;
  readonly timeouts: ResolvedTimeouts;
  readonly webSocket: WebSocketOptions;
  readonly clock: Clock;
}

/** Checks of `limits` of `listen`. */
export const listenLimitChecks: OptionChecks<ListenLimits> = {
  headerBytes: aCount('bytes', 1),
  urlBytes: aCount('bytes', 1),
  streams: aCount('streams', 1),
  resets: aCount('resets', 1),
  connections: aCount('connections', 1),
};

/** Checks of `timeouts` of `listen`. */
export const timeoutChecks: OptionChecks<ListenTimeouts> = {
  headers: aPositiveDuration,
  request: aPositiveDuration,
  idle: aPositiveDuration,
  write: aPositiveDuration,
  linger: aPositiveDuration,
};

/** Checks of `webSocket` of `listen`. */
export const webSocketChecks: OptionChecks<WebSocketOptions> = {
  ping: aDuration,
  close: aDuration,
  maxPayloadBytes: aCount('bytes', 1),
};

const tlsCheck = nested(
  {
    key: aName,
    cert: aName,
    ca: listOf(aName, 'a list of certificates, PEM'),
    minVersion: oneOf('TLSv1.2', 'TLSv1.3'),
  } satisfies OptionChecks<TlsOptions>,
  ['key', 'cert'],
);

const checks: OptionChecks<ListenOptions> = {
  host: aName,
  port: matching(
    'a port from 0 to 65535, where 0 means a free port',
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  ),
  tls: (value, path) => (value === 'generated' ? undefined : tlsCheck(value, path)),
  allowPlaintext: aBoolean,
  acceptHosts: listOf(aName, 'a list of host names'),
  ui: aPage,
  limits: nested(listenLimitChecks),
  timeouts: nested(timeoutChecks),
  webSocket: nested(webSocketChecks),
  clock: aClock,
};

/**
 * Checks the options of `listen`.
 *
 * @throws TypeError that names the invalid option and its expected value
 */
export function checkListenOptions(options: ListenOptions): void {
  checkOptions('listen', options, checks);
}

/** Fills in the defaults. @param generated the TLS options that were generated */
export function resolveOptions(options: ListenOptions, generated?: TlsOptions): ResolvedOptions {
  const tls = options.tls === 'generated' ? generated : options.tls;
  const host = options.host ?? '127.0.0.1';
  const acceptHosts = options.acceptHosts ?? [];
  const anyHost = tls !== undefined || !isLoopback(host) || acceptHosts.includes('*');
  return {
    host,
    port: options.port ?? 0,
    tls,
    allowPlaintext: options.allowPlaintext ?? false,
    acceptedHosts: anyHost ? undefined : new Set(acceptHosts.map((name) => name.toLowerCase())),
    limits: {
      headerBytes: 64 * 1024,
      urlBytes: 32 * 1024,
      streams: 100,
      resets: 200,
      connections: 20_000,
      ...definedOnly(options.limits ?? {}),
    },
    timeouts: resolveTimeouts(options.timeouts),
    webSocket: options.webSocket ?? {},
    clock: options.clock ?? systemClock,
  };
}

function resolveTimeouts({
  headers = '32s',
  request = '60s',
  idle = '90s',
  write = '60s',
  linger = '5s',
}: ListenTimeouts = {}): ResolvedTimeouts {
  // Node takes whole milliseconds.
  const ms = (duration: Duration): number => Math.ceil(durationMs(duration));
  return {
    // Node refuses a head timeout above the request timeout.
    headersMs: Math.min(ms(headers), ms(request)),
    requestMs: ms(request),
    idleMs: ms(idle),
    writeMs: ms(write),
    lingerMs: ms(linger),
    checkMs: Math.max(20, Math.min(ms(headers) / 4, ms(linger) / 4, 5_000)),
  };
}
