import { encodeUtf8, jsonText, onAbort } from '../../foundation/index.js';
import type { ApiResponse } from '../../server/index.js';
import type { PageCall } from './call.js';

/** The most lines that wait for a client; later ones are counted and left out. */
const MOST_WAITING = 1000;

/** How long a stream lasts, in milliseconds: with the next one, the user is authenticated and authorized again. */
const LONGEST_MS = 30 * 60_000;

/** The end of a stream of lines. */
interface LineSink {
  /** Sends a value as a line of JSON. */
  readonly send: (value: object) => void;
}

/**
 * Returns an answer of lines of JSON that goes on until the client or the server ends it, or half an hour has passed. A client that is too slow is
 * told how many lines it has missed: `{"missed":12}`.
 *
 * @param follow sends the lines, and returns the function that ends this
 */
export function lineStream({ scope, parts }: PageCall, follow: (sink: LineSink) => () => void): ApiResponse {
  const waiting: string[] = [];
  let missed = 0;
  let isOver = false;
  let wake = (): void => undefined;
  const send = (value: object): void => {
    if (waiting.length >= MOST_WAITING) missed += 1;
    else waiting.push(jsonText(value));
    wake();
  };
  const unfollow = follow({ send });
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    unfollow();
    timer.cancel();
    for (const stop of stops) stop();
    wake();
  };
  const timer = parts.clock.after(LONGEST_MS, end);
  const stops = [scope.signal, parts.ended].map((signal) => onAbort(signal, () => end()));
  if (scope.signal.aborted || parts.ended.aborted) end();
  const take = (): Uint8Array => {
    const lines = waiting.splice(0);
    if (missed > 0) lines.push(jsonText({ missed }));
    missed = 0;
    return encodeUtf8(lines.map((line) => `${line}\n`).join(''));
  };
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // The head of the answer is sent with its first bytes.
      yield encodeUtf8('\n');
      while (!isOver) {
        if (waiting.length > 0) yield take();
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      end();
    }
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json;stream=lines', 'cache-control': 'no-store' },
    body: { stream: chunks() },
  };
}
