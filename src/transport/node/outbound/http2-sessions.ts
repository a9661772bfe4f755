import { connect, type ClientHttp2Session } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import {
  afterFrames,
  LruMap,
  noAnswer,
  untilAborted,
  type CheckedRequest,
  type Clock,
  type OutboundTls,
  type StreamedRequest,
  type Timer,
} from '../../../foundation/index.js';
import { identityOf } from './identity.js';
import { openTunnel, type FindProxy } from './proxy.js';
import { digestOf, secureContextOf } from './secure-context.js';

/** Options of {@link Http2Sessions}. */
export interface Http2Options {
  /** Clock of pings and of the time that an idle connection is kept. */
  readonly clock: Clock;
  /** How long an idle connection is kept, in milliseconds. */
  readonly idleMs: number;
  /** Number of servers whose connections are kept. */
  readonly maxServers: number;
  readonly proxy: FindProxy | undefined;
}

/** Interval of pings while a connection has streams; a connection without an answer until the next one is closed. */
const PING_MS = 30_000;
/** Streams of a connection before its server has said how many it admits. */
const FIRST_STREAMS = 100;
/**
 * Bytes that may be unread on a connection. Without it, a few watches whose readers pause would stop all other streams of
 * their connection.
 */
const WINDOW_BYTES = 64 * 1024 * 1024;

/** The HTTP/2 connections of a client, by server and TLS options. */
export class Http2Sessions {
  readonly #servers: LruMap<string, Server>;
  readonly #options: Http2Options;

  constructor(options: Http2Options) {
    this.#options = options;
    this.#servers = new LruMap(options.maxServers, { dropped: (server) => server.retire() });
  }

  /**
   * Returns a connection that takes one more stream; undefined for a server that does not speak HTTP/2.
   *
   * @throws Error when the server cannot be reached, or its certificate is refused; the reason of the signal as the cause
   */
  find(checked: CheckedRequest, { tls = {}, signal }: StreamedRequest): Promise<Session | undefined> {
    const key = `${checked.url.origin} ${digestOf(tls)}`;
    const server = this.#servers.use(key, () => new Server(checked, tls, this.#options));
    return untilAborted(server.session(), signal).catch((error: unknown) => {
      throw noAnswer(checked, error);
    });
  }

  close(): void {
    for (const server of this.#servers.takeAll()) server.close();
  }
}

/** A server, and what is known of it. */
class Server {
  readonly #url: URL;
  readonly #name: string;
  readonly #tls: OutboundTls;
  readonly #options: Http2Options;
  readonly #sessions = new Set<Session>();
  #opening: Promise<Session | undefined> | undefined;
  /** Whether it only speaks HTTP/1.1. */
  #isOld = false;

  constructor({ url, name }: CheckedRequest, tls: OutboundTls, options: Http2Options) {
    this.#url = url;
    this.#name = name;
    this.#tls = tls;
    this.#options = options;
  }

  async session(): Promise<Session | undefined> {
    while (!this.#isOld) {
      for (const session of this.#sessions) if (session.hasRoom) return session;
      // Requests of one moment share the connection that the first of them opens.
      await (this.#opening ??= this.#open().finally(() => (this.#opening = undefined)));
    }
    return undefined;
  }

  close(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Lets the streams in progress end, and opens no others. */
  retire(): void {
    for (const session of this.#sessions) session.retire();
  }

  async #open(): Promise<Session | undefined> {
    const socket = await this.#handshake();
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy();
      this.#isOld = true;
      return undefined;
    }
    const session: Session = new Session(socket, this.#url.origin, this.#options, () => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  async #handshake(): Promise<TLSSocket> {
    const { hostname, port } = this.#url;
    const proxy = this.#options.proxy?.(this.#url);
    const target = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 443 : Number(port) };
    const secureContext = secureContextOf(this.#tls, this.#name);
    const tunnel = proxy === undefined ? undefined : await openTunnel(proxy, target);
    return new Promise((resolve, reject) => {
      const socket = connectTls({
        ...(tunnel === undefined ? target : { socket: tunnel }),
        ...identityOf(this.#url, this.#tls),
        secureContext,
        rejectUnauthorized: this.#tls.insecureSkipVerify !== true,
        ALPNProtocols: ['h2', 'http/1.1'],
      });
      socket.once('error', reject);
      socket.once('close', () => {
        tunnel?.destroy();
        reject(new Error('the connection was closed during the TLS handshake'));
      });
      socket.once('secureConnect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  }
}

/** One HTTP/2 connection. */
export class Session {
  readonly http2: ClientHttp2Session;
  readonly #options: Http2Options;
  /** Streams that are open, and those among them that keep the process alive. */
  #open = 0;
  #awaited = 0;
  #isLeaving = false;
  #timer: Timer | undefined;

  constructor(socket: TLSSocket, origin: string, options: Http2Options, closed: () => void) {
    this.#options = options;
    this.http2 = connect(origin, { createConnection: () => socket, settings: { enablePush: false } });
    this.http2.once('connect', () => this.http2.setLocalWindowSize(WINDOW_BYTES));
    // The streams report it.
    this.http2.on('error', () => undefined);
    this.http2.on('goaway', () => (this.#isLeaving = true));
    this.http2.once('close', () => {
      this.#isLeaving = true;
      this.#timer?.cancel();
      closed();
    });
    this.http2.unref();
    this.#idle();
  }

  /** Whether the connection takes one more stream. */
  get hasRoom(): boolean {
    const most = this.http2.connecting ? FIRST_STREAMS : this.http2.remoteSettings.maxConcurrentStreams;
    return !this.#isLeaving && !this.http2.closed && this.#open < (most ?? FIRST_STREAMS);
  }

  /**
   * Counts a stream.
   *
   * @param background whether the process may end while it is open
   * @returns a function to call when the stream has ended
   */
  begin(background: boolean): () => void {
    this.#open += 1;
    if (this.#open === 1) this.#ping();
    if (!background && (this.#awaited += 1) === 1) this.http2.ref();
    return () => {
      this.#open -= 1;
      if (!background && (this.#awaited -= 1) === 0) this.http2.unref();
      if (this.#open > 0 || this.http2.destroyed) return;
      if (this.#isLeaving) this.destroy();
      else this.#idle();
    };
  }

  retire(): void {
    this.#isLeaving = true;
    if (this.#open === 0) this.destroy();
  }

  destroy(): void {
    this.#timer?.cancel();
    this.#isLeaving = true;
    afterFrames(() => this.http2.destroy());
  }

  /** Closes the connection after some time without a stream. */
  #idle(): void {
    this.#schedule(this.#options.idleMs, () => this.http2.close());
  }

  /** Finds out whether a connection with streams is alive: a server may be silent for long. */
  #ping(): void {
    this.#schedule(PING_MS, () => {
      let answered = false;
      this.http2.ping(() => (answered = true));
      this.#schedule(PING_MS, () => {
        if (answered) this.#ping();
        else this.http2.destroy(new Error('the server does not answer pings'));
      });
    });
  }

  #schedule(delayMs: number, action: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, action);
  }
}
