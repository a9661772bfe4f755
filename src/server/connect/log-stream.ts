/**
 * The stream of a log: the parts that a handler returns, reduced by the options of the client.
 *
 * @module
 */
import { encodeUtf8, parseTime, shareTurn, shown, type RoomMemory } from '../../foundation/index.js';
import { endingOnAbort } from './ending-on-abort.js';
import type { LogLine, LogSource, PodLogOptions } from './handlers.js';
import { LastLines } from './last-lines.js';

type Part = string | Uint8Array | LogLine;

/** The reader of a log. */
export interface LogReader {
  /** Current time, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
  /** The memory of the last lines; undefined for a client in the process. */
  readonly memory: RoomMemory | undefined;
}

/** Size of the pieces in which lines are counted, in bytes. */
const PIECE_BYTES = 256 * 1024;

/** The options that the server itself applies. */
type Applied = Pick<PodLogOptions, 'follow' | 'timestamps' | 'sinceSeconds' | 'sinceTime' | 'tailLines' | 'limitBytes'>;

/** Returns the time of a line in milliseconds since the epoch; undefined for a text that is not a time. */
const timeOf = ({ time }: LogLine): number | undefined => (typeof time === 'number' ? time : parseTime(time));

/** Formats a time as logs do: RFC 3339 with nanoseconds. */
const nanoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000000Z`;

/** Returns the first time that the client wants, in milliseconds since the epoch. */
function startOf({ sinceSeconds, sinceTime }: Applied, nowMs: number): number | undefined {
  if (sinceSeconds !== undefined) return nowMs - sinceSeconds * 1000;
  return sinceTime === undefined ? undefined : parseTime(sinceTime);
}

/** Returns the parts of a log. The source is the handler's: it is not awaited any longer once the signal aborts. */
function partsOf(source: LogSource, signal: AbortSignal): Iterable<Part> | AsyncIterable<Part> {
  if (typeof source === 'string' || source instanceof Uint8Array) return [source];
  return Symbol.asyncIterator in source ? endingOnAbort(source, signal) : source;
}

/** Yields the bytes of the parts that the client wants. Lines have times; other parts are passed on. */
async function* selected(
  source: LogSource,
  options: Applied,
  { nowMs, signal }: LogReader,
): AsyncGenerator<Uint8Array> {
  const start = startOf(options, nowMs);
  for await (const part of partsOf(source, signal)) {
    // The source may have all parts at once, and the client may want none of them.
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    if (signal.aborted) return;
    if (typeof part === 'string') yield encodeUtf8(part);
    else if (part instanceof Uint8Array) yield part;
    else {
      const time = timeOf(part);
      if (start !== undefined && time !== undefined && time < start) continue;
      const prefix = options.timestamps && time !== undefined ? `${nanoTime(time)} ` : '';
      yield encodeUtf8(`${prefix}${part.text}\n`);
    }
  }
}

/** Reads a stream to its end, and keeps its last lines. @throws ApiError 429 when they do not fit into the memory */
async function tail(
  source: AsyncIterable<Uint8Array>,
  count: number,
  memory: RoomMemory | undefined,
): Promise<OpenLog> {
  const last = new LastLines(count, memory);
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      last.take(chunk.subarray(at, at + PIECE_BYTES));
    }
  }
  return { chunks: chunksOf(last.lines()), heldBytes: last.heldBytes };
}

async function* chunksOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield* chunks;
}

/** Returns whether a value that a handler returned is a log. */
const isLog = (value: unknown): value is LogSource =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value));

async function* limited(source: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of source) {
    yield chunk.length <= left ? chunk : chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** A log that is open. */
export interface OpenLog {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Memory that the chunks take until they are read, in bytes. */
  readonly heldBytes: number;
}

/**
 * Returns the bytes of a log. The last lines of a log that is not followed are read before: so their number counts only
 * for such a log; a handler that follows knows where its log stands.
 *
 * @throws TypeError when the handler returned no log; ApiError 429 when the last lines do not fit into the memory
 */
export async function logStream(source: LogSource, options: Applied, reader: LogReader): Promise<OpenLog> {
  if (!isLog(source))
    throw new TypeError(`the handler pods.log must return a string or an iterable, got ${shown(source)}`);
  const { follow, tailLines, limitBytes } = options;
  const stream = selected(source, options, reader);
  const open =
    tailLines === undefined || follow ? { chunks: stream, heldBytes: 0 } : await tail(stream, tailLines, reader.memory);
  return limitBytes === undefined ? open : { ...open, chunks: limited(open.chunks, limitBytes) };
}
