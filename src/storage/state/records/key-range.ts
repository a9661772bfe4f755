import { precedesByCodePoint } from './key-order.js';
import { Side } from './record-tree.js';

/** The start of a range of keys, next to a key of the tree. */
export interface RangeStart {
  readonly from: string;
  readonly side: Side;
}

/** Returns where the keys begin that start with `prefix` and follow `after`; undefined when there can be none. */
export function rangeStart(prefix: string, after: string | undefined): RangeStart | undefined {
  if (after === undefined) return { from: prefix, side: Side.Before };
  if (after.startsWith(prefix)) return { from: after, side: Side.After };
  return precedesByCodePoint(prefix, after) ? undefined : { from: prefix, side: Side.Before };
}
