import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Exchange, Moment } from './exchange.js';
import type { ListenTimeouts } from './listen-options.js';

/** One connection of a client, with the requests that are under way on it. */
export class Connection {
  /** The TCP socket: with TLS, the one below. */
  readonly socket: Socket;
  readonly exchanges = new Set<Exchange>();
  session: ServerHttp2Session | undefined;
  /** Whether it has become something other than HTTP; it looks after itself then. */
  upgraded = false;
  /** Since when there has been no request on it. */
  #quietSince: number;
  #served = false;

  constructor(socket: Socket, now: number) {
    this.socket = socket;
    this.#quietSince = now;
  }

  /** The TLS handshake is done: the time for a request begins. */
  secured(now: number): void {
    this.#quietSince = now;
  }

  begin(exchange: Exchange): void {
    this.#served = true;
    this.exchanges.add(exchange);
  }

  end(exchange: Exchange, now: number): void {
    this.exchanges.delete(exchange);
    this.#quietSince = now;
  }

  /**
   * Ends what the client has held up for too long. An HTTP/2 connection is first told to go (GOAWAY); an HTTP/1.1 one is answered by
   * Node, and cut off here when that was not enough.
   */
  check(moment: Moment, timeouts: ListenTimeouts): void {
    const { now, closingSince } = moment;
    if (this.upgraded) return;
    for (const exchange of this.exchanges) {
      if (exchange.over) this.end(exchange, now);
      else if (exchange.check(moment, timeouts)) return this.destroy();
    }
    if (this.exchanges.size > 0) return;
    const { headersMs, idleMs, lingerMs } = timeouts;
    const limit = this.#served ? idleMs : Math.min(headersMs, idleMs);
    const quietMs = now - this.#quietSince;
    if (
      quietMs > limit + lingerMs ||
      (closingSince !== undefined && now - Math.max(closingSince, this.#quietSince) > lingerMs)
    )
      this.destroy();
    else if (quietMs > limit && this.session?.closed === false) this.session.close();
  }

  /** Cuts the client off. With an error, or it could take what it has of an answer for the whole. */
  destroy(): void {
    this.session?.destroy(new Error('the listener has ended the connection'), constants.NGHTTP2_INTERNAL_ERROR);
    this.socket.destroy();
  }
}
