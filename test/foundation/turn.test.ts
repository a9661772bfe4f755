import { afterEach, describe, expect, test, vi } from 'vitest';
import { repeatInTurns, nextTurn, shareTurn } from '../../src/foundation/async/turn.js';
import { turnsDuring } from '../support/turns.js';

afterEach(() => void vi.restoreAllMocks());

/** Lets a millisecond pass with each look at the time. */
function slowly(): void {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
}

/** Number of steps until the turn is over. */
function stepsInTurn(): number {
  for (let steps = 0; ; steps += 1) if (shareTurn() !== undefined) return steps;
}

describe('a turn', () => {
  test('is over after its time, although its steps are few', async () => {
    slowly();
    await nextTurn();
    expect(stepsInTurn()).toBe(3);
  });

  test('has room for many steps that are short', async () => {
    vi.spyOn(performance, 'now').mockImplementation(() => 0);
    await nextTurn();
    for (let step = 0; step < 10_000; step += 1) expect(shareTurn()).toBeUndefined();
  });

  test('is shared again when it is over', async () => {
    slowly();
    await nextTurn();
    stepsInTurn();
    await shareTurn();
    expect(shareTurn()).toBeUndefined();
  });
});

describe('many jobs that wait for a turn', () => {
  test('do not all continue in the next one, and continue in the order in which they began to wait', async () => {
    let nowMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    await nextTurn();
    // The share of this turn is used up.
    void shareTurn();
    nowMs += 10;
    let turn = 0;
    const steps: { readonly turn: number; readonly job: number }[] = [];
    const work = async (job: number): Promise<void> => {
      for (let step = 0; step < 2; step += 1) {
        await shareTurn();
        steps.push({ turn, job });
        nowMs += 1;
      }
    };
    const jobs = Promise.all(Array.from({ length: 100 }, (_, job) => work(job)));
    let working = true;
    void jobs.then(() => (working = false));
    while (working) {
      await nextTurn();
      turn += 1;
    }
    // A step takes a millisecond: after three, the next job looks at the clock and leaves the turn to others.
    const inTurns = Array.from({ length: turn + 1 }, (_, at) => steps.filter((step) => step.turn === at).length);
    expect(Math.max(...inTurns)).toBe(3);
    const began = [...new Set(steps.map(({ job }) => job))];
    expect(began).toEqual(Array.from({ length: 100 }, (_, job) => job));
  });
});

describe('steps in turns', () => {
  const countdown = (count: number) => {
    const state = { left: count };
    return { state, step: () => (state.left -= 1) > 0 };
  };

  test('that are few are done at once', () => {
    const { state, step } = countdown(200);
    expect(repeatInTurns(step)).toBeUndefined();
    expect(state.left).toBe(0);
  });

  test('that are many leave room for other work, and are all done', async () => {
    const { state, step } = countdown(20_000);
    expect(await turnsDuring(() => repeatInTurns(step))).toBeGreaterThan(5);
    expect(state.left).toBe(0);
  });
});
