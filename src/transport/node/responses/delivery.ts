import { SLICE_MS, TurnBatches } from '../../../foundation/index.js';
import type { TakeChunk } from '../../../server/index.js';
import type { ChunkWriter } from './chunk-writer.js';

/** Maximum number of streams that are served in one turn of the event loop, so that a turn remains short. */
const MAX_SERVED = 64;
/** Number of streams that are served between two looks at the time: events may be large. */
const SERVED_TOGETHER = 16;

const takes = (delivery: Delivery): boolean => delivery.take();
const writes = (delivery: Delivery): boolean => delivery.write();

/**
 * Streams that have something for their clients. Those that become ready in one turn of the event loop are served in the
 * next one: each takes a chunk, then each writes its own, and so on. The same step for all of them, one after another,
 * costs half as much as all steps for each of them ({@link Cohort} says why). When the slice is used up, those that have
 * been served least continue first in the next turn.
 */
const readyStreams = new TurnBatches<Delivery>(MAX_SERVED, (ready) => {
  const until = performance.now() + SLICE_MS;
  const streams = ready;
  while (streams.length > 0) {
    const served = streams.splice(0, SERVED_TOGETHER).filter(takes).filter(writes);
    for (const stream of served) streams.push(stream);
    if (performance.now() >= until) break;
  }
  return streams;
});

/** Why a delivery stopped: the client has to take what was written, or only `next()` can tell what follows. */
export type Stopped = 'blocked' | 'next';

/** Delivers the chunks of a stream to its client as they become ready. Nothing is taken before the client has room. */
export class Delivery {
  readonly #takeChunk: TakeChunk;
  readonly #writer: ChunkWriter;
  readonly #ready = (): void => readyStreams.add(this);
  #chunk: Uint8Array | undefined;
  #resolve: ((why: Stopped) => void) | undefined;

  constructor(takeChunk: TakeChunk, writer: ChunkWriter) {
    this.#takeChunk = takeChunk;
    this.#writer = writer;
  }

  /** Delivers chunks until the client is blocked, only `next()` can tell what follows, or {@link stop} is called. */
  run(): Stopped | Promise<Stopped> {
    for (;;) {
      const chunk = this.#takeChunk(this.#ready);
      if (chunk === 'later') return new Promise((resolve) => (this.#resolve = resolve));
      if (chunk === 'next') return 'next';
      if (!this.#writer.write(chunk)) return 'blocked';
    }
  }

  /** Ends a {@link run} that waits; later chunks are not taken. */
  stop(why: Stopped = 'next'): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(why);
  }

  /** Takes a chunk. Returns whether there is one to write. */
  take(): boolean {
    if (this.#resolve === undefined) return false;
    const chunk = this.#takeChunk(this.#ready);
    if (chunk === 'later') return false;
    if (chunk === 'next') {
      this.stop();
      return false;
    }
    this.#chunk = chunk;
    return true;
  }

  /** Writes the chunk that was taken. Returns whether the client has room for more. */
  write(): boolean {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    if (chunk === undefined || this.#writer.write(chunk)) return true;
    this.stop('blocked');
    return false;
  }
}
