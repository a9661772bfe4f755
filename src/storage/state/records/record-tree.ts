import type { StorageRecord } from '../../storage.js';
import { needsCodePointOrder, precedesByCodePoint } from './key-order.js';
import { newOwner } from './shared-chunks.js';
import { maskHas, type SlotMask } from './slot-set.js';
import {
  MAX_ENTRIES,
  MIN_ENTRIES,
  NO_SLOT,
  Branch,
  Leaf,
  insertSplit,
  at,
  countOf,
  owned,
  ownedChild,
  rebalance,
  splitBranch,
  splitLeaf,
  width,
} from './tree-nodes.js';
import type { Node, SplitOff } from './tree-nodes.js';

/** The side of a key on which a position lies. */
export const Side = {
  /** Before the first key that is not less than it. */
  Before: 0,
  /** Before the first key greater than it. */
  After: 1,
  /** Before the first key greater than it that does not start with it. */
  AfterPrefix: 2,
} as const;

/** One of {@link Side}. */
export type Side = (typeof Side)[keyof typeof Side];

const NO_RECORDS: readonly StorageRecord[] = [];
/** Maximum number of lists joined in one call: arguments are on the stack. */
const MAX_ARGUMENTS = 4096;
/** Up to this code unit, which precedes the surrogates, the next code unit is also the next code point. */
const LAST_SIMPLE_UNIT = 0xd7ff;

/** A branch on the path to a leaf, and the index of the child on the path. */
interface PathStep {
  readonly branch: Branch;
  child: number;
  readonly above: PathStep | undefined;
}

/** A position between two records, valid until the tree changes. */
export class TreePosition {
  #leaf: Leaf | undefined;
  #index: number;
  #above: PathStep | undefined;
  /** Number of records before the position. */
  readonly rank: number;

  /** @param above the path to the leaf, which the position changes as it advances */
  constructor(leaf: Leaf, index: number, rank: number, above: PathStep | undefined) {
    this.#leaf = leaf;
    this.#index = index;
    this.rank = rank;
    this.#above = above;
  }

