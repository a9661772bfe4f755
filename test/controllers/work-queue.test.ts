import { nextTurn } from '../../src/foundation/async/turn.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { WorkQueue, type WorkQueueOptions } from '../../src/entries/controllers.js';
import { ManualClock } from '../storage/manual-clock.js';

function makeQueue(
  process: (key: string, signal: AbortSignal) => Promise<void | 'retry'>,
  options: Partial<WorkQueueOptions<string>> = {},
) {
  const clock = new ManualClock();
  const queue = new WorkQueue<string>({ clock, process, ...options });
  return { clock, queue };
}

/** A task that ends when the test says so. */
function gated() {
  const runs: { key: string; end: () => void }[] = [];
  return { runs, process: (key: string) => new Promise<void>((resolve) => runs.push({ key, end: resolve })) };
}

/** Lets everything run that needs no other turn of the event loop. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

/** Lets the queue take its steps, which may need another turn each. */
const turnsOfLoop = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
};

// The work of the previous test only counts against the share of its own turn of the event loop.
beforeEach(() => new Promise((resolve) => setImmediate(resolve)));

describe('a work queue', () => {
  test('does nothing before it is started, then works in order and once for each key', async () => {
    const done: string[] = [];
    const { queue } = makeQueue(async (key) => void done.push(key));
    expect([queue.add('a'), queue.add('b'), queue.add('a')]).toEqual([true, true, false]);
    await turnsOfLoop();
    expect(done).toEqual([]);
    queue.start();
    await queue.whenIdle();
    expect(done).toEqual(['a', 'b']);
    expect(queue.processed).toBe(2);
  });

  test('processes a key again that is added during its processing, and never twice at a time', async () => {
    const { runs, process } = gated();
    const { queue } = makeQueue(process, { concurrency: 4 });
    queue.start();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(runs).toHaveLength(1);
    runs[0]?.end();
    await turnsOfLoop();
    expect(runs).toHaveLength(2);
    expect(queue.idle).toBe(false);
    runs[1]?.end();
    await queue.whenIdle();
    expect(runs).toHaveLength(2);
  });

  test('that gathers processes a key once for all additions of a turn', async () => {
    const done: string[] = [];
    const { queue } = makeQueue(async (key) => void done.push(key), { gathers: true });
    queue.start();
    for (let round = 0; round < 3; round += 1) {
      queue.add('a');
      queue.add('b');
      await turns();
    }
    expect(done).toEqual([]);
    expect(queue.idle).toBe(false);
    await queue.whenIdle();
    expect(done).toEqual(['a', 'b']);
    queue.add('a');
    await queue.stop();
    expect(done).toEqual(['a', 'b']);
  });

  test.each([1, 3])('processes at most %i keys at a time', async (concurrency) => {
    const { runs, process } = gated();
    const { queue } = makeQueue(process, { concurrency });
    queue.start();
    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
    expect(runs).toHaveLength(concurrency);
    for (let index = 0; index < 5; index += 1) {
      runs[index]?.end();
      await turnsOfLoop();
      expect(runs).toHaveLength(Math.min(5, concurrency + index + 1));
    }
    await queue.whenIdle();
  });

  test('pauses longer after each failure, up to the limit, and starts over after a success', async () => {
    let failing = true;
    const times: number[] = [];
    const { clock, queue } = makeQueue(
      async () => {
        times.push(clock.now());
        if (failing) throw new Error('no');
      },
      { baseDelay: 10, maxDelay: 50 },
    );
    const begin = clock.now();
    queue.start();
    queue.add('a');
    for (let step = 0; step < 40; step += 1) {
      await turnsOfLoop();
      clock.advance(5);
    }
    expect(times.map((at) => at - begin)).toEqual([0, 10, 30, 70, 120, 170]);
    failing = false;
    clock.advance(50);
    await queue.whenIdle();
    expect(queue.delayed).toBe(0);
    failing = true;
    times.length = 0;
    queue.add('a');
    await turnsOfLoop();
    clock.advance(10);
    await turnsOfLoop();
    expect(times).toHaveLength(2);
  });

  test('gives up a key after its retries, until it is added again', async () => {
    const reported: boolean[] = [];
    const { clock, queue } = makeQueue(() => Promise.reject(new Error('no')), {
      maxRetries: 2,
      onError: (_key, _error, willRetry) => reported.push(willRetry),
    });
    queue.start();
    queue.add('a');
    for (let step = 0; step < 5; step += 1) {
      await turnsOfLoop();
      clock.advance(1000);
    }
    expect(reported).toEqual([true, true, false]);
    queue.add('a');
    await turnsOfLoop();
    expect(reported).toEqual([true, true, false, true]);
  });

  test('"retry" pauses without counting as a failure', async () => {
    let runs = 0;
    const { clock, queue } = makeQueue(async () => ((runs += 1) < 3 ? 'retry' : undefined), {
      onError: () => expect.unreachable(),
    });
    queue.start();
    queue.add('a');
    await turnsOfLoop();
    expect(queue.idle).toBe(true);
    clock.advance(5);
    await turnsOfLoop();
    clock.advance(10);
    await turnsOfLoop();
    expect(runs).toBe(3);
    expect(queue.delayed).toBe(0);
  });

  test('uses the earliest of several times, and processing cancels it', async () => {
    const times: number[] = [];
    const { clock, queue } = makeQueue(async () => void times.push(clock.now()));
    const begin = clock.now();
    queue.start();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 80);
    clock.advance(200);
    await turnsOfLoop();
    expect(times.map((at) => at - begin)).toHaveLength(1);
    queue.addAfter('a', 100);
    queue.addAfter('a', 0);
    await queue.whenIdle();
    clock.advance(200);
    await turnsOfLoop();
    expect(times).toHaveLength(2);
  });

  test('stop cancels timers, signals running tasks, and waits for them', async () => {
    let aborted = false;
    const { clock, queue } = makeQueue(
      (_key, signal) => new Promise((resolve) => signal.addEventListener('abort', () => ((aborted = true), resolve()))),
    );
    queue.start();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    await queue.stop();
    expect(aborted).toBe(true);
    expect(clock.pending).toBe(0);
    expect(queue.processed).toBe(1);
    expect(queue.add('d')).toBe(false);
    expect(queue.idle).toBe(true);
  });

  test('long work lets the event loop turn, and a stop in between starts no further task', async () => {
    const done: string[] = [];
    const { queue } = makeQueue(async (key) => {
      for (const began = performance.now(); performance.now() - began < 1;);
      done.push(key);
    });
    for (let index = 0; index < 200; index += 1) queue.add(String(index));
    queue.start();
    await new Promise((resolve) => setImmediate(resolve));
    expect(done.length).toBeLessThan(100);
    await queue.stop();
    const before = done.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toHaveLength(before);
  });

  test('the cost of a long queue is proportional to its length', async () => {
    let last = 0;
    const { queue } = makeQueue(async (key) => void (last = Number(key)));
    for (let index = 0; index < 100_000; index += 1) queue.add(String(index));
    queue.start();
    await queue.whenIdle();
    expect(last).toBe(99_999);
  });
});

