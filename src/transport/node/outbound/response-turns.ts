import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ReadTurns, type HeldSocket } from '../read-turns.js';

/** Length below which a piece of a response is short, in bytes. */
const SHORT_BYTES = 1024;
/** Number of short pieces that are counted together. */
const COUNTED_PIECES = 256;

/** Counts what one response makes the host parse. */
export interface ResponseCount {
  /** Counts the head. To be called while the host parses the response: what it has read of the body follows at once. */
  head(response: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): void;
  /** Counts a piece of the body. @param bytes its length */
  piece(bytes: number): void;
  /** Ends the count: the response has ended, or the connection is lost. */
  end(): void;
}

/**
 * Bounds what responses over HTTP/1.1 make Node parse in one turn of the event loop, as {@link ReadTurns} does for requests:
 * a server that sends single bytes makes Node parse ten thousand pieces for each connection that it has read.
 */
export class ResponseTurns {
  readonly #connections = new Set<Connection>();
  readonly #reads = new ReadTurns(() => this.#connections);

  /** Begins to count the response on a connection. */
  begin(socket: Socket): ResponseCount {
    const connection = new Connection(socket);
    this.#connections.add(connection);
    let short = 0;
    return {
      head: ({ rawHeaders, headers }) => {
        this.#reads.turnLater();
        this.#reads.head({ rawHeaders, headers, socket: connection });
      },
      piece: (bytes) => {
        if (bytes >= SHORT_BYTES) return;
        short += 1;
        if (short < COUNTED_PIECES) return;
        short = 0;
        this.#reads.turnLater();
        this.#reads.pieces(COUNTED_PIECES, connection);
      },
      end: () => {
        this.#connections.delete(connection);
        connection.leave();
      },
    };
  }
}

/**
 * The connection of a request. It stays held when Node resumes it, which it does each time that the response may take more.
 */
class Connection implements HeldSocket {
  readonly #socket: Socket;
  #isHeld = false;
  #isOver = false;
  readonly #hold = (): void => {
    if (this.#isHeld) this.#socket.pause();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('resume', this.#hold);
  }

  get destroyed(): boolean {
    return this.#isOver || this.#socket.destroyed;
  }

  isPaused(): boolean {
    return this.#socket.isPaused();
  }

  pause(): Socket {
    this.#isHeld = true;
    return this.#socket.pause();
  }

  resume(): Socket {
    this.#isHeld = false;
    return this.#socket.resume();
  }

  /** Leaves the connection to the next request. */
  leave(): void {
    this.#isOver = true;
    this.#socket.off('resume', this.#hold);
    if (this.#isHeld) this.resume();
  }
}
