import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { afterFrames, LinkedList } from '../../foundation/index.js';
import type { Exchange, Moment } from './exchange.js';
import type { ResolvedTimeouts } from './listening/listen-options.js';
import type { ResetCount } from './listening/reset-guard.js';

/** Number of header fields of an HTTP/2 request that cost as much as a control frame. Most requests have fewer. */
const FIELDS_OF_FRAME = 128;

/** Requests that a connection of HTTP/2 may begin while it is being closed. */
const MOST_LEFT_OUT = 64;

/** One connection of a client, with its requests in flight. */
export class Connection {
  /** The TCP socket; with TLS, the underlying one. */
  readonly socket: Socket;
  readonly exchanges = new LinkedList<Exchange>();
  session: ServerHttp2Session | undefined;
  /** Whether it has been upgraded to another protocol, which manages the connection itself. */
  upgraded = false;
  /** Whether it waits to be served, because others of its source reset too many requests. */
  waiting = false;
  readonly resets: ResetCount;
  /** Time since which it has had no request. */
  #idleSince: number;
  #served = false;
  #leftOut = 0;
  #isEnding = false;
  readonly #isSecure: boolean;
  #secure: Socket | undefined;

  /** @param isSecure whether it begins with a TLS handshake */
  constructor(socket: Socket, isSecure: boolean, resets: ResetCount, now: number) {
    this.socket = socket;
    this.#isSecure = isSecure;
    this.resets = resets;
    this.#idleSince = now;
  }

  /** Starts the timeout of the first request after a wait. */
  restart(now: number): void {
    this.#idleSince = now;
  }

  /** Registers the end of the TLS handshake. @param socket the socket of TLS */
  secured(now: number, socket: Socket): void {
    this.#secure = socket;
    this.restart(now);
  }

  /** The socket of HTTP/1.1 requests: with TLS that of TLS. Undefined before the handshake, and for other protocols. */
  get http1(): Socket | undefined {
    if (this.upgraded || this.waiting || this.session !== undefined) return undefined;
    return this.#isSecure ? this.#secure : this.socket;
  }

  begin(exchange: Exchange): void {
    this.#served = true;
    this.exchanges.add(exchange);
  }

  end(exchange: Exchange, now: number): void {
    this.exchanges.delete(exchange);
    this.#idleSince = now;
  }

  /**
   * Ends requests and connections past their timeouts. An HTTP/2 connection first gets a GOAWAY frame. For HTTP/1.1
   * Node responds, and this method closes the connection if that does not suffice.
   */
  check(moment: Moment, timeouts: ResolvedTimeouts): void {
    const { now, closingSince } = moment;
    if (this.upgraded || this.waiting) return;
    for (const exchange of this.exchanges) {
      if (exchange.over) this.end(exchange, now);
      else if (exchange.check(moment, timeouts)) return this.destroy();
    }
    if (this.exchanges.size > 0) return;
    const { headersMs, idleMs, lingerMs } = timeouts;
    const limit = this.#served ? idleMs : Math.min(headersMs, idleMs);
    const idleForMs = now - this.#idleSince;
    if (
      idleForMs > limit + lingerMs ||
      (closingSince !== undefined && now - Math.max(closingSince, this.#idleSince) > lingerMs)
    )
      this.destroy();
    else if (idleForMs > limit && this.session?.closed === false) this.session.close();
  }

  /** Counts a control frame, and closes a connection that sends too many. */
  countFrame(): void {
    if (this.isOpen && this.resets.add()) this.#closeHostile();
  }

  /** Counts a request that its client reset before it was answered, and closes a connection that resets too many. */
  countReset(): void {
    if (this.isOpen && this.resets.addRequest()) this.#closeHostile();
  }

  /**
   * Counts a request that is left out, because its client has reset it already or the connection is about to be closed. One
   * that goes on with many is cut off without a GOAWAY frame: Node reads what has arrived to its end.
   */
  leaveOut(): void {
    if (this.isOpen) this.countReset();
    else if ((this.#leftOut += 1) === MOST_LEFT_OUT) this.socket.destroy();
  }

  /** Counts the fields of a request: a client that repeats a field of its table sends a byte for each. */
  countFields(fields: number): void {
    const weight = Math.floor(fields / FIELDS_OF_FRAME);
    if (weight > 0 && this.isOpen && this.resets.add(weight)) this.#closeHostile();
  }

  /** Whether requests of HTTP/2 are served. */
  get isOpen(): boolean {
    return this.session?.destroyed === false && !this.#isEnding;
  }

  #closeHostile(): void {
    this.destroy(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  /** Closes the connection with an error, so that the client does not take a partial response for a complete one. */
  destroy(code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    const { session, socket } = this;
    if (session === undefined) return void socket.destroy();
    if (this.#isEnding) return;
    this.#isEnding = true;
    afterFrames(() => {
      session.destroy(new Error('the listener closed the connection'), code);
      socket.destroy();
    });
  }
}
