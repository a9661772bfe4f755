import {
  aDuration,
  checkArgument,
  durationMs,
  formatTime,
  messageOf,
  shown,
  type Duration,
} from '../../foundation/index.js';
import type { TestCore } from '../server/core.js';

/**
 * The condition that a test waits for: a function that returns true, or one of assertions, which returns nothing and
 * throws until they hold. It may be asynchronous, but must not wait for time to pass.
 */
export type RunCondition = () => boolean | void | Promise<boolean | void>;

/** Options of `runUntil`. */
export interface RunUntilOptions {
  /** Maximum time on the clock: milliseconds, or a string such as `90s`. Default one hour. */
  readonly atMost?: Duration | undefined;
}

const DEFAULT_MOST = '1h';

/** Number of pending timers that a failure shows. */
const SHOWN_TIMERS = 5;

/** Result of a call of the condition: undefined when it holds, or why it does not. */
interface Unmet {
  readonly reason: string;
  readonly cause?: unknown;
}

/** Advances the time from timer to timer until a condition holds; see `TestTime.runUntil`. */
export async function runUntil(core: TestCore, condition: RunCondition, options: RunUntilOptions = {}): Promise<void> {
  const { atMost = DEFAULT_MOST } = options;
  checkArguments(condition, atMost);
  const { clock } = core;
  const startMs = clock.now();
  const endMs = startMs + durationMs(atMost);
  await core.settled();
  for (;;) {
    const unmet = await evaluated(condition);
    if (unmet === undefined) return;
    if (clock.now() >= endMs) throw failure(core, unmet, startMs);
    await clock.advanceToNext(endMs - clock.now());
    await core.settled();
  }
}

function checkArguments(condition: unknown, atMost: unknown): void {
  if (typeof condition !== 'function')
    throw new TypeError(
      `runUntil: the first argument must be a function that returns true or asserts, got ${shown(condition)}`,
    );
  checkArgument('runUntil', 'atMost', atMost, aDuration);
}

async function evaluated(condition: () => unknown): Promise<Unmet | undefined> {
  let answer: unknown;
  try {
    answer = await condition();
  } catch (cause) {
    return { reason: messageOf(cause), cause };
  }
  // Assertions of some libraries return an object.
  if (answer === true || answer === undefined || (typeof answer === 'object' && answer !== null)) return undefined;
  if (answer === false) return { reason: 'the condition returned false' };
  throw new TypeError(
    `runUntil: the condition must return true or false, or nothing and throw until it holds, got ${shown(answer)}`,
  );
}

function failure(core: TestCore, { reason, cause }: Unmet, startMs: number): Error {
  const { clock, server } = core;
  const nowMs = clock.now();
  const { due } = clock;
  const times = due.slice(0, SHOWN_TIMERS).map((at) => `in ${seconds(at - nowMs)}`);
  const more = due.length > SHOWN_TIMERS ? ` and ${due.length - SHOWN_TIMERS} more` : '';
  const busy = server
    .busyControllers()
    .map(({ name, delayed }) => (delayed === 0 ? name : `${name} (${delayed} waiting for time)`));
  return new Error(
    [
      `runUntil: the condition does not hold after ${seconds(nowMs - startMs)}, at ${formatTime(nowMs)}`,
      `last seen: ${reason}`,
      `pending timers: ${due.length === 0 ? 'none' : `${times.join(', ')}${more}`}`,
      `controllers with work: ${busy.length === 0 ? 'none' : busy.join(', ')}`,
    ].join('\n'),
    { cause },
  );
}

const seconds = (ms: number): string => `${ms / 1000}s`;
