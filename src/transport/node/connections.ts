import type { Server as HttpServer } from 'node:http';
import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../meta/index.js';
import { isGone } from './gone.js';
import type { NodeResponse } from './peer.js';

/** What the tracker needs of the options of a listener. */
interface TrackerOptions {
  readonly clock: Clock;
  readonly timeouts: { readonly idleMs: number };
}

/** Knows the connections, sessions and unfinished answers of one server, so that it can be closed in order. */
export class ConnectionTracker {
  readonly #server: HttpServer | Http2SecureServer;
  readonly #options: TrackerOptions;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #unfinished = new Set<NodeResponse>();
  #closing: Promise<void> | undefined;

  constructor(server: HttpServer | Http2SecureServer, options: TrackerOptions) {
    this.#server = server;
    this.#options = options;
    server.on('connection', (socket: Socket) => this.#track(socket));
    if ('updateSettings' in server) server.on('session', (session: ServerHttp2Session) => this.#trackSession(session));
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Whether the server is closing. */
  get draining(): boolean {
    return this.#closing !== undefined;
  }

  /** A request has come in. */
  begin(response: NodeResponse): void {
    this.#unfinished.add(response);
    if (this.draining) lastOnConnection(response);
  }

  /** Its answer has been handed to the socket. */
  end(response: NodeResponse): void {
    this.#unfinished.delete(response);
    if (this.draining) this.#closeWhenOut(response);
  }

  /** Closes in order, and by force after `graceMs`. */
  close(graceMs: number): Promise<void> {
    return (this.#closing ??= this.#close(graceMs));
  }

  #close(graceMs: number): Promise<void> {
    const server = this.#server;
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(graceMs, () => this.#destroyAll());
      server.close(() => {
        timer.cancel();
        resolve(this.#allClosed());
      });
      for (const response of this.#unfinished) lastOnConnection(response);
      for (const session of this.#sessions) session.close();
      this.#closeIdle();
      this.#closeSilent();
      if (graceMs <= 0) this.#destroyAll();
    });
  }

  /** Node calls a server closed a moment before its last connections say so. */
  async #allClosed(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))));
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** An HTTP/2 connection without streams is ended after the idle time; a quiet watch keeps its connection. */
  #trackSession(session: ServerHttp2Session): void {
    let streams = 0;
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('stream', (stream) => {
      streams++;
      stream.once('close', () => streams--);
    });
    session.setTimeout(this.#options.timeouts.idleMs, () => {
      if (streams === 0) session.close();
    });
  }

  #closeWhenOut(response: NodeResponse): void {
    if (response.writableFinished || isGone(response)) this.#closeIdle();
    else response.once('close', () => this.#closeIdle());
  }

  #closeIdle(): void {
    // The HTTP/1.1 half of a secure server ends its own idle connections in close(); later ones carry Connection: close.
    if ('closeIdleConnections' in this.#server) this.#server.closeIdleConnections();
  }

  /** Connections on which nothing was ever said, as clients open them ahead: Node waits for their first request. */
  #closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  #destroyAll(): void {
    // With an error, or a client could take what it has of a stream for the whole.
    for (const session of this.#sessions) session.destroy(new Error('the listener was closed'), constants.NGHTTP2_INTERNAL_ERROR);
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Announces that the connection ends with this answer, when its head is not out yet. */
function lastOnConnection(response: NodeResponse): void {
  if (!('stream' in response) && !response.headersSent) response.shouldKeepAlive = false;
}
