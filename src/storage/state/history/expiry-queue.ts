import { visitInTurns } from '../../../foundation/index.js';
import type { Revision, ValueEncoder } from '../../storage.js';
import { at } from '../records/tree-nodes.js';

/** The expiry of a key. */
export interface Expiry {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Revision of the write that set the expiry; with equal deadlines, the earlier write goes first. */
  readonly revision: Revision;
  readonly encode: ValueEncoder | undefined;
}

interface Entry extends Expiry {
  index: number;
}

function isEarlier(left: Expiry, right: Expiry): boolean {
  return left.deadline !== right.deadline ? left.deadline < right.deadline : left.revision < right.revision;
}

/** The expiries in order of time: a binary heap with indexed entries, so that a later write can remove its key. */
export class ExpiryQueue {
  readonly #heap: Entry[] = [];
  readonly #byKey = new Map<string, Entry>();

  /** Returns an independent queue with the same expiries. */
  copy(): ExpiryQueue {
    const queue = new ExpiryQueue();
    for (const entry of this.#heap) {
      const copied = { ...entry };
      queue.#heap.push(copied);
      queue.#byKey.set(copied.key, copied);
    }
    return queue;
  }

  /** Returns whether a key expires. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Returns the earliest expiry; undefined when there is none. */
  peek(): Expiry | undefined {
    return this.#heap[0];
  }

  /** Returns the deadlines of the keys with a prefix that expire, looked for in several turns when there are many. */
  async deadlines(prefix: string): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    await visitInTurns(this.#byKey, ([key, { deadline }]) => {
      if (key.startsWith(prefix)) found.set(key, deadline);
    });
    return found;
  }

  /** Sets the expiry of a key and replaces an earlier one. */
  set(expiry: Expiry): void {
    this.remove(expiry.key);
    const entry: Entry = { ...expiry, index: this.#heap.length };
    this.#heap.push(entry);
    this.#byKey.set(entry.key, entry);
    this.#rise(entry);
  }

  /** Removes the expiry of a key. */
  remove(key: string): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    this.#byKey.delete(key);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, entry.index);
    this.#rise(last);
    this.#sink(last);
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = at(this.#heap, (entry.index - 1) >> 1);
      if (!isEarlier(entry, parent)) return;
      const index = parent.index;
      this.#put(parent, entry.index);
      this.#put(entry, index);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      let child = this.#heap[entry.index * 2 + 1];
      if (child === undefined) return;
      const other = this.#heap[child.index + 1];
      if (other !== undefined && isEarlier(other, child)) child = other;
      if (!isEarlier(child, entry)) return;
      const index = child.index;
      this.#put(child, entry.index);
      this.#put(entry, index);
    }
  }
}
