import { compareText } from '../../encoding/code-points.js';
import type { Steps, Work } from '../../meta/work.js';
import { sortedKeys } from './text.js';

/** Number of keys that are sorted at once. */
const RUN = 2_048;

/** Units of work to sort a key of a run, and to merge one. */
const SORT_UNITS = 8;
const MERGE_UNITS = 2;

/** Does the same as `sortedKeys`, in steps: sorts runs of keys, and merges each two until one is left. */
export function* sortedKeysInSteps(object: object, work: Work): Steps<readonly string[]> {
  const keys = Object.keys(object);
  if (keys.length <= RUN) return sortedKeys(object);
  let runs: string[][] = [];
  for (let start = 0; start < keys.length; start += RUN) {
    const run = keys.slice(start, start + RUN).sort(compareText);
    if (work.spend(run.length * SORT_UNITS)) yield;
    runs.push(run);
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [left, right] = [runs[index] as string[], runs[index + 1]];
      merged.push(right === undefined ? left : yield* mergedRuns(left, right, work));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns(left: readonly string[], right: readonly string[], work: Work): Steps<string[]> {
  const merged: string[] = [];
  let next = 0;
  for (const key of left) {
    if (work.spend(MERGE_UNITS)) yield;
    for (; next < right.length && compareText(right[next] as string, key) < 0; next += 1) {
      merged.push(right[next] as string);
      if (work.spend(MERGE_UNITS)) yield;
    }
    merged.push(key);
  }
  for (; next < right.length; next += 1) merged.push(right[next] as string);
  return merged;
}
