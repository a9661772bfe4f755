import { vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';

/**
 * Counts the turns of the event loop in which other work runs while this work does. For the work under test a
 * millisecond passes with each look at the time, so the count does not depend on the machine.
 */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let nowMs = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  let turns = 0;
  let working = true;
  const count = (): void => {
    if (!working) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    working = false;
    now.mockRestore();
    // The current turn began at a time that is still to come.
    await nextTurn();
  }
  return turns;
}
