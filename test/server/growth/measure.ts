import { expect } from 'vitest';

/** Makes a request of a size ready, and returns what sends it. */
export type Sized = (size: number) => Promise<() => Promise<unknown>>;

/** Growth of the cost for twice the size that still counts as in proportion. */
const MOST = 2.6;
/** Costs below this are noise, milliseconds. */
const FLOOR_MS = 12;
const ROUNDS = 8;
/** Sizes that are tried, each twice the one before: what grows faster than in proportion does so at every size, and noise does not. */
const SIZES = 3;

/** CPU time of some work, milliseconds. */
export async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Asserts that twice the size costs no more than {@link MOST} times as much CPU time; the best of some rounds counts. */
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

/** Asserts that some work takes less CPU time than a limit; the best of some rounds counts. */
export async function expectWithin(limitMs: number, run: () => Promise<unknown>): Promise<void> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best >= limitMs; round += 1) best = Math.min(best, await cpuMs(run));
  expect(best).toBeLessThan(limitMs);
}
