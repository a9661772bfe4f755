/**
 * Bodies that are made in chunks, each when the client has taken the one before: a long body needs the memory of a few
 * chunks, whatever its length. A short one is made before the response begins.
 *
 * @module
 */
import { errors, inSlices, type Clock, type Steps, type Timer, type Work } from '../../foundation/index.js';
import type { CompressedChunks, EncodedChunks } from '../codec/index.js';
import { joinedChunks } from '../limits/chunk-memory.js';
import { CHUNK_BYTES, type ResponseBody, type StreamBody } from '../requests/http.js';
import { ByteChunkWriter } from './byte-chunk-writer.js';

/**
 * Length up to which a body is made before the response begins, in bytes. A stream holds less later: a chunk that the
 * client takes, one that is made, and one that is compressed.
 */
export const WHOLE_BYTES = 1024 * 1024;

/** Makes a body. Yields when there is a chunk to take, and when the slice of its work is used up. */
export type BodySteps = Generator<void, void, void>;

/** Makes the chunks of a body. */
export interface BodySource {
  /** Called once. */
  steps(): BodySteps;
  /** Returns the chunks that are complete and have not been taken. */
  take(): readonly Uint8Array[];
  /** Returns the last chunks, after the last step. */
  end(): readonly Uint8Array[];
}

/**
 * Returns a source that writes its chunks.
 *
 * @param expectedBytes expected length of the body, in bytes; it affects only how often memory is allocated
 */
export function written(make: (writer: ByteChunkWriter) => BodySteps, expectedBytes?: number): BodySource {
  const writer = new ByteChunkWriter(expectedBytes);
  return { steps: () => make(writer), take: () => writer.take(), end: () => writer.end() };
}

/** Returns a source with a head before and a tail behind the chunks of another, of which the last loses some bytes. */
export function surrounded(source: BodySource, head: Uint8Array, tail: Uint8Array, cutBytes = 0): BodySource {
  let before: readonly Uint8Array[] = [head];
  /** The last chunk so far. */
  let held: readonly Uint8Array[] = [];
  const take = (chunks: readonly Uint8Array[]): readonly Uint8Array[] => {
    if (chunks.length === 0) return chunks;
    const taken = [...before, ...held, ...chunks.slice(0, -1)];
    before = [];
    held = chunks.slice(-1);
    return taken;
  };
  return {
    steps: () => source.steps(),
    take: () => take(source.take()),
    end: () => {
      const taken = take(source.end());
      const last = held.map((chunk) => chunk.subarray(0, chunk.length - cutBytes));
      return [...(taken.length > 0 ? taken : before), ...last, tail];
    },
  };
}

/** Adds an encoding in chunks to a body. */
export function* addChunks(chunks: EncodedChunks, writer: ByteChunkWriter): BodySteps {
  for (const chunk of chunks) {
    if (chunk !== undefined) writer.text(chunk);
    if (chunk === undefined || writer.isFull) yield;
  }
}

/**
 * Makes the chunks of a body as they are taken, each in a slice of the work: the system takes megabytes at a time, and
 * many clients ask for their next chunks in one turn. What the steps throw ends it.
 */
export async function* chunksOf(
  work: Work,
  source: BodySource,
  steps = source.steps(),
): AsyncGenerator<Uint8Array, void, void> {
  const next = (): IteratorResult<void, void> => steps.next();
  try {
    for (;;) {
      const isDone = work.measure(next).done === true;
      const chunks = isDone ? source.end() : source.take();
      yield* chunks;
      if (isDone) return;
      await work.next('encode');
    }
  } finally {
    // Lets the steps release what they hold.
    steps.return();
  }
}

/** The parts on which the body of a response depends. */
export interface LongBodyParts {
  readonly work: Work;
  readonly clock: Clock;
  /** Time at which a stream ends although the client has not taken all of it, in milliseconds since the epoch. */
  readonly deadlineMs: number | undefined;
  /** Memory that the body refers to until its end besides its chunks, in bytes. */
  readonly heldBytes: number;
  /** Length of the body in bytes, where it is known. */
  readonly length?: number | undefined;
  /** Keeps the compressed forms of its chunks. */
  readonly compressed?: CompressedChunks | undefined;
  /** Length of the texts of the store that a stream refers to until its end, in characters. Default 0. */
  readonly storedLength?: number | undefined;
  /**
   * Called before a stream begins. What it throws is the answer in its place.
   *
   * @returns the length of the texts of the store that the stream refers to, in characters
   */
  readonly beforeStream?: (() => number | Promise<number>) | undefined;
}

/** Units of work to make a chunk, besides those that are counted: a look at the time. */
const CHUNK_UNITS = 512;

/**
 * Returns the body of a source: whole if it is short, otherwise as a stream.
 *
 * @throws ApiError 429 when there is no memory for it; what the source and `beforeStream` throw before a stream begins
 */
