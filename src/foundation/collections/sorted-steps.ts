import type { Steps, Work } from '../work/work.js';

/** Number of items that are sorted in one piece. */
const RUN = 1024;

/**
 * Sorts items in place, in steps: runs of 1,024 by the engine, then merged (merge sort; equal items keep their order).
 *
 * @param compare order of two items
 * @param work spends a unit for each comparison of a merge
 */
export function* sortedSteps<Item extends string | object>(
  items: Item[],
  compare: (a: Item, b: Item) => number,
  work: Pick<Work, 'spend'>,
): Steps<readonly Item[]> {
  if (items.length <= RUN) return items.sort(compare);
  let sorted: Item[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    sorted.push(items.slice(from, from + RUN).sort(compare));
    if (work.spend(RUN * 10)) yield;
  }
  while (sorted.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < sorted.length; index += 2)
      merged.push(yield* mergedSteps(sorted[index] ?? [], sorted[index + 1] ?? [], compare, work));
    sorted = merged;
  }
  return sorted[0] ?? [];
}

function* mergedSteps<Item extends string | object>(
  left: Item[],
  right: Item[],
  compare: (a: Item, b: Item) => number,
  work: Pick<Work, 'spend'>,
): Steps<Item[]> {
  if (right.length === 0) return left;
  const merged: Item[] = [];
  let one = 0;
  let other = 0;
  while (one < left.length || other < right.length) {
    const first: Item | undefined = left[one];
    const second: Item | undefined = right[other];
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
