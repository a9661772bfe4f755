import { CHOSEN, rowOf } from '../attacks/chosen.js';
import { faultsOf } from '../attacks/judge.js';
import { bundleProgram } from '../attacks/program.js';
import { runRow, type Result } from '../attacks/run-row.js';
import { meetsTarget, type Measure } from './measure.js';

/** Longest wait of another user on a quiet machine, in milliseconds. */
const WAIT_MS = 20;
const ATTACK_MS = 60_000;
const MIB = 2 ** 20;

/**
 * How long another user waits at most beside each of some attacks (`test/attacks`), against the longest wait on the same
 * server before it. The run fails when a wait is too long, or when a row has any other fault.
 */
export async function neighbours(): Promise<Measure[]> {
  const program = await bundleProgram();
  const measures: Measure[] = [];
  try {
    for (const chosen of CHOSEN) {
      const result = await runRow(rowOf(chosen), program, ATTACK_MS);
      const measure = measureOf(chosen.join(': '), result);
      measures.push(measure);
      // The table comes at the end, after some minutes.
      console.error(`${measure.name}: ${measure.value.toFixed(0)} ms, ${measure.detail ?? ''}`);
      if (meetsTarget(measure) === false) process.exitCode = 1;
    }
  } finally {
    program.remove();
  }
  return measures;
}

function measureOf(name: string, result: Result): Measure {
  const { idle, beside, cpuMs, slices, turns } = result;
  const [fault] = faultsOf(result, { waitMs: undefined, turnMs: Infinity });
  const parts = [
    `${(beside.waitMs / Math.max(idle.waitMs, 0.1)).toFixed(0)} × the ${idle.waitMs.toFixed(1)} ms of an idle server`,
    `${(cpuMs / 1000).toFixed(2)} s CPU`,
    ...(slices === undefined ? [] : [`${slices} slices`]),
    ...(turns === undefined
      ? []
      : [`turn ${turns.turnMs.toFixed(0)} ms`, `RSS ${(turns.peakRss / MIB).toFixed(0)} MiB`]),
    ...(fault === undefined ? [] : [fault.slice(0, 80)]),
  ];
  return {
    name: `wait beside ${name}`,
    // A row with another fault does not meet its target either.
    value: fault === undefined ? beside.waitMs : Infinity,
    unit: 'ms',
    target: { sense: '<=', value: WAIT_MS },
    detail: parts.join(', '),
  };
}
