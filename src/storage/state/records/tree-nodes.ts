/**
 * The nodes of the B+tree and the operations that keep them balanced.
 *
 * All leaves have the same depth. A branch has the number of records below each child, so the rank of a key is a sum
 * along one path. `keys[i]` of a branch is greater than every key in `children[i]` and not greater than any key in
 * `children[i + 1]`.
 *
 * Trees can share nodes. A node is changed only by the tree that owns it; another tree changes a copy.
 *
 * @module
 */
import type { StorageRecord } from '../../storage.js';
import type { Owner } from './shared-chunks.js';

/** Slot of a record without one; see `record-slots.ts`. */
export const NO_SLOT = -1;

/** Maximum number of entries of a node. */
export const MAX_ENTRIES = 128;
/**
 * Minimum number of entries; a smaller node is merged with a neighbour. It is well below half the maximum, so that a
 * split is not undone soon.
 */
export const MIN_ENTRIES = 40;

/** A leaf: records with their slots. The slots are here so that a walk need not touch the records. */
export class Leaf {
  readonly leaf = true as const;
  readonly owner: Owner;
  records: StorageRecord[];
  slots: number[];

  constructor(owner: Owner, records: StorageRecord[], slots: number[]) {
    this.owner = owner;
    this.records = records;
    this.slots = slots;
  }
}

/** A branch: children, the keys that separate them, and the number of records below each. */
export class Branch {
  readonly leaf = false as const;
  readonly owner: Owner;
  keys: string[];
  children: Node[];
  counts: number[];

  constructor(owner: Owner, keys: string[], children: Node[], counts: number[]) {
    this.owner = owner;
    this.keys = keys;
    this.children = children;
    this.counts = counts;
  }
}

/** A node of the tree. */
export type Node = Leaf | Branch;

/** Returns a node that an owner may change: the node itself, or a copy. */
export function owned(node: Node, owner: Owner): Node {
  if (node.owner === owner) return node;
  return node.leaf
    ? new Leaf(owner, node.records.slice(), node.slots.slice())
    : new Branch(owner, node.keys.slice(), node.children.slice(), node.counts.slice());
}

/** Returns a child that the owner of its branch may change. The branch gets a copy if necessary. */
export function ownedChild(branch: Branch, index: number): Node {
  const child = at(branch.children, index);
  if (child.owner === branch.owner) return child;
  return (branch.children[index] = owned(child, branch.owner));
}

/** The upper chunk of a split node, with the key that separates it from the lower chunk. */
export interface SplitOff {
  readonly key: string;
  readonly node: Node;
}

/** Returns the element at an index that is known to exist. */
export function at<T>(list: readonly T[], index: number): T {
  return list[index] as T;
}

/** Returns the number of entries of a node. */
export function width(node: Node): number {
  return node.leaf ? node.records.length : node.children.length;
}

function sum(counts: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < counts.length; index++) total += at(counts, index);
  return total;
}

/** Returns the number of records in or below a node. */
export function countOf(node: Node): number {
  return node.leaf ? node.records.length : sum(node.counts);
}

/**
 * Splits an overfull leaf. This and the other functions below change nodes of one owner, the tree's.
 *
 * @param insertedAt index of the last inserted record. If it is the last record, only this record moves, so that
 * ascending inserts leave full leaves; otherwise half of the leaf moves.
 */
export function splitLeaf(leaf: Leaf, insertedAt: number): SplitOff {
  const middle = insertedAt === leaf.records.length - 1 ? insertedAt : leaf.records.length >> 1;
  // Two slices, since a truncated array keeps its capacity.
  const upper = new Leaf(leaf.owner, leaf.records.slice(middle), leaf.slots.slice(middle));
  leaf.records = leaf.records.slice(0, middle);
  leaf.slots = leaf.slots.slice(0, middle);
  return { key: at(upper.records, 0).key, node: upper };
}

/** Splits an overfull branch. */
export function splitBranch(branch: Branch): SplitOff {
  const middle = branch.children.length >> 1;
  const key = at(branch.keys, middle - 1);
  const upper = new Branch(
    branch.owner,
    branch.keys.slice(middle),
    branch.children.slice(middle),
    branch.counts.slice(middle),
  );
  branch.keys = branch.keys.slice(0, middle - 1);
  branch.children = branch.children.slice(0, middle);
  branch.counts = branch.counts.slice(0, middle);
  return { key, node: upper };
}

/** Inserts the split-off part of a child after that child. */
export function insertSplit(parent: Branch, childIndex: number, split: SplitOff): void {
  const moved = countOf(split.node);
  parent.counts[childIndex] = at(parent.counts, childIndex) - moved;
  parent.keys.splice(childIndex, 0, split.key);
  parent.children.splice(childIndex + 1, 0, split.node);
  parent.counts.splice(childIndex + 1, 0, moved);
}

/** Merges a child that is too small with a neighbour, or redistributes their entries when one node cannot hold them. */
export function rebalance(parent: Branch, childIndex: number): void {
  const leftIndex = childIndex > 0 ? childIndex - 1 : 0;
  const left = ownedChild(parent, leftIndex);
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
    left.slots = left.slots.concat(right.slots);
  } else if (!left.leaf && !right.leaf) {
    left.keys = left.keys.concat(key, right.keys);
    left.children = left.children.concat(right.children);
    left.counts = left.counts.concat(right.counts);
  }
  return left;
}
