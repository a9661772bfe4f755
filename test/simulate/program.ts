/**
 * Runs simulated worlds; {@link ./main.ts} compiles it. Ends with 1 when an invariant is broken, or when two runs of one
 * seed differ.
 *
 * @module
 */
import { realMs } from './host.js';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { mistakes, type Mistake } from './mistakes.js';
import { planOf, type Plan } from './plan.js';
import { shrink } from './shrink.js';
import { createTemplate } from './template.js';
import { firstDifference } from './trace.js';
import { runWorld, type Failure, type Outcome } from './world.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    twice: { type: 'string', default: '50' },
    attempts: { type: 'string', default: '300' },
    plan: { type: 'string' },
    mistake: { type: 'string' },
    hashes: { type: 'boolean', default: false },
  },
});

const MOST_FAILURES = 8;
const MINUTE_MS = 60_000;

const template = await createTemplate();
const [first, count, twice] = [Number(values.first), Number(values.seeds), Number(values.twice)];
const mistake = values.mistake === undefined ? undefined : mistakeOf(values.mistake);
const run = (plan: Plan, keepsLines = false): Promise<Outcome> => runWorld(plan, template, { keepsLines, mistake });

// A process loads and compiles some things only once: the worlds that count must all find them done.
await run(planOf(0));
const failed = values.plan === undefined ? await runSeeds() : await runPlan(values.plan);
process.exit(failed === 0 ? 0 : 1);

/** Runs many seeds. @returns the number of those that failed */
async function runSeeds(): Promise<number> {
  const began = { realMs: realMs(), cpu: process.cpuUsage() };
  let [failures, virtualMs, tasks, operations, seeds] = [0, 0, 0, 0, 0];
  for (let seed = first; seed < first + count && failures < MOST_FAILURES; seed += 1) {
    const plan = planOf(seed);
    const outcome = await run(plan);
    seeds += 1;
    virtualMs += outcome.virtualMs;
    tasks += outcome.tasks;
    operations += outcome.operations;
    if (values.hashes) console.log(`seed ${seed}: ${outcome.trace.hash}`);
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      failures += 1;
      await tell(plan, outcome, failure);
      // One proves that the mistake is found.
      if (mistake !== undefined) break;
    }
    if (twice > 0 && (seed - first) % twice === 0 && !(await isRepeatable(plan, outcome))) failures += 1;
  }
  const { user, system } = process.cpuUsage(began.cpu);
  const [minutes, cpuMs] = [virtualMs / MINUTE_MS, (user + system) / 1000];
  console.log(
    `${seeds} seeds, ${failures} failed: ${minutes.toFixed(0)} virtual minutes, ${tasks} tasks, ${operations} recorded operations`,
  );
  console.log(
    `${(cpuMs / seeds).toFixed(1)} ms of the processor and ${(minutes / seeds).toFixed(1)} virtual minutes a seed; ${((realMs() - began.realMs) / 1000).toFixed(1)} s`,
  );
  return failures;
}

/** Runs a plan from a file, as {@link tell} prints it. */
async function runPlan(file: string): Promise<number> {
  const { failures } = await run(JSON.parse(readFileSync(file, 'utf8')) as Plan);
  for (const { invariant, message } of failures) console.log(`${invariant}:\n${message}`);
  return failures.length;
}

/** Returns the failure that counts: of servers that make a mistake, one that it is known to cause. */
function failureOf({ failures }: Outcome): Failure | undefined {
  return mistake === undefined ? failures[0] : failures.find(({ invariant }) => mistake.breaks.includes(invariant));
}

/** Tells what failed, and the smallest plan that fails in the same way. */
async function tell(plan: Plan, { failures }: Outcome, failure: Failure): Promise<void> {
  const { invariant, message } = failure;
  console.log(`seed ${plan.seed}: ${failures.map((each) => each.invariant).join('; ')}\n${invariant}:\n${message}`);
  const fails = async (smaller: Plan): Promise<boolean> =>
    (await run(smaller)).failures.some((other) => other.invariant === invariant);
  const smallest = await shrink(plan, fails, Number(values.attempts));
  console.log(
    `of ${plan.steps.length} steps and ${plan.faults.length} faults, ${smallest.steps.length} and ${smallest.faults.length} suffice.`,
    'In a file, for --plan:',
  );
  const lines = (list: readonly object[]): string => list.map((each) => `\n    ${JSON.stringify(each)}`).join(',');
  const { seed, servers, clients, steps, faults } = smallest;
  console.log(
    `{ "seed": ${seed}, "servers": ${servers}, "clients": ${clients},\n  "steps": [${lines(steps)}],\n  "faults": [${lines(faults)}] }`,
  );
}

/** Runs a plan again. @returns whether the same happened */
async function isRepeatable(plan: Plan, { trace }: Outcome): Promise<boolean> {
  const again = await run(plan);
  if (again.trace.hash === trace.hash) return true;
  const [one, other] = [await run(plan, true), await run(plan, true)];
  const difference = firstDifference(one.trace.lines ?? [], other.trace.lines ?? []);
  console.log(`seed ${plan.seed}: two runs differ:\n${difference ?? 'but not two more'}`);
  return false;
}

function mistakeOf(name: string): Mistake {
  const found = mistakes.get(name);
  if (found === undefined) throw new Error(`there is no mistake ${name}: one of ${[...mistakes.keys()].join(', ')}`);
  return found;
}