/** A meter that notes its calls. */
function noted() {
  const calls: string[] = [];
  return {
    calls,
    meter: {
      added: () => void calls.push('added'),
      started: (waitedMs: number) => void calls.push(`started after ${waitedMs}`),
      finished: (tookMs: number) => void calls.push(`finished in ${tookMs}`),
      retried: () => void calls.push('retried'),
    },
  };
}

describe('a measured work queue', () => {
  test('reports what waits, runs and is retried, each key once', async () => {
    const { runs, process } = gated();
    const { clock, queue } = makeQueue(process);
    const { calls, meter } = noted();
    queue.add('early');
    queue.measure(meter);
    queue.add('early');
    clock.advance(30);
    queue.start();
    await turnsOfLoop();
    expect(calls).toEqual(['added', 'started after 30']);
    expect([...queue.runningSince]).toEqual([clock.now()]);
    clock.advance(20);
    queue.add('early');
    queue.add('early');
    clock.advance(5);
    runs[0]?.end();
    await turnsOfLoop();
    expect(calls.slice(2)).toEqual(['added', 'finished in 25', 'started after 5']);
    runs[1]?.end();
    await queue.whenIdle();
    expect(calls.slice(5)).toEqual(['finished in 0']);
    expect([...queue.runningSince]).toEqual([]);
  });

  test('reports a failure as finished, and the retry after it', async () => {
    const { clock, queue } = makeQueue(() => Promise.reject(new Error('no')), { maxRetries: 1, onError: () => {} });
    const { calls, meter } = noted();
    queue.measure(meter);
    queue.start();
    queue.add('a');
    await queue.whenIdle();
    clock.advance(5);
    await queue.whenIdle();
    expect(calls).toEqual([
      ...['added', 'started after 0', 'retried', 'finished in 0'],
      ...['added', 'started after 0', 'finished in 0'],
    ]);
  });
});

describe('a work queue that prefers changes', () => {
  /** Returns the order in which the keys run that wait at the start. */
  async function orderOf(add: (queue: WorkQueue<string>) => void, prefersChanges = true): Promise<string[]> {
    const done: string[] = [];
    const { queue } = makeQueue(async (key) => void done.push(key), { prefersChanges });
    add(queue);
    queue.start();
    await queue.whenIdle();
    return done;
  }

  test('lets listed keys wait for changed ones, each lane in its order', async () => {
    const add = (queue: WorkQueue<string>): void => {
      for (const key of ['l1', 'l2']) queue.add(key, 'listed');
      for (const key of ['c1', 'c2']) queue.add(key);
    };
    expect(await orderOf(add)).toEqual(['c1', 'c2', 'l1', 'l2']);
    expect(await orderOf(add, false)).toEqual(['l1', 'l2', 'c1', 'c2']);
  });

  test('runs a listed key once that changes while it waits', async () => {
    const order = await orderOf((queue) => {
      queue.add('l1', 'listed');
      queue.add('l2', 'listed');
      queue.add('c1');
      expect(queue.add('l2')).toBe(false);
    });
    expect(order).toEqual(['c1', 'l2', 'l1']);
  });

  test('gives one run in ten to the key that has waited longest', async () => {
    const order = await orderOf((queue) => {
      for (const key of ['l1', 'l2', 'l3']) queue.add(key, 'listed');
      for (let index = 1; index <= 25; index += 1) queue.add(`c${index}`);
    });
    expect(['l1', 'l2', 'l3'].map((key) => order.indexOf(key))).toEqual([9, 19, 27]);
    expect(new Set(order).size).toBe(28);
  });
});

test('a queue spreads the retries of all its keys over time', async () => {
  const failed: string[] = [];
  const { clock, queue } = makeQueue(
    async (key) => {
      failed.push(key);
      return 'retry';
    },
    { baseDelay: '10ms', maxDelay: '10ms', retryLimit: { perSecond: 2, burst: 3 } },
  );
  queue.start();
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);
  await queue.whenIdle();
  const retried: number[] = [];
  for (const ms of [10, 489, 1, 500]) {
    failed.length = 0;
    clock.advance(ms);
    await turnsOfLoop();
    retried.push(failed.length);
    await queue.whenIdle();
  }
  // Three at once, then one each half second; the retries of the first three wait behind the others.
  expect(retried).toEqual([3, 0, 1, 1]);
});
