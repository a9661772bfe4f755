import { visitInTurns } from '../../meta/turn.js';
import type { StorageRecord } from '../storage.js';
import { needsCodePointOrder, precedesByCodePoint } from './key-order.js';
import { slotOf } from './record.js';
import { maskHas, type SlotMask } from './slot-set.js';
import { sortInTurns } from './sort-in-turns.js';
import {
  MAX_ENTRIES,
  MIN_ENTRIES,
  Branch,
  Leaf,
  insertSplit,
  at,
  build,
  countOf,
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

/** A position between two records, valid until the tree changes. */
export class TreePosition {
  #leaf: Leaf | undefined;
  #index: number;
  /** Number of records before the position. */
  readonly rank: number;

  constructor(leaf: Leaf, index: number, rank: number) {
    this.#leaf = leaf;
    this.#index = index;
    this.rank = rank;
  }

  /** Returns the record after the position and advances; undefined at the end. */
  next(): StorageRecord | undefined {
    while (this.#leaf !== undefined) {
      const records = this.#leaf.records;
      if (this.#index < records.length) return at(records, this.#index++);
      this.#leaf = this.#leaf.next;
      this.#index = 0;
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
      const { records, slots, next } = this.#leaf;
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
      this.#leaf = next;
      this.#index = 0;
    }
    return walked;
  }

  /** Returns a position in a copy of the next `count` records, fewer at the end. It stays valid when the tree changes. */
  copy(count: number): TreePosition {
    const first = new Leaf([], [], undefined);
    let last = first;
    let index = this.#index;
    for (let leaf = this.#leaf, remaining = count; leaf !== undefined && remaining > 0; leaf = leaf.next) {
      last.next = new Leaf(
        leaf.records.slice(index, index + remaining),
        leaf.slots.slice(index, index + remaining),
        undefined,
      );
      last = last.next;
      remaining -= last.records.length;
      index = 0;
    }
    return new TreePosition(first, 0, this.rank);
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
      this.#leaf = this.#leaf.next;
      this.#index = 0;
    }
    return slices.length <= MAX_ARGUMENTS ? NO_RECORDS.concat(...slices) : slices.flat();
  }
}

/**
 * Records in key order: a B+tree with counts. Insert, replace, remove, rank and the start of a range are O(log n);
 * reading a range is linear in its length.
 */
export class RecordTree {
  #root: Node = new Leaf([], [], undefined);
  #records = 0;
  /** Set by the first key that the native string comparison would misplace; see `key-order.ts`. */
  #codePointOrder = false;

  /**
   * Builds a tree from records with distinct keys, in any order, in the shares of several turns. Faster than inserting
   * them.
   */
  static async of(records: readonly StorageRecord[]): Promise<RecordTree> {
    const tree = new RecordTree();
    await visitInTurns(records, (record) => {
      if (needsCodePointOrder(record.key)) tree.#codePointOrder = true;
    });
    tree.#root = build(await sortInTurns(records, (left, right) => tree.precedes(left.key, right.key)));
    tree.#records = records.length;
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

  /** Adds a record whose key is not in the tree. */
  insert(record: StorageRecord): void {
    this.#codePointOrder ||= needsCodePointOrder(record.key);
    const split = this.#insertBelow(this.#root, record);
    this.#records++;
    if (split === undefined) return;
    const below = this.#records - countOf(split.node);
    this.#root = new Branch([split.key], [this.#root, split.node], [below, this.#records - below]);
  }

  /** Replaces the record with the same key, which must be in the tree and keeps its slot. */
  replace(record: StorageRecord): void {
    const leaf = this.#leafOf(record.key);
    leaf.records[this.#indexIn(leaf, record.key, Side.Before)] = record;
  }

  /** Sets the slot of a key that is in the tree. */
  setSlot(key: string, slot: number): void {
    const leaf = this.#leafOf(key);
    leaf.slots[this.#indexIn(leaf, key, Side.Before)] = slot;
  }

  /** Removes the record of a key that is in the tree. */
  remove(key: string): void {
    this.#removeBelow(this.#root, key);
    this.#records--;
    if (!this.#root.leaf && this.#root.children.length === 1) this.#root = at(this.#root.children, 0);
  }

  /** Returns the position next to a key, which need not be in the tree. */
  position(key: string, side: Side): TreePosition {
    let node = this.#root;
    let rank = 0;
    while (!node.leaf) {
      const child = this.#childAtPosition(node, key, side);
      for (let index = 0; index < child; index++) rank += at(node.counts, index);
      node = at(node.children, child);
    }
    const index = this.#indexIn(node, key, side);
    return new TreePosition(node, index, rank + index);
  }

  /** Returns the number of records before the position next to a key. */
  rank(key: string, side: Side): number {
    return this.position(key, side).rank;
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

  #insertBelow(node: Node, record: StorageRecord): SplitOff | undefined {
    if (node.leaf) {
      const index = this.#indexIn(node, record.key, Side.Before);
      node.records.splice(index, 0, record);
      node.slots.splice(index, 0, slotOf(record));
      return node.records.length > MAX_ENTRIES ? splitLeaf(node, index) : undefined;
    }
    const child = this.#childFor(node, record.key);
    const split = this.#insertBelow(at(node.children, child), record);
    node.counts[child] = at(node.counts, child) + 1;
    if (split === undefined) return undefined;
    insertSplit(node, child, split);
    return node.children.length > MAX_ENTRIES ? splitBranch(node) : undefined;
  }

  #removeBelow(node: Node, key: string): void {
    if (node.leaf) {
      const index = this.#indexIn(node, key, Side.Before);
      node.records.splice(index, 1);
      node.slots.splice(index, 1);
      return;
    }
    const index = this.#childFor(node, key);
    const child = at(node.children, index);
    this.#removeBelow(child, key);
    node.counts[index] = at(node.counts, index) - 1;
    if (width(child) < MIN_ENTRIES) rebalance(node, index);
  }
}
