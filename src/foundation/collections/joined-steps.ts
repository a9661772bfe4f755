import type { Steps, Work } from '../work/work.js';

/** Number of items that are joined in one piece, and the units of work to write one. */
const RUN = 512;
const ITEM_UNITS = 4;

/**
 * Joins the texts of items, in steps.
 *
 * @param text writes an item
 */
export function* joinedSteps<Item>(
  items: readonly Item[],
  text: (item: Item) => string,
  separator: string,
  work: Pick<Work, 'spend'>,
): Steps<string> {
  if (items.length <= RUN) return items.map(text).join(separator);
  const runs: string[] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(
      items
        .slice(from, from + RUN)
        .map(text)
        .join(separator),
    );
    if (work.spend(RUN * ITEM_UNITS)) yield;
  }
  return runs.join(separator);
}
