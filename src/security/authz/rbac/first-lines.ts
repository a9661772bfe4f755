import type { Steps, Work } from '../../../foundation/index.js';

/** Most lines, and characters of them, that a message shows. */
const MAX_LINES = 1_000;
const MAX_CHARACTERS = 256 * 1024;
/** Lines that are sorted together, of which the first ones are kept. */
const TOGETHER = 4 * MAX_LINES;

/** Units of work to make a line, and to sort it; characters that take a unit. */
const LINE_UNITS = 20;
const SORT_UNITS = 10;
const CHARACTERS_PER_UNIT = 8;

/** Byte order, as in Kubernetes. Characters beyond 16 bits make no difference here. */
const inOrder = (lines: Iterable<string>): string[] => [...new Set(lines)].sort();

/**
 * Returns the first lines about some items in their order, each line once, and how many follow, where an equal line may
 * count again. Holds a few thousand lines at a time, whose memory is reserved.
 *
 * @param lineOf returns the line about an item
 */
export function* firstLines<Item>(
  items: readonly Item[],
  lineOf: (item: Item) => string,
  work: Work,
): Steps<readonly string[]> {
  let lines: string[] = [];
  let heldBytes = 0;
  let duplicates = 0;
  for (const [index, item] of items.entries()) {
    const line = lineOf(item);
    work.reserve(line.length);
    heldBytes += line.length;
    lines.push(line);
    if (work.spend(LINE_UNITS + line.length / CHARACTERS_PER_UNIT)) yield;
    if (lines.length < TOGETHER && index < items.length - 1) continue;
    const ordered = inOrder(lines);
    duplicates += lines.length - ordered.length;
    if (work.spend(lines.length * SORT_UNITS)) yield;
    lines = ordered.slice(0, MAX_LINES);
    const keptBytes = lengthOf(lines);
    work.release(heldBytes - keptBytes);
    heldBytes = keptBytes;
  }
  const shown = withinLength(lines);
  const more = items.length - duplicates - shown.length;
  work.release(heldBytes);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

const lengthOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** Returns the first lines that have so many characters together, one at least. */
function withinLength(lines: readonly string[]): readonly string[] {
  let left = MAX_CHARACTERS;
  const end = lines.findIndex((line, index) => (left -= line.length) < 0 && index > 0);
  return end < 0 ? lines : lines.slice(0, end);
}
