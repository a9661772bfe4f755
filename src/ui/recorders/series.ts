import { Ring, type OpenRecordings } from './ring.js';

/** Length of a step, in milliseconds. */
export const STEP_MS = 2000;
/** An hour. */
const MOST_STEPS = 1800;
/** Upper bounds of the latencies that are told apart, in milliseconds: powers of two, up to half a minute. */
const BOUNDS = Array.from({ length: 16 }, (_, power) => 2 ** power);

/** Memory of a step. */
const STEP_BYTES = 300;

/** The names of the series, in the order of the values of a point. */
export const SERIES = ['requests', 'failures', 'writes', 'p50Ms', 'p99Ms', 'memoryBytes'] as const;

/** The counts of a step. */
interface Step {
  /** Its start, in steps since the epoch. */
  readonly at: number;
  requests: number;
  failures: number;
  writes: number;
  readonly latencies: Uint32Array;
  memoryBytes: number;
}

/** The values of an hour, in steps of two seconds. Steps in which nothing happened take no memory and no timer. */
export class SeriesRecorder {
  readonly #steps: Ring<Step>;
  readonly #now: () => number;
  readonly #memoryBytes: () => number;

  /** @param memoryBytes returns the memory that the server counts */
  constructor(now: () => number, memoryBytes: () => number, open: OpenRecordings) {
    this.#steps = new Ring({ most: MOST_STEPS, bytesOf: () => STEP_BYTES, open });
    this.#now = now;
    this.#memoryBytes = memoryBytes;
  }

  /** Counts a request that was answered. */
  request(code: number, ms: number): void {
    const step = this.#current();
    step.requests += 1;
    if (code >= 400) step.failures += 1;
    const found = BOUNDS.findIndex((bound) => ms <= bound);
    const bin = found < 0 ? BOUNDS.length - 1 : found;
    step.latencies[bin] = (step.latencies[bin] ?? 0) + 1;
  }

  /** Counts a write to the store. */
  write(): void {
    this.#current().writes += 1;
  }

  /**
   * Returns the steps that have begun since a time and in which something happened, the oldest first: each its start in
   * milliseconds, then the values in the order of {@link SERIES}.
   */
  since(sinceMs: number): number[][] {
    const oldest = Math.max(Math.floor(sinceMs / STEP_MS), Math.floor(this.#now() / STEP_MS) - MOST_STEPS);
    const points: number[][] = [];
    for (const step of this.#steps.newestFirst()) {
      if (step.at < oldest) break;
      const { at, requests, failures, writes, latencies, memoryBytes } = step;
      const [half, most] = [0.5, 0.99].map((share) => quantile(latencies, requests, share));
      points.push([at * STEP_MS, requests, failures, writes, half ?? 0, most ?? 0, memoryBytes]);
    }
    return points.reverse();
  }

  close(): void {
    this.#steps.close();
  }

  #current(): Step {
    const at = Math.floor(this.#now() / STEP_MS);
    const last = this.#steps.at(this.#steps.size - 1);
    // A clock that goes back does not make a step twice.
    if (last !== undefined && last.at >= at) return last;
    const step = {
      ...{ at, requests: 0, failures: 0, writes: 0 },
      latencies: new Uint32Array(BOUNDS.length),
      memoryBytes: this.#memoryBytes(),
    };
    this.#steps.add(step);
    return step;
  }
}

/** Returns the upper bound of the latency of a share of the requests; 0 without requests. */
function quantile(latencies: Uint32Array, requests: number, share: number): number {
  let seen = 0;
  for (const [bin, count] of latencies.entries()) {
    seen += count;
    if (count > 0 && seen >= requests * share) return BOUNDS[bin] ?? 0;
  }
  return 0;
}
