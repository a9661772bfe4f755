import { shareTurn } from '../../foundation/index.js';

/** Length of the parts that are sorted in one step, and number of items merged between two looks at the time. */
const PART = 1024;

/**
 * Sorts many items in the shares of several turns: parts of them first, which are then merged.
 *
 * @param precedes returns whether an item comes before another; of equal ones, either may come first
 */
export async function sortInTurns<Item>(
  items: readonly Item[],
  precedes: (left: Item, right: Item) => boolean,
): Promise<Item[]> {
  let parts: Item[][] = [];
  for (let start = 0; start < items.length; start += PART) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    parts.push(items.slice(start, start + PART).sort((left, right) => (precedes(left, right) ? -1 : 1)));
  }
  while (parts.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < parts.length; index += 2)
      merged.push(await mergeInTurns(parts[index] ?? [], parts[index + 1] ?? [], precedes));
    parts = merged;
  }
  return parts[0] ?? [];
}

async function mergeInTurns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  precedes: (left: Item, right: Item) => boolean,
): Promise<Item[]> {
  const merged: Item[] = [];
  let [atLeft, atRight] = [0, 0];
  while (atLeft < left.length || atRight < right.length) {
    if (merged.length % PART === 0) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
    }
    const [one, other] = [left[atLeft], right[atRight]];
    if (one !== undefined && (other === undefined || precedes(one, other))) {
      merged.push(one);
      atLeft += 1;
    } else if (other !== undefined) {
      merged.push(other);
      atRight += 1;
    }
  }
  return merged;
}
