import { onAbort } from '../../../foundation/index.js';
import { ApiFailure, codeOf, isAborted, wordsOf } from './api.js';
import type { PageClock } from './clock.js';
import type { Loss } from './loss.js';
import type { Sight } from './sight.js';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;
/** Says why a page that has just been turned to is not live yet. */
const GIVEN_UP = 'nobody saw this tab';

/** Failures of the client that pass: nobody is signed in until somebody signs in again, a timeout, and too many requests. */
const PASSING = new Set([401, 408, 429]);

/** Whether a request that has failed would fail again: the server has refused it. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && code >= 400 && code < 500 && !PASSING.has(code);
}

/** Returns the pause after a number of failures in a row, in milliseconds. */
const pauseAfter = (failures: number): number =>
  failures === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));

/** The circumstances of something that is done again and again. */
export interface Persistence {
  readonly clock: PageClock;
  readonly sight: Sight;
  readonly signal: AbortSignal;
  /** Called with each failure, after which it is tried again; with undefined when it works again. */
  readonly lost: (loss: Loss | undefined) => void;
}

/**
 * Does something that is to last, such as following a stream, again whenever it ends, until the signal aborts. It is given up
 * while the page is away, and done again once somebody sees it.
 *
 * @param attempt calls `works` once it has reached the server; returns `done` when it is not to be done again; its signal
 *   aborts when it is to end
 * @throws what the attempt throws when the server has refused it
 */
export async function persist(
  attempt: (works: () => void, signal: AbortSignal) => Promise<'done' | 'ended'>,
  { clock, sight, signal, lost }: Persistence,
): Promise<void> {
  let failures = 0;
  let since: number | undefined;
  const works = (): void => {
    failures = 0;
    since = undefined;
    lost(undefined);
  };
  const failed = (words: string, nextAt?: number): void => lost({ words, since: (since ??= clock.now()), nextAt });
  while (!signal.aborted) {
    let askedMs = 0;
    let words: string | undefined;
    try {
      const outcome = await sight.whileNotAway(signal, (ending) => attempt(works, ending));
      if (outcome === 'done') return;
      if (outcome === undefined) {
        // What it has told grows old, until it has reached the server again.
        failed(GIVEN_UP);
        await sight.untilSeen(signal);
        continue;
      }
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      if (isRefusal(error)) throw error;
      words = wordsOf(error);
      if (error instanceof ApiFailure) askedMs = error.retryAfterMs;
    }
    // A stream that ends at once would otherwise be opened again without a pause.
    failures += 1;
    const pauseMs = Math.max(pauseAfter(failures), askedMs);
    if (words !== undefined) failed(words, clock.now() + pauseMs);
    await pause(pauseMs, clock, signal);
  }
}

/** Does something again and again, with a pause after each time, while somebody sees the page. */
export async function repeatWhileSeen(
  pauseMs: number,
  action: () => unknown,
  { clock, sight, signal }: Omit<Persistence, 'lost'>,
): Promise<void> {
  while (!signal.aborted) {
    await action();
    await pause(pauseMs, clock, signal);
    await sight.untilSeen(signal);
  }
}

/** Waits, at most until the signal aborts. */
export function pause(ms: number, clock: PageClock, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const ended = (): void => {
      stopListening();
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, ended);
    // A listener of each pause would stay for as long as the view is open.
    const stopListening = onAbort(signal, ended);
  });
}
