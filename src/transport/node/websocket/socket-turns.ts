import type { Socket } from 'node:net';
import { ReadTurns } from '../read-turns.js';

/** The count of a frame, in pieces of a body: ws makes an event of it, and a ping is answered. */
const FRAME_PIECES = 20;
/** Bytes that count as a piece: they are copied and unmasked. */
const PIECE_BYTES = 256;
/** Number of frames in a chunk from which on its connection waits behind others. */
const MANY_FRAMES = 32;

/**
 * Bounds what WebSockets make ws read in one turn of the event loop: it reads a chunk to its end, up to ten thousand
 * frames, and hundreds of connections may have one.
 */
export class SocketTurns {
  readonly #sockets = new Set<Socket>();
  readonly #reads = new ReadTurns(() => this.#sockets);

  /** Adds a connection until it closes. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Counts a chunk that has been read, by the frames that end in it and its bytes. */
  took(frames: number, bytes: number, socket: Socket): void {
    this.#reads.turnLater();
    const pieces = frames * FRAME_PIECES + bytes / PIECE_BYTES;
    this.#reads.pieces(pieces, frames < MANY_FRAMES ? undefined : socket);
  }
}
