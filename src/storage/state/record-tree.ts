import type { StorageRecord } from '../storage.js';
import { needsCodePointOrder, precedesByCodePoint } from './key-order.js';
import {
  MAX_ENTRIES,
  MIN_ENTRIES,
  Branch,
  Leaf,
  adopt,
  at,
  build,
  countOf,
  refill,
  splitBranch,
  splitLeaf,
  width,
} from './tree-nodes.js';
import type { Node, SplitOff } from './tree-nodes.js';

/** Where a position stands in relation to a key. */
export const Side = {
  /** Before the first key that is not below it. */
  Before: 0,
  /** Before the first key above it. */
  Behind: 1,
  /** Before the first key above it that does not start with it. */
  BehindPrefix: 2,
} as const;

/** One of {@link Side}. */
export type Side = (typeof Side)[keyof typeof Side];

const NO_RECORDS: readonly StorageRecord[] = [];
/** Most lists joined in one call: the arguments of a call lie on the stack. */
const MAX_ARGUMENTS = 4096;
/** Below the last unit before the surrogates, the next unit is the next code point too. */
const LAST_SIMPLE_UNIT = 0xd7ff;

/** A place between two records. Valid until the tree changes. */
export class TreePosition {
  private leaf: Leaf | undefined;
  private index: number;
  /** Number of records before the position. */
  readonly rank: number;

  constructor(leaf: Leaf, index: number, rank: number) {
    this.leaf = leaf;
    this.index = index;
    this.rank = rank;
  }

  /** The record behind the position, which moves on over it; undefined at the end. */
  next(): StorageRecord | undefined {
    while (this.leaf !== undefined) {
      const records = this.leaf.records;
      if (this.index < records.length) return at(records, this.index++);
      this.leaf = this.leaf.next;
      this.index = 0;
    }
    return undefined;
  }

  /** The next `count` records, or fewer at the end; the position moves on over them. */
  take(count: number): StorageRecord[] {
    const slices: StorageRecord[][] = [];
    let wanted = count;
    while (this.leaf !== undefined && wanted > 0) {
      const records = this.leaf.records;
      const end = Math.min(records.length, this.index + wanted);
      wanted -= end - this.index;
      slices.push(this.index === 0 && end === records.length ? records : records.slice(this.index, end));
      this.index = end;
      if (end < records.length) break;
      this.leaf = this.leaf.next;
      this.index = 0;
    }
    return slices.length <= MAX_ARGUMENTS ? NO_RECORDS.concat(...slices) : slices.flat();
  }
}

/**
 * Records in the order of their keys: a B+tree that counts. Insert, replace, remove, rank and the start of a range are
 * O(log n); a range costs its own length.
 */
export class RecordTree {
  private root: Node = new Leaf([], undefined);
  private records = 0;
  /** Set by the first key that the native comparison would misplace; see `key-order.ts`. */
  private codePointOrder = false;

  /** The tree of records whose keys differ, in no order. Faster than inserting them. */
  static of(records: readonly StorageRecord[]): RecordTree {
    const tree = new RecordTree();
    tree.codePointOrder = records.some((record) => needsCodePointOrder(record.key));
    tree.root = build([...records].sort((left, right) => (tree.precedes(left.key, right.key) ? -1 : 1)));
    tree.records = records.length;
    return tree;
  }

  /** Number of records. */
  get size(): number {
    return this.records;
  }

  /** Whether a key comes before another in the order of this tree. */
  precedes(left: string, right: string): boolean {
    return this.codePointOrder ? precedesByCodePoint(left, right) : left < right;
  }

  /** Adds a record whose key is not in the tree. */
  insert(record: StorageRecord): void {
    this.codePointOrder ||= needsCodePointOrder(record.key);
    const split = this.insertBelow(this.root, record);
    this.records++;
    if (split === undefined) return;
    const below = this.records - countOf(split.node);
    this.root = new Branch([split.key], [this.root, split.node], [below, this.records - below]);
  }

  /** Puts a record into the place of the one with the same key, which is in the tree. */
  replace(record: StorageRecord): void {
    let node = this.root;
    while (!node.leaf) node = at(node.children, this.childFor(node, record.key));
    node.records[this.indexIn(node, record.key, Side.Before)] = record;
  }

  /** Takes out the record of a key that is in the tree. */
  remove(key: string): void {
    this.removeBelow(this.root, key);
    this.records--;
    if (!this.root.leaf && this.root.children.length === 1) this.root = at(this.root.children, 0);
  }

  /** The place beside a key, which need not be in the tree. */
  position(key: string, side: Side): TreePosition {
    let node = this.root;
    let rank = 0;
    while (!node.leaf) {
      const child = this.childBeside(node, key, side);
      for (let index = 0; index < child; index++) rank += at(node.counts, index);
      node = at(node.children, child);
    }
    const index = this.indexIn(node, key, side);
    return new TreePosition(node, index, rank + index);
  }

  /** Number of records before the place beside a key. */
  rank(key: string, side: Side): number {
    return this.position(key, side).rank;
  }

  /** Number of records before the end of the range of keys that start with a prefix. */
  rankBehindPrefix(prefix: string): number {
    if (prefix === '') return this.records;
    // The first string above all that start with the prefix, so that a plain comparison finds the end.
    const last = prefix.charCodeAt(prefix.length - 1);
    if (last >= LAST_SIMPLE_UNIT) return this.rank(prefix, Side.BehindPrefix);
    return this.rank(prefix.slice(0, -1) + String.fromCharCode(last + 1), Side.Before);
  }

  private isBefore(probe: string, key: string, side: Side): boolean {
    if (side === Side.Before) return this.precedes(probe, key);
    if (side === Side.Behind) return !this.precedes(key, probe);
    return this.precedes(probe, key) || probe.startsWith(key);
  }

  private indexIn(leaf: Leaf, key: string, side: Side): number {
    let low = 0;
    let high = leaf.records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isBefore(at(leaf.records, middle).key, key, side)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The child in which, or at the end of which, the place beside a key is. */
  private childBeside(branch: Branch, key: string, side: Side): number {
    let low = 0;
    let high = branch.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.isBefore(at(branch.keys, middle), key, side)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The child that holds a key, or is to hold it: a parting key belongs to the child behind it. */
  private childFor(branch: Branch, key: string): number {
    return this.childBeside(branch, key, Side.Behind);
  }

  private insertBelow(node: Node, record: StorageRecord): SplitOff | undefined {
    if (node.leaf) {
      const index = this.indexIn(node, record.key, Side.Before);
      node.records.splice(index, 0, record);
      return node.records.length > MAX_ENTRIES ? splitLeaf(node, index) : undefined;
    }
    const child = this.childFor(node, record.key);
    const split = this.insertBelow(at(node.children, child), record);
    node.counts[child] = at(node.counts, child) + 1;
    if (split === undefined) return undefined;
    adopt(node, child, split);
    return node.children.length > MAX_ENTRIES ? splitBranch(node) : undefined;
  }

  private removeBelow(node: Node, key: string): void {
    if (node.leaf) {
      node.records.splice(this.indexIn(node, key, Side.Before), 1);
      return;
    }
    const index = this.childFor(node, key);
    const child = at(node.children, index);
    this.removeBelow(child, key);
    node.counts[index] = at(node.counts, index) - 1;
    if (width(child) < MIN_ENTRIES) refill(node, index);
  }
}
