/** The parts of the simulation that decide what happens when, and what is left of a failing plan. */
import './host.js';
import { describe, expect, test } from 'vitest';
import { nextTurn, shareTurn } from '../../src/foundation/async/turn.js';
import { planOf, type Plan } from './plan.js';
import { Scheduler } from './scheduler.js';
import { shrink } from './shrink.js';
import { firstDifference, Trace } from './trace.js';

/** Runs a story in a world. @returns what it noted */
async function notes(seed: number, story: (scheduler: Scheduler, note: (what: string) => void) => Promise<unknown>) {
  const scheduler = new Scheduler(seed, 0, new Trace(true));
  const noted: string[] = [];
  await scheduler.run(() => story(scheduler, (what) => noted.push(what)));
  return noted;
}

describe('a world', () => {
  test('jumps to the next timer, and cancelled ones never fire', async () => {
    const noted = await notes(1, async (scheduler, note) => {
      const clock = scheduler.clock('a', 500);
      clock.after(1, () => note('cancelled')).cancel();
      await scheduler.pause(3_600_000, 'b');
      note(String(clock.now()));
    });
    expect(noted).toEqual(['3600500']);
  });

  test('chooses among the tasks of one instant by its seed', async () => {
    const orders = new Set<string>();
    const race = async (seed: number): Promise<string> => {
      const noted = await notes(seed, (scheduler, note) =>
        Promise.all(['a', 'b', 'c'].map((label) => scheduler.pause(5, label).then(() => note(label)))),
      );
      return noted.join('');
    };
    for (let seed = 0; seed < 100; seed += 1) orders.add(await race(seed));
    expect(orders.size).toBe(6);
    expect(await race(5)).toBe(await race(5));
  });

  test('owns the turns of the source, and keeps their order', async () => {
    const noted = await notes(2, async (scheduler, note) => {
      const turns = [1, 2, 3].map((number) => nextTurn().then(() => note(`turn ${number}`)));
      await Promise.all(turns);
      note(String(scheduler.trace.lines?.filter((line) => line.endsWith('turn')).length));
    });
    expect(noted).toEqual(['turn 1', 'turn 2', 'turn 3', '3']);
  });

  test('runs the promises that follow from a task before the next one', async () => {
    const noted = await notes(3, async (scheduler, note) => {
      scheduler.after(1, 'first', () => {
        let chain = Promise.resolve();
        for (let step = 0; step < 100; step += 1) chain = chain.then(() => undefined);
        void chain.then(() => note('promises'));
      });
      scheduler.after(2, 'second', () => note('second'));
      await scheduler.pause(3, 'third');
    });
    expect(noted).toEqual(['promises', 'second']);
  });

  test('measures work by the number of looks, in steps that the seed chooses', async () => {
    const slices = async (seed: number): Promise<number> => {
      let steps = 0;
      await notes(seed, async () => {
        while (shareTurn() === undefined && steps < 10_000) steps += 1;
        await nextTurn();
      });
      return steps;
    };
    const lengths = new Set<number>();
    for (let seed = 0; seed < 40; seed += 1) lengths.add(await slices(seed));
    expect(lengths.size).toBe(4);
  });

  test('refuses time and chance of the host', async () => {
    await expect(notes(4, () => Promise.resolve(Math.random()))).rejects.toThrow('the injected entropy');
    await expect(notes(4, () => Promise.resolve(Date.now()))).rejects.toThrow('the injected clock');
    expect(Math.random()).toBeLessThan(1);
  });

  test('fails when nothing can happen any more, or too much does', async () => {
    await expect(notes(5, () => new Promise(() => undefined))).rejects.toThrow('waits for something');
    const endless = async (): Promise<void> => {
      for (;;) await nextTurn();
    };
    await expect(notes(6, endless)).rejects.toThrow('the world does not end');
  });
});

describe('a failing plan', () => {
  const whole = planOf(1);

  test('is the same for the same seed', () => {
    expect(planOf(1)).toEqual(whole);
    expect(planOf(2)).not.toEqual(whole);
  });

  test('is made smaller as long as it fails', async () => {
    const [step, other] = [whole.steps[3], whole.steps[20]];
    const fails = (plan: Plan): Promise<boolean> =>
      Promise.resolve(plan.steps.includes(step as never) && plan.steps.includes(other as never));
    expect(await shrink(whole, fails, 300)).toEqual({ ...whole, steps: [step, other], faults: [] });
  });

  test('is run a bounded number of times', async () => {
    let attempts = 0;
    const never = (): Promise<boolean> => Promise.resolve((attempts += 1) < 0);
    expect(await shrink(whole, never, 7)).toEqual(whole);
    expect(attempts).toBe(7);
  });
});

test('the first difference of two traces is shown with what preceded it', () => {
  expect(firstDifference(['a', 'b', 'c'], ['a', 'b', 'c'])).toBeUndefined();
  expect(firstDifference(['a', 'b', 'c'], ['a', 'x', 'c'])).toBe('   a\n1: b\n2: x');
  expect(firstDifference(['a'], ['a', 'b'])).toBe('   a\n1: the end\n2: b');
});
