import { encodeUtf8, jsonText, onAbort } from '../../foundation/index.js';
import type { ApiResponse, RequestScope, StreamBody } from '../../server/index.js';
import type { PageParts } from './page-parts.js';

/** The most lines that wait for a client, and the most characters; later lines are counted and left out. */
const MOST_WAITING = 1000;
const MOST_CHARACTERS = 32 * 1024;

/** How long a stream lasts, in milliseconds: with the next one, the user is authenticated and authorized again. */
const LONGEST_MS = 30 * 60_000;

/** The end of a stream of lines. */
interface LineSink {
  /** Sends a value as a line of JSON. */
  readonly send: (value: object) => void;
}

/** The parts of its request and its server that a stream of lines uses. */
interface LineStreamCall {
  readonly scope: Pick<RequestScope, 'signal'>;
  readonly parts: Pick<PageParts, 'clock' | 'ended' | 'openRecordings'>;
}

/**
 * Returns an answer of lines of JSON that goes on until the client or the server ends it, or half an hour has passed. A client that is too slow is
 * told how many lines it has missed: `{"missed":12}`.
 *
 * @param follow sends the lines, and returns the function that ends this
 */
export function lineStream(
  { scope, parts }: LineStreamCall,
  follow: (sink: LineSink) => () => void,
): ApiResponse & { readonly body: StreamBody } {
  const waiting: string[] = [];
  let characters = 0;
  let missed = 0;
  let isOver = false;
  let wake = (): void => undefined;
  // When memory is short, the client misses what waits for it.
  const account = parts.openRecordings(() => {
    missed += waiting.length;
    dropped();
  });
  const dropped = (): void => {
    waiting.length = 0;
    account.hold(-characters);
    characters = 0;
  };
  const send = (value: object): void => {
    if (isOver) return;
    if (waiting.length >= MOST_WAITING || characters >= MOST_CHARACTERS) missed += 1;
    else {
      const line = jsonText(value);
      characters += line.length;
      waiting.push(line);
      account.hold(line.length);
    }
    wake();
  };
  const unfollow = follow({ send });
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    unfollow();
    account.close();
    timer.cancel();
    for (const stop of stops) stop();
    wake();
  };
  const timer = parts.clock.after(LONGEST_MS, end);
  const stops = [scope.signal, parts.ended].map((signal) => onAbort(signal, () => end()));
  if (scope.signal.aborted || parts.ended.aborted) end();
  const take = (): Uint8Array => {
    const lines = [...waiting];
    dropped();
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
