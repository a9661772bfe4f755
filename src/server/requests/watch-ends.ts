import { delay, type Clock } from '../../foundation/index.js';

/** Time between two groups of watches that end, in milliseconds. */
const STEP_MS = 50;

/** A watch that can be ended after the events so far. */
interface EndableWatch {
  close(): void;
}

/**
 * Ends watches evenly over a time, so that their clients do not all resume at the same moment.
 *
 * @param watches the current watches; they may end by themselves meanwhile
 * @param overMs the time in milliseconds
 */
export async function endEvenly(clock: Clock, watches: readonly EndableWatch[], overMs: number): Promise<void> {
  const startMs = clock.now();
  for (let ended = 0; ended < watches.length;) {
    const due = Math.ceil((watches.length * (clock.now() - startMs + STEP_MS)) / (overMs + STEP_MS));
    for (; ended < Math.min(due, watches.length); ended += 1) watches[ended]?.close();
    if (ended < watches.length) await delay(clock, STEP_MS);
  }
}