export async function longBody(source: BodySource, parts: LongBodyParts): Promise<ResponseBody> {
  const { work } = parts;
  const made: Uint8Array[] = [];
  const steps = source.steps();
  try {
    const isWhole = await inSlices(work, firstChunks(source, steps, made, work), 'encode');
    if (isWhole) return wholeBody(made, parts);
    const chunks = chunksOf(work, source, steps);
    const next = (): Promise<IteratorResult<Uint8Array, void>> => chunks.next();
    const end = async (): Promise<void> => {
      await chunks.return();
      // A generator that has not begun does not end its steps.
      steps.return();
    };
    return await streamedBody(made, { next, return: end }, parts);
  } catch (error) {
    // Lets the steps release what they hold.
    steps.return();
    throw error;
  }
}

/** Makes the chunks of a body while it is short. Returns whether they are all. */
function* firstChunks(source: BodySource, steps: BodySteps, made: Uint8Array[], work: Work): Steps<boolean> {
  let length = 0;
  work.reserve(CHUNK_BYTES);
  while (length < WHOLE_BYTES) {
    const isDone = steps.next().done === true;
    const chunks = isDone ? source.end() : source.take();
    for (const chunk of chunks) {
      work.reserve(CHUNK_BYTES);
      made.push(chunk);
      length += chunk.length;
    }
    if (isDone) return true;
    if (chunks.length === 0 || work.spend(CHUNK_UNITS)) yield;
  }
  return false;
}

/** Does what {@link longBody} does with chunks that come asynchronously, such as those of a compression. */
export async function longBodyOf(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  parts: LongBodyParts,
): Promise<ResponseBody> {
  const made: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < WHOLE_BYTES) {
      parts.work.reserve(CHUNK_BYTES);
      const next = await chunks.next();
      if (next.done === true) return wholeBody(made, parts);
      made.push(next.value);
      length += next.value.length;
    }
    return await streamedBody(made, chunks, parts);
  } catch (error) {
    await chunks.return();
    throw error;
  }
}

function wholeBody(made: readonly Uint8Array[], { compressed }: LongBodyParts): ResponseBody {
  let length = 0;
  for (const chunk of made) length += chunk.length;
  return length < CHUNK_BYTES ? joinedChunks(made) : { chunks: made, compressed };
}

/** Makes the chunks of a stream. */
interface Chunks {
  next(): Promise<IteratorResult<Uint8Array, void>>;
  return(): Promise<unknown>;
}

/** @param made the first chunks @param chunks makes the others */
async function streamedBody(made: Uint8Array[], chunks: Chunks, parts: LongBodyParts): Promise<StreamBody> {
  const { work, beforeStream, heldBytes } = parts;
  work.reserve(heldBytes);
  const storedLength = beforeStream === undefined ? parts.storedLength : await beforeStream();
  return new BodyStream(made, chunks, { ...parts, storedLength }).body;
}

/** A body that is streamed. */
class BodyStream {
  readonly #made: Uint8Array[];
  #chunks: Chunks | undefined;
  readonly #timer: Timer | undefined;
  /** Closes the connection of a client that takes nothing. */
  #drop: (() => void) | undefined;
  #isLate = false;
  readonly #parts: LongBodyParts;

  /** @param made the first chunks @param chunks makes the others */
  constructor(made: Uint8Array[], chunks: Chunks, parts: LongBodyParts) {
    this.#made = made;
    this.#chunks = chunks;
    this.#parts = parts;
    const { clock, deadlineMs } = parts;
    if (deadlineMs === undefined) return;
    this.#timer = clock.after(Math.max(0, deadlineMs - clock.now()), () => this.#expire());
    this.#timer.unref?.();
  }

  get body(): StreamBody {
    const { heldBytes, length, compressed, storedLength } = this.#parts;
    const stream: AsyncIterableIterator<Uint8Array> = {
      next: () => this.#next(),
      return: async () => {
        await this.#end();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => stream,
    };
    return {
      stream,
      blocked: (_bytes, drop) => this.#blocked(drop),
      ...{ length, compressed, storedLength },
      heldBytes: WHOLE_BYTES + heldBytes,
    };
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const made = this.#made.shift();
    if (made !== undefined) return { done: false, value: made };
    try {
      const next = await this.#chunks?.next();
      if (next !== undefined && next.done !== true) return next;
    } catch (error) {
      await this.#end();
      throw error;
    }
    if (this.#isLate) throw errors.timeout('request did not complete within the allotted timeout');
    await this.#end();
    return { done: true, value: undefined };
  }

  #blocked(drop: () => void): () => void {
    if (this.#isLate) drop();
    this.#drop = drop;
    return () => (this.#drop = undefined);
  }

  #expire(): void {
    this.#isLate = true;
    void this.#end().catch(() => undefined);
    this.#drop?.();
  }

  async #end(): Promise<void> {
    this.#timer?.cancel();
    this.#made.length = 0;
    const chunks = this.#chunks;
    this.#chunks = undefined;
    await chunks?.return();
  }
}
