import { integerWithin, quotedText } from '../../../../foundation/index.js';

const MAX_INT64 = 2n ** 63n - 1n;

/** An interval of completion indexes, both ends included. */
type Interval = readonly [first: number, last: number];

/** Why a text of indexes is invalid. */
class IndexProblem extends Error {}

function parseIndex(text: string, completions: number): number {
  const value = /^[-+]?[0-9]+$/.test(text) ? integerWithin(text, -MAX_INT64 - 1n, MAX_INT64) : undefined;
  if (value === undefined) throw new IndexProblem(`cannot convert string to integer for index: ${quotedText(text)}`);
  if (value >= BigInt(completions)) throw new IndexProblem(`too large index: ${quotedText(text)}`);
  return Number(value);
}

const orderProblem = (previous: number, current: number): IndexProblem =>
  new IndexProblem(`non-increasing order, previous: ${previous}, current: ${current}`);

function parseInterval(text: string, completions: number): Interval {
  const limits = text.split('-');
  if (limits.length > 2)
    throw new IndexProblem(
      `the fragment ${quotedText(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    );
  const first = parseIndex(limits[0] ?? '', completions);
  if (limits[1] === undefined) return [first, first];
  const last = parseIndex(limits[1], completions);
  if (first >= last) throw orderProblem(first, last);
  return [first, last];
}

/**
 * Counts the indexes in a text such as `0,2-4`, whose intervals ascend.
 *
 * @returns the number of indexes, or the problem of the text
 */
export function countIndexes(text: string, completions: number): number | string {
  let total = 0;
  let previous: number | undefined;
  try {
    for (const part of text === '' ? [] : text.split(',')) {
      const [first, last] = parseInterval(part, completions);
      if (previous !== undefined && previous >= first) throw orderProblem(previous, first);
      total += last - first + 1;
      previous = last;
    }
  } catch (error) {
    if (error instanceof IndexProblem) return error.message;
    throw error;
  }
  return total;
}

/** Returns the intervals of a text, without the invalid ones. */
function intervalsOf(text: string, completions: number): Interval[] {
  return (text === '' ? [] : text.split(',')).flatMap((part) => {
    try {
      return [parseInterval(part, completions)];
    } catch (error) {
      if (error instanceof IndexProblem) return [];
      throw error;
    }
  });
}

/** Returns the first index that two texts of ascending intervals share; undefined when there is none. */
export function sharedIndex(one: string, other: string, completions: number): number | undefined {
  const left = intervalsOf(one, completions);
  const right = intervalsOf(other, completions);
  for (let i = 0, j = 0; ;) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || b === undefined) return undefined;
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) i += 1;
    else j += 1;
  }
}
