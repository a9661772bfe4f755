import type { Revision, ValueEncoder } from '../storage.js';
import { at } from './tree-nodes.js';

/** A key that is to vanish. */
export interface Expiry {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** The write that set the time; of two with the same deadline the earlier goes first. */
  readonly revision: Revision;
  readonly encode: ValueEncoder | undefined;
}

interface Entry extends Expiry {
  index: number;
}

function isEarlier(left: Expiry, right: Expiry): boolean {
  return left.deadline !== right.deadline ? left.deadline < right.deadline : left.revision < right.revision;
}

/** The keys that are to vanish, by time: a binary heap whose entries know their places, so that a later write takes its key out. */
export class ExpiryQueue {
  private readonly heap: Entry[] = [];
  private readonly byKey = new Map<string, Entry>();

  /** The earliest, or undefined when no key is to vanish. */
  peek(): Expiry | undefined {
    return this.heap[0];
  }

  /** The times of all keys that are to vanish. */
  deadlines(): Map<string, number> {
    return new Map(Array.from(this.byKey, ([key, { deadline }]) => [key, deadline]));
  }

  /** Lets a key vanish, instead of at the time set before. */
  set(expiry: Expiry): void {
    this.remove(expiry.key);
    const entry: Entry = { ...expiry, index: this.heap.length };
    this.heap.push(entry);
    this.byKey.set(entry.key, entry);
    this.rise(entry);
  }

  /** Lets a key stay. */
  remove(key: string): void {
    const entry = this.byKey.get(key);
    if (entry === undefined) return;
    this.byKey.delete(key);
    const last = this.heap.pop();
    if (last === undefined || last === entry) return;
    this.place(last, entry.index);
    this.rise(last);
    this.sink(last);
  }

  /** Forgets all. */
  clear(): void {
    this.heap.length = 0;
    this.byKey.clear();
  }

  private place(entry: Entry, index: number): void {
    this.heap[index] = entry;
    entry.index = index;
  }

  private rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = at(this.heap, (entry.index - 1) >> 1);
      if (!isEarlier(entry, parent)) return;
      const index = parent.index;
      this.place(parent, entry.index);
      this.place(entry, index);
    }
  }

  private sink(entry: Entry): void {
    for (;;) {
      let child = this.heap[entry.index * 2 + 1];
      if (child === undefined) return;
      const other = this.heap[child.index + 1];
      if (other !== undefined && isEarlier(other, child)) child = other;
      if (!isEarlier(child, entry)) return;
      const index = child.index;
      this.place(child, entry.index);
      this.place(entry, index);
    }
  }
}
