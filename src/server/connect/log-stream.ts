/**
 * The stream of a log: the parts that a handler returns, reduced by the options of the client.
 *
 * @module
 */
import { encodeUtf8, parseTime, shown } from '../../foundation/index.js';
import { endingOnAbort } from './ending-on-abort.js';
import type { LogLine, LogSource, PodLogOptions } from './handlers.js';

type Part = string | Uint8Array | LogLine;

/** The reader of a log. */
export interface LogReader {
  /** Current time, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Aborts when the client disconnects or the server closes. */
  readonly signal: AbortSignal;
}

const LINE_FEED = 0x0a;

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

/** Returns the last lines of a text. A line break at the end begins no line. */
export function lastLines(text: Uint8Array, count: number): Uint8Array {
  if (count === 0) return new Uint8Array();
  let missing = count;
  for (let at = text.length - 2; at >= 0; at -= 1) {
    if (text[at] !== LINE_FEED) continue;
    missing -= 1;
    if (missing === 0) return text.subarray(at + 1);
  }
  return text;
}

/** Keeps the last lines of a stream that ends. It never holds much more than those lines. */
async function* tail(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let kept = new Uint8Array();
  for await (const chunk of source) {
    const joined = new Uint8Array(kept.length + chunk.length);
    joined.set(kept);
    joined.set(chunk, kept.length);
    // One line more, because the last one may be incomplete.
    kept = new Uint8Array(lastLines(joined, count + 1));
  }
  const last = lastLines(kept, count);
  if (last.length > 0) yield last;
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

/**
 * Returns the bytes of a log.
 *
 * The number of lines counts only for a log that is not followed: a handler that follows knows where its log stands.
 *
 * @throws TypeError when the handler returned no log
 */
export function logStream(source: LogSource, options: Applied, reader: LogReader): AsyncIterable<Uint8Array> {
  if (!isLog(source))
    throw new TypeError(`the handler pods.log must return a string or an iterable, got ${shown(source)}`);
  let stream: AsyncIterable<Uint8Array> = selected(source, options, reader);
  if (options.tailLines !== undefined && !options.follow) stream = tail(stream, options.tailLines);
  return options.limitBytes === undefined ? stream : limited(stream, options.limitBytes);
}
