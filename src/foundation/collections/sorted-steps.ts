import type { Steps, Work } from '../work/work.js';

/** Number of texts that are sorted in one piece. */
const RUN = 1024;

/**
 * Sorts texts in place, in steps: runs of 1,024 by the engine, then merged (merge sort; equal texts keep their order).
 *
 * @param compare order of two texts
 * @param work spends a unit for each comparison of a merge
 */
export function* sortedSteps(
  texts: string[],
  compare: (a: string, b: string) => number,
  work: Pick<Work, 'spend'>,
): Steps<readonly string[]> {
  if (texts.length <= RUN) return texts.sort(compare);
  let sorted: string[][] = [];
  for (let from = 0; from < texts.length; from += RUN) {
    sorted.push(texts.slice(from, from + RUN).sort(compare));
    if (work.spend(RUN * 10)) yield;
  }
  while (sorted.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < sorted.length; index += 2)
      merged.push(yield* mergedSteps(sorted[index] ?? [], sorted[index + 1] ?? [], compare, work));
    sorted = merged;
  }
  return sorted[0] ?? [];
}

function* mergedSteps(
  left: string[],
  right: string[],
  compare: (a: string, b: string) => number,
  work: Pick<Work, 'spend'>,
): Steps<string[]> {
  if (right.length === 0) return left;
  const merged: string[] = [];
  let one = 0;
  let other = 0;
  while (one < left.length || other < right.length) {
    const [first, second] = [left[one], right[other]];
    if (first !== undefined && (second === undefined || compare(first, second) <= 0)) {
      merged.push(first);
      one += 1;
    } else if (second !== undefined) {
      merged.push(second);
      other += 1;
    }
    if (work.spend(1)) yield;
  }
  return merged;
}
