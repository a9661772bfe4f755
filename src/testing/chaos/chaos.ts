/**
 * Faults at random: runs a test under rules that are drawn, and reduces a failure to the fewest rules that cause it.
 *
 * @module
 */
import {
  aCount,
  aDuration,
  aFunction,
  aName,
  checkOptions,
  durationMs,
  either,
  listOf,
  matching,
  messageOf,
  nested,
  oneOf,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import type { Crash } from '../faults/faults.js';
import { codeOf } from '../faults/faults.js';
import type { FaultMatch } from '../faults/match.js';
import type { FaultRule } from '../faults/rule.js';
import type { FaultSpec } from '../faults/spec.js';
import { startTestServer, type TestServer } from '../server/test-server.js';
import type { ManualClock } from '../time/manual-clock.js';
import { seededEntropy } from '../time/seeded-entropy.js';
import { askedRequests, Draw, drawnFaults, drawRules, type AskedRequest, type DrawnFault } from './draw.js';

/** Options of {@link chaos}. */
export interface ChaosOptions {
  /** Seed of the draws: the same seed draws the same rules. */
  readonly seed: number | string;
  /** Number of runs, each with rules of its own. Default 20. */
  readonly runs?: number | undefined;
  /** Maximum number of rules of a run. Default 4. */
  readonly rules?: number | undefined;
  /**
   * Faults to draw. Default all of `fail`, `delay`, `dropConnection`, `dropWatches`, `expireHistory`, `staleReads` and
   * `conflictOnce`; `crash` can be added: the server restarts at once.
   */
  readonly faults?: readonly DrawnFault[] | undefined;
  /** Whose requests, or in which namespaces, the rules strike. Default all requests of clients. */
  readonly match?: Pick<FaultMatch, 'user' | 'namespace'> | undefined;
  /** Starts the server of a run, such as `() => seeded.fork()`. Default `startTestServer({ seed })`. */
  readonly start?: (() => Promise<TestServer>) | undefined;
  /**
   * Time on the test's clock within which a run must end: chaos advances the clock while the test waits.
   * Default `1h`.
   */
  readonly limit?: Duration | undefined;
}

/** The report of {@link chaos}. */
export interface ChaosReport {
  /** Number of runs with rules. */
  readonly runs: number;
  /** Number of rules drawn. */
  readonly rules: number;
  /** Number of requests and watches that were struck. */
  readonly hits: number;
}

/** The failure of a test under faults. Its cause is the error of the test under the fewest rules. */
export class ChaosError extends Error {
  readonly seed: number | string;
  /** Number of the run, from 1. */
  readonly run: number;
  /** The fewest rules that still make the test fail. */
  readonly rules: readonly FaultSpec[];

  constructor(parts: {
    seed: number | string;
    run: number;
    rules: readonly FaultSpec[];
    drawn: number;
    cause: unknown;
  }) {
    const { seed, run, rules, drawn, cause } = parts;
    super(
      [
        `chaos: the test fails under ${rules.length === 1 ? 'a fault rule' : `${rules.length} fault rules`} (seed ${JSON.stringify(seed)}, run ${run}, ${drawn} drawn): ${messageOf(cause)}`,
        'These lines repeat the failure:',
        ...rules.map((rule) => `  ${codeOf(rule)};`),
      ].join('\n'),
      { cause },
    );
    this.name = 'ChaosError';
    this.seed = seed;
    this.run = run;
    this.rules = rules;
  }
}

const DEFAULT_FAULTS: readonly DrawnFault[] = drawnFaults.filter((fault) => fault !== 'crash');

const texts = either(listOf(aName), aName);
const checks: OptionChecks<ChaosOptions> = {
  seed: matching('a number or a string', (value) => typeof value === 'number' || typeof value === 'string'),
  runs: aCount('runs', 1),
  rules: aCount('rules', 1),
  faults: (value, path) =>
    listOf(oneOf(...drawnFaults), 'a list of faults')(value, path) ??
    (Array.isArray(value) && value.length > 0 ? undefined : `the option ${path} must name at least one fault`),
  match: nested({ user: texts, namespace: texts }),
  start: aFunction,
  limit: aDuration,
};

/**
 * Runs a test repeatedly, each time on a server of its own and under rules that are drawn from the seed. The first run
 * has no rules: it must succeed, and shows which requests rules can strike. When a run fails, rules are left out as long
 * as it still fails.
 *
 * The test does what the code under test does, and asserts what must hold in spite of faults. It may call
 * `test.faults.clear()` before it looks at the outcome.
 *
 * ```
 * await chaos({ seed: 1, runs: 50 }, async (test) => {
 *   await reconcile(test.client);
 *   assert.equal(await replicas(test.client), 3);
 * });
 * ```
 *
 * @throws ChaosError for a test that fails under rules; Error when it fails without any
 */
export async function chaos(options: ChaosOptions, run: (test: TestServer) => Promise<void>): Promise<ChaosReport> {
  checkOptions('chaos', options, checks, ['seed']);
  const problem = aFunction(run, 'test');
  if (problem !== undefined) throw new TypeError(`chaos: ${problem.replace('the option test', 'the second argument')}`);
  const { seed, runs = 20, rules: maxRules = 4, faults = DEFAULT_FAULTS, match = {} } = options;
  const trial = new Trial(options, run);
  const calm = await trial.run([]);
  if (calm.failure !== undefined)
    throw new Error(`chaos: the test fails without any fault: ${messageOf(calm.failure.error)}`, {
      cause: calm.failure.error,
    });
  const report = { runs: 0, rules: 0, hits: 0 };
  for (let number = 1; number <= runs; number += 1) {
    const draw = new Draw(seededEntropy(`${seed}/${number}`));
    const rules = drawRules(draw, calm.asked, { faults, maxRules, match });
    if (rules.length === 0) continue;
    const outcome = await trial.run(rules);
    if (outcome.failure !== undefined) throw await trial.reduced({ seed, run: number, rules, outcome });
    report.runs += 1;
    report.rules += rules.length;
    report.hits += outcome.hits.reduce((sum, hits) => sum + hits, 0);
  }
  return report;
}

/** The outcome of a run. */
interface Outcome {
  readonly failure: { readonly error: unknown } | undefined;
  /** Number of hits of each rule. */
  readonly hits: readonly number[];
  readonly asked: readonly AskedRequest[];
}

/** A test that runs under rules. */
class Trial {
  readonly #start: () => Promise<TestServer>;
  readonly #run: (test: TestServer) => Promise<void>;
  readonly #limitMs: number;

  constructor({ seed, start, limit = '1h' }: ChaosOptions, run: (test: TestServer) => Promise<void>) {
    this.#start = start ?? (() => startTestServer({ seed }));
    this.#run = run;
    this.#limitMs = durationMs(limit);
  }

  /** Runs the test on a new server. */
  async run(specs: readonly FaultSpec[]): Promise<Outcome> {
    await using test = await this.#start();
    const rules = specs.map((spec) => test.faults.add(spec));
    restartAfterCrashes(rules);
    const failure = await advancingUntil(test.clock, this.#limitMs, () => this.#run(test)).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const asked = askedRequests(test.requests());
    const hits = rules.map((rule) => rule.hits);
    test.faults.clear();
    return { failure, hits, asked };
  }

  /** Leaves rules out as long as the test still fails. Returns the error to throw. */
  async reduced(failed: {
    readonly seed: number | string;
    readonly run: number;
    readonly rules: readonly FaultSpec[];
    readonly outcome: Outcome;
  }): Promise<ChaosError> {
    const { seed, run, rules: drawn } = failed;
    let rules = drawn;
    let error = failed.outcome.failure?.error;
    const attempt = async (fewer: readonly FaultSpec[]): Promise<boolean> => {
      const { failure } = await this.run(fewer);
      if (failure === undefined) return false;
      rules = fewer;
      error = failure.error;
      return true;
    };
    const struck = rules.filter((_rule, index) => (failed.outcome.hits[index] ?? 0) > 0);
    if (struck.length < rules.length) await attempt(struck);
    for (let index = 0; index < rules.length && rules.length > 1;)
      if (!(await attempt(rules.filter((_rule, at) => at !== index)))) index += 1;
    return new ChaosError({ seed, run, rules, drawn: drawn.length, cause: error });
  }
}

const isCrash = (rule: FaultRule): rule is Crash => rule.spec.fault === 'crash';

function restartAfterCrashes(rules: readonly FaultRule[]): void {
  for (const rule of rules) {
    if (!isCrash(rule)) continue;
    // A test that has ended closes its server, which then cannot restart.
    void rule.crashed.then(() => rule.restart()).catch(() => undefined);
  }
}

/** Time that passes in one step while the test waits, in milliseconds. */
const STEP_MS = 1000;

/**
 * Runs a test and advances the clock while it waits.
 *
 * @throws Error when the test does not end within the limit
 */
async function advancingUntil(clock: ManualClock, limitMs: number, run: () => Promise<void>): Promise<void> {
  let over = false;
  const running = run().finally(() => (over = true));
  // The loop below looks at the outcome later.
  running.catch(() => undefined);
  const endMs = clock.now() + limitMs;
  await clock.settle();
  while (!over) {
    if (clock.now() >= endMs)
      throw new Error(
        `the test did not end within ${limitMs / 1000} s on its clock: it waits for something that never happens`,
      );
    await clock.advance(STEP_MS);
  }
  await running;
}
