import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { nextTurn } from '../../foundation/index.js';

/** Units that connections may be read for in a turn: some 2 ms. */
const TURN_UNITS = 9_000;
/** Units of a request besides its header fields, each of which is one: ninety small requests of a turn hold nobody. */
const REQUEST_UNITS = 90;
/** Units of a body of chunks that has arrived with its head: before the head is known, Node has parsed what follows it. */
const CHUNKED_UNITS = 6_000;
/** Units of a piece of a body. */
const PIECE_UNITS = 2;
/** Bytes of a body that are joined in the time of a unit, on a machine that others use as well. */
const JOINED_PER_UNIT = 256;
/** Units from which a request makes its connection a heavy one. */
const HEAVY_UNITS = 1_000;
/** Number of heavy connections that are read again in a turn, and of others: to hold one again takes some 10 µs. */
const HEAVY_READ = 4;
const OTHERS_READ = 128;
/** Number of those that are read again in a turn because they have been held longest: none waits for ever. */
const LONGEST_READ = 8;
/** Most small requests in a row that are counted. */
const KNOWN = 8;
/** Stands for a connection whose last request was heavy, in place of the number of its small requests. */
const HEAVY = -1;
/**
 * Stands for a connection whose last body came in short pieces. One of them is read in a turn: Node parses what it has
 * read of a connection to its end, up to ten thousand pieces.
 */
const CRUMBS = -2;

/** A connection that can be held. */
export type HeldSocket = Pick<Socket, 'destroyed' | 'isPaused' | 'pause' | 'resume'>;

/**
 * Bounds what HTTP/1.1 connections make the host do in one turn of the event loop. Node reads every connection that has
 * data, and parses it before anyone else sees it: a few hundred connections with long heads, or with bodies of short
 * chunks, would take hundreds of milliseconds of one turn, and so would long bodies that end together, which are joined.
 * When what has been read in a turn reaches a limit, all connections are held. In the next turn, many connections whose last
 * request was small are read again, and a few of the others. Connections with the same number of small requests in a row
 * form a group, and the newest of each group are read
 * first. So a client that has opened hundreds of connections at once waits only for itself. A few of those that have been
 * held longest are read in each turn, too.
 */
export class ReadTurns {
  readonly #open: () => Iterable<HeldSocket>;
  /** The number of small requests in a row of each connection, up to {@link KNOWN}; or {@link HEAVY}, {@link CRUMBS}. */
  readonly #small = new WeakMap<HeldSocket, number>();
  /** Those that are held, the one that has been held longest first. */
  readonly #held = new Set<HeldSocket>();
  #units = 0;
  #isReleasing = false;
  #isTurnPlanned = false;

  /** @param open returns the open HTTP/1.1 connections by the socket that their requests name, the oldest first */
  constructor(open: () => Iterable<HeldSocket>) {
    this.#open = open;
  }

  /** Counts the head of a request. */
  head({
    rawHeaders,
    headers,
    socket,
  }: Pick<IncomingMessage, 'rawHeaders' | 'headers'> & { socket: HeldSocket }): void {
    let units = REQUEST_UNITS + rawHeaders.length / 2;
    if (headers['transfer-encoding'] !== undefined) units += CHUNKED_UNITS;
    const known = this.#small.get(socket) ?? 0;
    if (units >= HEAVY_UNITS) this.#small.set(socket, HEAVY);
    else if (known < KNOWN) this.#small.set(socket, Math.max(known, 0) + 1);
    this.#count(units);
  }

  /** Counts short pieces of a body. @param socket its connection; undefined for HTTP/2 */
  pieces(count: number, socket?: HeldSocket): void {
    if (socket !== undefined) this.#small.set(socket, CRUMBS);
    this.#count(PIECE_UNITS * count);
  }

  /** Counts the bytes of a body whose pieces are joined. */
  joined(bytes: number): void {
    this.turnLater();
    this.#count(bytes / JOINED_PER_UNIT);
  }

  /** Begins another turn. To be called in each turn after one that read the head of a request. */
  turn(): void {
    this.#units = 0;
  }

  /** Begins another turn after this one, for readers that are called in no other. */
  turnLater(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    void nextTurn().then(() => {
      this.#isTurnPlanned = false;
      this.turn();
    });
  }

  #count(units: number): void {
    this.#units += units;
    if (this.#units < TURN_UNITS) return;
    // Until the next turn, nothing is left to hold.
    this.#units = -Infinity;
    for (const socket of this.#open()) {
      // One that is paused already waits for its own reader.
      if (socket.isPaused()) continue;
      socket.pause();
      this.#held.add(socket);
    }
    if (!this.#isReleasing) void this.#release();
  }

  async #release(): Promise<void> {
    this.#isReleasing = true;
    do {
      await nextTurn();
      this.#units = 0;
      for (const socket of this.#next()) {
        this.#held.delete(socket);
        if (!socket.destroyed) socket.resume();
      }
    } while (this.#held.size > 0);
    this.#isReleasing = false;
  }

  /** Returns those that are read in the next turn, in their order. */
  #next(): HeldSocket[] {
    const bySmall = Array.from({ length: KNOWN + 1 }, (): HeldSocket[] => []);
    const heavy: HeldSocket[] = [];
    const crumbs: HeldSocket[] = [];
    const longest: HeldSocket[] = [];
    // With few, all are read now, in the order of their kinds.
    const isCrowded = this.#held.size > OTHERS_READ;
    for (const socket of this.#held) {
      const small = this.#small.get(socket) ?? 0;
      if (small === CRUMBS) {
        if (crumbs.length === 0) crumbs.push(socket);
      } else if (small === HEAVY) {
        if (heavy.length < HEAVY_READ) heavy.push(socket);
      } else if (isCrowded && longest.length < LONGEST_READ) longest.push(socket);
      else bySmall[KNOWN - small]?.push(socket);
    }
    const next: HeldSocket[] = [];
    for (let isLast = false; !isLast;) {
      isLast = true;
      for (const alike of bySmall) {
        const newest = alike.pop();
        if (newest === undefined || next.length === OTHERS_READ - longest.length) continue;
        next.push(newest);
        isLast = false;
      }
    }
    return [...next, ...longest, ...heavy, ...crumbs];
  }
}
