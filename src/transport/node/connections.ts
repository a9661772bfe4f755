import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../meta/index.js';
import { Connection } from './connection.js';
import { Exchange } from './exchange.js';
import type { ResolvedTimeouts } from './listen-options.js';
import type { NodeRequest, NodeResponse } from './peer.js';

/** What the tracker needs of the options of a listener. */
interface TrackerOptions {
  readonly clock: Clock;
  readonly timeouts: ResolvedTimeouts;
}

/** Who is on the other end, by which the layers of one connection are told to belong together. */
type Remote = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/**
 * Knows the connections of one server and what is under way on them, so that a client cannot hold one for ever, and so that the server
 * can be closed in order. It looks at all of them at intervals: a timer for each request would cost more than the request.
 */
export class ConnectionTracker {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #options: TrackerOptions;
  readonly #connections = new Map<Socket, Connection>();
  /** The same by their remote address and port, which TLS and HTTP/2 share with the socket below. */
  readonly #byRemote = new Map<string, Connection>();
  /** The same by the socket or session that a request names. */
  readonly #byLayer = new WeakMap<object, Connection>();
  readonly #now: () => number;
  #sweeping = false;
  #closing: Promise<void> | undefined;
  #closingSince: number | undefined;

  constructor(server: HttpServer | Http2SecureServer, options: TrackerOptions) {
    this.#server = server;
    this.#options = options;
    this.#now = () => options.clock.now();
    server.on('connection', (socket: Socket) => this.#track(socket));
    if (!('updateSettings' in server)) return;
    // Before Node's own listener, whose session may bring a request at once.
    server.prependListener('secureConnection', (socket: Socket) => this.#secured(socket));
    server.on('session', (session: ServerHttp2Session) => this.#trackSession(session));
  }

  /** Open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Whether the server is closing. */
  get draining(): boolean {
    return this.#closing !== undefined;
  }

  /** A request has come in. */
  begin(request: NodeRequest, response: NodeResponse): Exchange {
    const exchange = new Exchange(request, response, this.#now);
    this.#connectionOf(request)?.begin(exchange);
    if (this.draining) lastOnConnection(response);
    return exchange;
  }

  /** Its answer has been handed over. */
  end(exchange: Exchange): void {
    exchange.answered();
    const { request, response } = exchange;
    const connection = this.#connectionOf(request);
    const settle = (): void => {
      if (exchange.over) connection?.end(exchange, this.#now());
      if (this.draining) this.#closeIdle();
    };
    settle();
    if (connection?.exchanges.has(exchange) === true) response.once('close', settle);
  }

  /** The connection of an upgrade is no longer one of HTTP. */
  handOver(socket: object): void {
    const connection = this.#byLayer.get(socket);
    if (connection !== undefined) connection.upgraded = true;
  }

  /** Closes in order, and by force after `graceMs`. */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  #close(graceMs: number): Promise<void> {
    const server = this.#server;
    this.#closingSince = this.#now();
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
      this.#closeSilent();
      if (graceMs <= 0) this.#destroyAll();
    });
  }

  /** Node calls a server closed a moment before its last connections say so. */
  async #allClosed(): Promise<void> {
    await Promise.all(
      [...this.#connections.keys()].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
      ),
    );
  }

  #track(socket: Socket): void {
    const known = this.#byLayer.get(socket);
    if (known !== undefined) {
      // An upgrade that was not wanted: it is one of HTTP again.
      known.upgraded = false;
      return;
    }
    const connection = new Connection(socket, this.#now());
    const remote = remoteOf(socket);
    this.#connections.set(socket, connection);
    this.#byLayer.set(socket, connection);
    this.#byRemote.set(remote, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      if (this.#byRemote.get(remote) === connection) this.#byRemote.delete(remote);
    });
    this.#sweepLater();
  }

  #secured(socket: Socket): void {
    const known = this.#byLayer.get(socket);
    if (known !== undefined) {
      known.upgraded = false;
      return;
    }
    const connection = this.#byRemote.get(remoteOf(socket));
    if (connection === undefined) return;
    connection.secured(this.#now());
    this.#byLayer.set(socket, connection);
  }

  #trackSession(session: ServerHttp2Session): void {
    const connection = this.#byRemote.get(remoteOf(session.socket));
    if (connection === undefined) return;
    connection.session = session;
    this.#byLayer.set(session, connection);
    // One that was on its way when the server began to close.
    if (this.draining) session.close();
  }

  #connectionOf(request: NodeRequest): Connection | undefined {
    const layer = 'stream' in request ? request.stream.session : request.socket;
    return layer === undefined ? undefined : this.#byLayer.get(layer);
  }

  /** Looks at every connection after a while, as long as there are any. */
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

  #closeIdle(): void {
    // The HTTP/1.1 half of a secure server ends its own idle connections in close(); later ones carry Connection: close.
    if ('closeIdleConnections' in this.#server) this.#server.closeIdleConnections();
  }

  /** Connections on which nothing was ever said, as clients open them ahead: Node waits for their first request. */
  #closeSilent(): void {
    for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  #destroyAll(): void {
    for (const connection of this.#connections.values()) connection.destroy();
  }
}

function remoteOf({ remoteAddress, remotePort }: Remote): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Announces that the connection ends with this answer, when its head is not out yet. */
function lastOnConnection(response: NodeResponse): void {
  if (!('stream' in response) && !response.headersSent) response.shouldKeepAlive = false;
}
