/** One line of the benchmark's table. */
export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The target: at least (`>=`) or at most (`<=`). */
  readonly target: { readonly sense: '>=' | '<='; readonly value: number } | undefined;
  /** The parts of the value. */
  readonly detail?: string;
}

/** Whether a measure reaches its target; undefined if it has none. */
export function meetsTarget({ value, target }: Measure): boolean | undefined {
  if (target === undefined) return undefined;
  return target.sense === '>=' ? value >= target.value : value <= target.value;
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** Wall and CPU time of a task, in microseconds. */
export interface Cost {
  readonly wallUs: number;
  readonly cpuUs: number;
}

/** Runs a task and returns its cost in this process. */
export async function costOf(work: () => Promise<void> | void): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const wallUs = (performance.now() - start) * 1000;
  const used = process.cpuUsage(cpu);
  return { wallUs, cpuUs: used.user + used.system };
}

/**
 * Runs several tasks in turn, `rounds` times, so that a slower machine affects all of them equally, and returns the
 * median cost of each.
 */
export async function interleaved<Name extends string>(
  rounds: number,
  work: Readonly<Record<Name, () => Promise<void> | void>>,
): Promise<Record<Name, Cost>> {
  const names = Object.keys(work) as Name[];
  const costs = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<Name, Cost[]>;
  for (let round = 0; round < rounds + 1; round += 1) {
    for (const name of names) {
      const cost = await costOf(work[name]);
      // The first round warms up.
      if (round > 0) costs[name].push(cost);
    }
  }
  return Object.fromEntries(
    names.map((name) => [
      name,
      { wallUs: median(costs[name].map((cost) => cost.wallUs)), cpuUs: median(costs[name].map((cost) => cost.cpuUs)) },
    ]),
  ) as Record<Name, Cost>;
}