  /** Returns the record after the position and advances; undefined at the end. */
  next(): StorageRecord | undefined {
    while (this.#leaf !== undefined) {
      const records = this.#leaf.records;
      if (this.#index < records.length) return at(records, this.#index++);
      this.#nextLeaf();
    }
    return undefined;
  }

  /**
   * Advances by `count` records, fewer at the end or once `most` are selected. Adds those to `selected` whose slots are
   * in a mask.
   *
   * @returns the number of records that it advanced by
   */
  select(mask: SlotMask, count: number, most: number, selected: StorageRecord[]): number {
    let walked = 0;
    while (this.#leaf !== undefined && walked < count) {
      const { records, slots } = this.#leaf;
      const end = Math.min(slots.length, this.#index + count - walked);
      for (let index = this.#index; index < end; index++) {
        walked++;
        if (!maskHas(mask, at(slots, index))) continue;
        if (selected.push(at(records, index)) < most) continue;
        this.#index = index + 1;
        return walked;
      }
      this.#index = end;
      if (end < slots.length) break;
      this.#nextLeaf();
    }
    return walked;
  }

  /**
   * Returns a position in a copy of the next `count` records, fewer at the end, and advances beyond them. The position
   * in the copy stays valid when the tree changes.
   */
  copy(count: number): TreePosition {
    const owner = newOwner();
    const leaves: Leaf[] = [];
    let remaining = count;
    while (this.#leaf !== undefined && remaining > 0) {
      const [from, to] = [this.#index, this.#index + remaining];
      const leaf = new Leaf(owner, this.#leaf.records.slice(from, to), this.#leaf.slots.slice(from, to));
      leaves.push(leaf);
      remaining -= leaf.records.length;
      this.#nextLeaf();
    }
    const [first = new Leaf(owner, [], [])] = leaves;
    return new TreePosition(first, 0, this.rank, {
      branch: new Branch(owner, [], leaves, []),
      child: 0,
      above: undefined,
    });
  }

  /** Returns the next `count` records, fewer at the end, and advances. */
  take(count: number): StorageRecord[] {
    const slices: StorageRecord[][] = [];
    let remaining = count;
    while (this.#leaf !== undefined && remaining > 0) {
      const records = this.#leaf.records;
      const end = Math.min(records.length, this.#index + remaining);
      remaining -= end - this.#index;
      slices.push(this.#index === 0 && end === records.length ? records : records.slice(this.#index, end));
      this.#index = end;
      if (end < records.length) break;
      this.#nextLeaf();
    }
    return slices.length <= MAX_ARGUMENTS ? NO_RECORDS.concat(...slices) : slices.flat();
  }

  /** Moves to the start of the next leaf. */
  #nextLeaf(): void {
    this.#index = 0;
    let step = this.#above;
    while (step !== undefined && step.child + 1 === step.branch.children.length) step = step.above;
    if (step === undefined) {
      this.#leaf = undefined;
      return;
    }
    let node = at(step.branch.children, ++step.child);
    while (!node.leaf) {
      step = { branch: node, child: 0, above: step };
      node = at(node.children, 0);
    }
    this.#above = step;
    this.#leaf = node;
  }
}

/**
 * Records in key order: a B+tree with counts. Insert, replace, remove, rank and the start of a range are O(log n);
 * reading a range is linear in its length.
 */
export class RecordTree {
  #owner = newOwner();
  #root: Node = new Leaf(this.#owner, [], []);
  #records = 0;
  /** Set by the first key that the native string comparison would misplace; see `key-order.ts`. */
  #codePointOrder = false;

  /**
   * Returns an independent tree with the same records and slots. Both trees share their nodes until one changes them, so
   * this takes the same time and memory at any size.
   */
  fork(): RecordTree {
    const tree = new RecordTree();
    tree.#root = this.#root;
    tree.#records = this.#records;
    tree.#codePointOrder = this.#codePointOrder;
    // From now on neither tree owns the current nodes.
    this.#owner = newOwner();
    return tree;
  }

  /** Number of records. */
  get size(): number {
    return this.#records;
  }

  /** Returns whether a key precedes another in this tree. */
  precedes(left: string, right: string): boolean {
    return this.#codePointOrder ? precedesByCodePoint(left, right) : left < right;
  }

  /** Returns the record of a key; undefined when the key is not in the tree. */
  get(key: string): StorageRecord | undefined {
    const leaf = this.#leafOf(key);
    const record = leaf.records[this.#indexIn(leaf, key, Side.Before)];
    return record?.key === key ? record : undefined;
  }

  /** Adds a record whose key is not in the tree. It has no slot. */
  insert(record: StorageRecord): void {
    this.#codePointOrder ||= needsCodePointOrder(record.key);
    const root = this.#ownedRoot();
    const split = this.#insertBelow(root, record);
    this.#records++;
    if (split === undefined) return;
    const below = this.#records - countOf(split.node);
    this.#root = new Branch(this.#owner, [split.key], [root, split.node], [below, this.#records - below]);
  }

  /** Replaces the record with the same key, which must be in the tree. Returns the slot of the key, which it keeps. */
  replace(record: StorageRecord): number {
    const leaf = this.#ownedLeafOf(record.key);
    const index = this.#indexIn(leaf, record.key, Side.Before);
    leaf.records[index] = record;
    return at(leaf.slots, index);
  }

  /** Changes the slot of a key that is in the tree. Returns the new one. */
  changeSlot(key: string, change: (slot: number) => number): number {
    const leaf = this.#ownedLeafOf(key);
    const index = this.#indexIn(leaf, key, Side.Before);
    return (leaf.slots[index] = change(at(leaf.slots, index)));
  }

  /** Removes the record of a key that is in the tree. Returns the slot that the key had. */
  remove(key: string): number {
    const root = this.#ownedRoot();
    const slot = this.#removeBelow(root, key);
    this.#records--;
    if (!root.leaf && root.children.length === 1) this.#root = at(root.children, 0);
    return slot;
  }

  /** Returns the position next to a key, which need not be in the tree. */
  position(key: string, side: Side): TreePosition {
    let node = this.#root;
    let rank = 0;
    let above: PathStep | undefined;
    while (!node.leaf) {
      const child = this.#childAtPosition(node, key, side);
      rank += countBefore(node, child);
      above = { branch: node, child, above };
      node = at(node.children, child);
    }
    const index = this.#indexIn(node, key, side);
    return new TreePosition(node, index, rank + index, above);
  }

  /** Returns the number of records before the position next to a key. */
  rank(key: string, side: Side): number {
    let node = this.#root;
    let rank = 0;
    while (!node.leaf) {
      const child = this.#childAtPosition(node, key, side);
      rank += countBefore(node, child);
      node = at(node.children, child);
    }
    return rank + this.#indexIn(node, key, side);
  }

  /** Returns the number of records before the end of the range of a prefix. */
  rankAfterPrefix(prefix: string): number {
    if (prefix === '') return this.#records;
    // The first string after all strings with the prefix, so that a plain comparison finds the end.
    const last = prefix.charCodeAt(prefix.length - 1);
    if (last >= LAST_SIMPLE_UNIT) return this.rank(prefix, Side.AfterPrefix);
    return this.rank(prefix.slice(0, -1) + String.fromCharCode(last + 1), Side.Before);
  }

  #leafOf(key: string): Leaf {
    let node = this.#root;
    while (!node.leaf) node = at(node.children, this.#childFor(node, key));
    return node;
  }

  #ownedRoot(): Node {
    return (this.#root = owned(this.#root, this.#owner));
  }

  #ownedLeafOf(key: string): Leaf {
    let node = this.#ownedRoot();
    while (!node.leaf) node = ownedChild(node, this.#childFor(node, key));
    return node;
  }

  #isBefore(probe: string, key: string, side: Side): boolean {
    if (side === Side.Before) return this.precedes(probe, key);
    if (side === Side.After) return !this.precedes(key, probe);
    return this.precedes(probe, key) || probe.startsWith(key);
  }

  #indexIn(leaf: Leaf, key: string, side: Side): number {
    let low = 0;
    let high = leaf.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(at(leaf.records, middle).key, key, side)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the child that contains the position next to a key, possibly at its end. */
  #childAtPosition(branch: Branch, key: string, side: Side): number {
    let low = 0;
    let high = branch.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(at(branch.keys, middle), key, side)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the index of the child for a key. A separator key belongs to the child after it. */
  #childFor(branch: Branch, key: string): number {
    return this.#childAtPosition(branch, key, Side.After);
  }

  /** Inserts a record at or below a node that this tree owns. */
  #insertBelow(node: Node, record: StorageRecord): SplitOff | undefined {
    if (node.leaf) {
      const index = this.#indexIn(node, record.key, Side.Before);
      node.records.splice(index, 0, record);
      node.slots.splice(index, 0, NO_SLOT);
      return node.records.length > MAX_ENTRIES ? splitLeaf(node, index) : undefined;
    }
    const child = this.#childFor(node, record.key);
    const split = this.#insertBelow(ownedChild(node, child), record);
    node.counts[child] = at(node.counts, child) + 1;
    if (split === undefined) return undefined;
    insertSplit(node, child, split);
    return node.children.length > MAX_ENTRIES ? splitBranch(node) : undefined;
  }

  /** Removes a key at or below a node that this tree owns. Returns the slot that the key had. */
  #removeBelow(node: Node, key: string): number {
    if (node.leaf) {
      const index = this.#indexIn(node, key, Side.Before);
      const slot = at(node.slots, index);
      node.records.splice(index, 1);
      node.slots.splice(index, 1);
      return slot;
    }
    const index = this.#childFor(node, key);
    const child = ownedChild(node, index);
    const slot = this.#removeBelow(child, key);
    node.counts[index] = at(node.counts, index) - 1;
    if (width(child) < MIN_ENTRIES) rebalance(node, index);
    return slot;
  }
}

/** Returns the number of records below the children before one. */
function countBefore({ counts }: Branch, child: number): number {
  let count = 0;
  for (let index = 0; index < child; index++) count += at(counts, index);
  return count;
}
