import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { connectionAccepted, networkOf, type Clock } from '../../foundation/index.js';
import { Cohort } from '../cohort.js';
import { Connection } from './connection.js';
import { Exchange } from './exchange.js';
import type { ResolvedLimits, ResolvedTimeouts } from './listening/listen-options.js';
import { ResetGuard } from './listening/reset-guard.js';
import type { NodeRequest, NodeResponse } from './peer.js';
import { PlainHttpError, speaksPlainHttp } from './plain-http.js';
import { ReadTurns } from './read-turns.js';

/** Options of the tracker. */
interface TrackerOptions {
  readonly clock: Clock;
  readonly timeouts: ResolvedTimeouts;
  readonly limits: ResolvedLimits;
}

/** Remote address and port, which identify the layers of one connection. */
type Remote = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * Tracks the connections of a server and their requests in flight, so that no client blocks a connection forever and
 * the server can close gracefully. It checks all connections periodically, because a timer per request would cost more
 * than the request.
 */
export class ConnectionTracker {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #options: TrackerOptions;
  readonly #connections = new Map<Socket, Connection>();
  /** Connections by remote address and port, which TLS and HTTP/2 share with the underlying socket. */
  readonly #byRemote = new Map<string, Connection>();
  /** Connections by the socket or session of a request. */
  readonly #byLayer = new WeakMap<object, Connection>();
  readonly #resets: ResetGuard;
  /** Bounds what is read in a turn. */
  readonly reads = new ReadTurns(() => this.#readByNode());
  /** The requests that are about to start. */
  readonly requests = new Cohort(() => this.reads.turn());
  /** The TLS handshakes that are about to begin. */
  readonly #handshakes = new Cohort();
  readonly #now: () => number;
  #sweeping = false;
  #draining = false;
  #closing: Promise<void> | undefined;
  #closingSince: number | undefined;

  constructor(server: HttpServer | Http2SecureServer, options: TrackerOptions) {
    this.#server = server;
    this.#options = options;
    this.#now = () => options.clock.now();
    this.#resets = new ResetGuard(options.limits.resets, options.clock);
    if (!('updateSettings' in server)) {
      server.on('connection', (socket: Socket) => void this.#track(socket));
      return;
    }
    const handshakes = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      this.#admit(this.#track(socket), () =>
        this.#whenAsked(socket, () => handshakes.forEach((begin) => void Reflect.apply(begin, server, [socket]))),
      );
    });
    // Runs before Node's listener, whose session may immediately deliver a request.
    server.prependListener('secureConnection', (socket: Socket) => this.#secured(socket));
    server.on('session', (session: ServerHttp2Session) => this.#trackSession(session));
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Whether clients are asked to use other connections, because the server closes or will close. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Registers a request. */
  begin(request: NodeRequest, response: NodeResponse): Exchange {
    const exchange = new Exchange(request, response, this.#now);
    this.#connectionOf(request)?.begin(exchange);
    if (!('stream' in request)) this.reads.head(request);
    if (this.draining) lastOnConnection(response);
    return exchange;
  }

  /** Registers that the response of a request has been passed to the socket. */
  end(exchange: Exchange): void {
    const now = this.#now();
    exchange.answered(now);
    const connection = this.#connectionOf(exchange.request);
    this.#settle(exchange, connection, now);
    if (connection?.exchanges.has(exchange) !== true) return;
    exchange.response.on('close', () => this.#settle(exchange, connection, this.#now()));
  }

  /** Forgets an exchange that is over. */
  #settle(exchange: Exchange, connection: Connection | undefined, now: number): void {
    if (exchange.over) connection?.end(exchange, now);
    if (this.#closing !== undefined) this.#closeIdle();
  }

  /** Marks the connection of an upgrade as no longer HTTP. */
  handOver(socket: object): void {
    const connection = this.#byLayer.get(socket);
    if (connection !== undefined) connection.upgraded = true;
  }

  /**
   * Asks clients to send what follows over other connections, which a load balancer brings to another server. Requests
   * are served meanwhile, on new connections too.
   */
  drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    for (const connection of this.#connections.values()) {
      for (const { response } of connection.exchanges) lastOnConnection(response);
      announceEnd(connection.session);
    }
  }

  /** Closes gracefully, and forcibly after `graceMs` milliseconds. */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  #close(graceMs: number): Promise<void> {
    const server = this.#server;
    this.#closingSince = this.#now();
    this.#draining = true;
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(graceMs, () => this.#destroyAll());
      server.close(() => {
        timer.cancel();
        resolve(this.#allClosed());
      });
      for (const connection of this.#connections.values()) {
        for (const { response } of connection.exchanges) lastOnConnection(response);
        connection.session?.close();
      }
      this.#closeIdle();
      this.#closeUnused();
      if (graceMs <= 0) this.#destroyAll();
    });
  }

  /** Waits for the last connections: Node reports a server as closed slightly before them. */
  async #allClosed(): Promise<void> {
    await Promise.all(
      [...this.#connections.keys()].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      ),
    );
  }

  #track(socket: Socket): Connection {
    const known = this.#byLayer.get(socket);
    if (known !== undefined) {
      // After an ignored upgrade the connection is HTTP again.
      known.upgraded = false;
      return known;
    }
    const connection = new Connection(
      socket,
      'updateSettings' in this.#server,
      this.#resets.connection(socket.remoteAddress),
      this.#now(),
    );
    const remote = remoteOf(socket);
    connectionAccepted();
    this.#connections.set(socket, connection);
    this.#byLayer.set(socket, connection);
    this.#byRemote.set(remote, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#byRemote.get(remote) === connection) this.#byRemote.delete(remote);
    });
    this.#sweepLater();
    return connection;
  }

  /** Begins the TLS handshake of a new connection, after the wait that its source has earned. */
  #admit(connection: Connection, begin: () => void): void {
    const { socket } = connection;
    const waitMs = this.#resets.waitMs(socket.remoteAddress);
    if (waitMs === 0) return begin();
    connection.waiting = true;
    const ignore = (): void => undefined;
    // Without a listener, a connection error would end the process.
    socket.on('error', ignore);
    const timer = this.#options.clock.after(waitMs, () => {
      connection.waiting = false;
      connection.restart(this.#now());
      socket.off('error', ignore);
      begin();
    });
    socket.once('close', () => timer.cancel());
  }

  /**
   * Begins a TLS handshake once its first message has arrived. Each occupies the processor for most of a millisecond, before
   * anything is known about the client. So a turn begins only as many as fit into a slice, and addresses take turns.
   */
  #whenAsked(socket: Socket, begin: () => void): void {
    const failed = (error: Error): void => {
      this.#server.emit('tlsClientError', error, socket);
      socket.destroy();
    };
    socket.on('error', failed);
    const refuse = (): void => {
      socket.off('error', failed);
      this.#server.emit('tlsClientError', new PlainHttpError(), socket);
    };
    const start = (): void => {
      socket.off('error', failed);
      if (!socket.destroyed) begin();
    };
    socket.once('readable', () => {
      // The client has ended the connection.
      if (socket.readableLength === 0) failed(new Error('EOF'));
      else if (speaksPlainHttp(socket)) refuse();
      else this.#handshakes.join(start, undefined, () => networkOf(socket.remoteAddress ?? ''));
    });
  }

  #secured(socket: Socket): void {
    const known = this.#byLayer.get(socket);
    if (known !== undefined) {
      known.upgraded = false;
      return;
    }
    const connection = this.#byRemote.get(remoteOf(socket));
    if (connection === undefined) return;
    connection.secured(this.#now(), socket);
    this.#byLayer.set(socket, connection);
  }

  #trackSession(session: ServerHttp2Session): void {
    const connection = this.#byRemote.get(remoteOf(session.socket));
    if (connection === undefined) return;
    connection.session = session;
    const count = (): void => connection.countFrame();
    session.on('ping', count).on('remoteSettings', count);
    // One function for all streams of the connection: `this` is the stream.
    const countUnanswered = function (this: ServerHttp2Stream): void {
      if (!this.headersSent) connection.countReset();
    };
    const serve = session.listeners('stream');
    session.removeAllListeners('stream');
    const begin = (stream: ServerHttp2Stream, fields: object, flags: number, rawFields: readonly string[]): void => {
      if (!connection.isOpen || stream.closed) return ignore(stream, connection);
      stream.once('close', countUnanswered);
      connection.countFields(rawFields.length / 2);
      for (const one of serve) Reflect.apply(one, session, [stream, fields, flags, rawFields]);
    };
    session.on('stream', begin);
    this.#byLayer.set(session, connection);
    // The session started while the server was closing.
    if (this.#closing !== undefined) session.close();
    else if (this.#draining) announceEnd(session);
  }

  #connectionOf(request: NodeRequest): Connection | undefined {
    const layer = 'stream' in request ? request.stream.session : request.socket;
    return layer === undefined ? undefined : this.#byLayer.get(layer);
  }

  /** Checks all connections periodically, as long as any are open. */
  #sweepLater(): void {
    if (this.#sweeping) return;
    this.#sweeping = true;
    this.#options.clock.after(this.#options.timeouts.checkMs, () => {
      this.#sweeping = false;
      const moment = { now: this.#now(), closingSince: this.#closingSince };
      for (const connection of this.#connections.values()) connection.check(moment, this.#options.timeouts);
      if (this.#connections.size > 0) this.#sweepLater();
    });
  }

  /** Yields the sockets of the connections that use HTTP/1.1. */
  *#readByNode(): Generator<Socket> {
    for (const connection of this.#connections.values()) {
      const { http1 } = connection;
      if (http1 !== undefined) yield http1;
    }
  }

  #closeIdle(): void {
    // The HTTP/1.1 part of a secure server closes its idle connections in close(); later responses carry Connection:
    // close.
    if ('closeIdleConnections' in this.#server) this.#server.closeIdleConnections();
  }

  /** Closes connections without any data, which clients open in advance: Node would wait for their first request. */
  #closeUnused(): void {
    for (const { socket, waiting } of this.#connections.values())
      if (waiting || socket.bytesRead === 0) socket.destroy();
  }

  #destroyAll(): void {
    for (const connection of this.#connections.values()) connection.destroy();
  }
}

function remoteOf({ remoteAddress, remotePort }: Remote): string {
  return `${remoteAddress} ${remotePort}`;
}

const NOTHING = (): void => undefined;

/**
 * Leaves out a request that was reset before anybody saw it, or whose connection is about to be closed. Node reads up to
 * 64 KiB of a connection at once: some six hundred of them, and its objects of a request cost more than their frames.
 */
function ignore(stream: ServerHttp2Stream, connection: Connection): void {
  // Without a listener, a reset with another code than CANCEL would end the process.
  stream.on('error', NOTHING);
  connection.leaveOut();
}

/** No stream has a higher number: those that a client begins before it learns of the end are served. */
const LAST_STREAM = 2 ** 31 - 1;

/** Announces that an HTTP/2 connection will end, as RFC 9113 section 6.8 describes it. */
function announceEnd(session: ServerHttp2Session | undefined): void {
  if (session !== undefined && !session.closed && !session.destroyed) session.goaway(0, LAST_STREAM);
}

/** Announces that the connection ends with this response, if its head has not been sent yet. */
function lastOnConnection(response: NodeResponse): void {
  if (!('stream' in response) && !response.headersSent) response.shouldKeepAlive = false;
}
