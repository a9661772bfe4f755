/**
 * The nodes of the B+tree and the steps that keep them balanced.
 *
 * All leaves are equally deep. A branch knows the number of records below each child, so that the rank of a key is a sum
 * along one path. `keys[i]` of a branch is above every key in `children[i]` and not above any key in `children[i + 1]`.
 *
 * @module
 */
import type { StorageRecord } from '../storage.js';

/** Most entries that a node holds. */
export const MAX_ENTRIES = 128;
/** A node with fewer entries than this is joined with a neighbour. Well below half, so that a split is not undone at once. */
export const MIN_ENTRIES = 40;

/** The lowest floor: the records themselves, chained in order. */
export class Leaf {
  readonly leaf = true as const;
  records: StorageRecord[];
  next: Leaf | undefined;

  constructor(records: StorageRecord[], next: Leaf | undefined) {
    this.records = records;
    this.next = next;
  }
}

/** A floor above: children, the keys that part them, and the records below each. */
export class Branch {
  readonly leaf = false as const;
  keys: string[];
  children: Node[];
  counts: number[];

  constructor(keys: string[], children: Node[], counts: number[]) {
    this.keys = keys;
    this.children = children;
    this.counts = counts;
  }
}

/** A node of the tree. */
export type Node = Leaf | Branch;

/** The upper half of a node that was split off, with the key that parts it from the lower. */
export interface SplitOff {
  readonly key: string;
  readonly node: Node;
}

/** Element of a list at an index that the caller knows to exist. */
export function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

/** Number of entries of a node itself. */
export function width(node: Node): number {
  return node.leaf ? node.records.length : node.children.length;
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < counts.length; index++) total += at(counts, index);
  return total;
}

/** Number of records at or below a node. */
export function countOf(node: Node): number {
  return node.leaf ? node.records.length : sum(node.counts);
}

/** Entries of the nodes of a tree that is built at once: room is left for more. */
const BUILT_ENTRIES = 96;

/** Parts of a list, as few as make none longer than {@link BUILT_ENTRIES}, all about as long. */
function parts<T>(list: readonly T[]): T[][] {
  const count = Math.max(1, Math.ceil(list.length / BUILT_ENTRIES));
  return Array.from({ length: count }, (_, index) =>
    list.slice(Math.floor((index * list.length) / count), Math.floor(((index + 1) * list.length) / count)),
  );
}

/** The root of a tree of records that are in order. */
export function build(records: readonly StorageRecord[]): Node {
  const leaves = parts(records).map((part) => new Leaf(part, undefined));
  for (const [index, leaf] of leaves.entries()) leaf.next = leaves[index + 1];
  let floor: { readonly key: string; readonly node: Node }[] = leaves.map((leaf) => ({
    key: leaf.records[0]?.key ?? '',
    node: leaf,
  }));
  while (floor.length > 1) {
    floor = parts(floor).map((part) => {
      const children = part.map(({ node }) => node);
      return {
        key: at(part, 0).key,
        node: new Branch(
          part.slice(1).map(({ key }) => key),
          children,
          children.map(countOf),
        ),
      };
    });
  }
  return at(floor, 0).node;
}

/**
 * Takes the upper part of an overfull leaf off.
 *
 * @param insertedAt index of the record that made it overfull. When that is the last, it alone moves, so that keys that
 * come in order leave full leaves behind them; otherwise half of the leaf does.
 */
export function splitLeaf(leaf: Leaf, insertedAt: number): SplitOff {
  const middle = insertedAt === leaf.records.length - 1 ? insertedAt : leaf.records.length >> 1;
  // Two slices, because an array that was cut keeps the room of the whole.
  const upper = new Leaf(leaf.records.slice(middle), leaf.next);
  leaf.records = leaf.records.slice(0, middle);
  leaf.next = upper;
  return { key: at(upper.records, 0).key, node: upper };
}

/** Takes the upper half of an overfull branch off. */
export function splitBranch(branch: Branch): SplitOff {
  const middle = branch.children.length >> 1;
  const key = at(branch.keys, middle - 1);
  const upper = new Branch(branch.keys.slice(middle), branch.children.slice(middle), branch.counts.slice(middle));
  branch.keys = branch.keys.slice(0, middle - 1);
  branch.children = branch.children.slice(0, middle);
  branch.counts = branch.counts.slice(0, middle);
  return { key, node: upper };
}

/** Puts a node that was split off a child behind that child. */
export function adopt(parent: Branch, childIndex: number, split: SplitOff): void {
  const moved = countOf(split.node);
  parent.counts[childIndex] = at(parent.counts, childIndex) - moved;
  parent.keys.splice(childIndex, 0, split.key);
  parent.children.splice(childIndex + 1, 0, split.node);
  parent.counts.splice(childIndex + 1, 0, moved);
}

/** Joins a child that became too small with a neighbour, or shares out their entries when one node cannot hold them. */
export function refill(parent: Branch, childIndex: number): void {
  const leftIndex = childIndex > 0 ? childIndex - 1 : 0;
  const left = at(parent.children, leftIndex);
  const right = at(parent.children, leftIndex + 1);
  const joined = joinInto(left, right, at(parent.keys, leftIndex));
  if (width(left) <= MAX_ENTRIES) {
    parent.counts[leftIndex] = at(parent.counts, leftIndex) + at(parent.counts, leftIndex + 1);
    parent.keys.splice(leftIndex, 1);
    parent.children.splice(leftIndex + 1, 1);
    parent.counts.splice(leftIndex + 1, 1);
    return;
  }
  const split = joined.leaf ? splitLeaf(joined, 0) : splitBranch(joined);
  parent.keys[leftIndex] = split.key;
  parent.children[leftIndex + 1] = split.node;
  parent.counts[leftIndex] = countOf(left);
  parent.counts[leftIndex + 1] = countOf(split.node);
}

function joinInto(left: Node, right: Node, key: string): Node {
  if (left.leaf && right.leaf) {
    left.records = left.records.concat(right.records);
    left.next = right.next;
  } else if (!left.leaf && !right.leaf) {
    left.keys = left.keys.concat(key, right.keys);
    left.children = left.children.concat(right.children);
    left.counts = left.counts.concat(right.counts);
  }
  return left;
}
