import { expect } from 'vitest';

/** Prepares a request of a given size, and returns the function that sends it. */
export type Sized = (size: number) => Promise<() => Promise<unknown>>;

/** Growth of the cost at twice the size that still counts as proportional. */
const MOST = 2.6;
/** Costs below this are noise, in milliseconds. */
const FLOOR_MS = 12;
const ROUNDS = 8;
/** Sizes to try, each twice the previous one: superlinear growth shows at every size, noise does not. */
const SIZES = 3;

/** CPU time of a piece of work, in milliseconds. */
export async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Asserts that twice the size costs at most {@link MOST} times as much CPU time; the best of several rounds counts. */
export async function expectProportional(sized: Sized, size: number, sizes = SIZES): Promise<void> {
  const once = await sized(size);
  const twice = await sized(2 * size);
  let onceMs = Infinity;
  let twiceMs = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    onceMs = Math.min(onceMs, await cpuMs(once));
    twiceMs = Math.min(twiceMs, await cpuMs(twice));
    if (twiceMs <= MOST * Math.max(onceMs, FLOOR_MS)) return;
  }
  if (sizes > 1) return expectProportional(sized, 2 * size, sizes - 1);
  expect(
    twiceMs / onceMs,
    `${size}: ${onceMs.toFixed(1)} ms, ${2 * size}: ${twiceMs.toFixed(1)} ms`,
  ).toBeLessThanOrEqual(MOST);
}

/** Asserts that a piece of work takes less CPU time than a limit; the best of several rounds counts. */
export async function expectWithin(limitMs: number, run: () => Promise<unknown>): Promise<void> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best >= limitMs; round += 1) best = Math.min(best, await cpuMs(run));
  expect(best).toBeLessThan(limitMs);
}
