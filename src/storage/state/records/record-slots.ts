import type { StorageRecord } from '../../storage.js';
import type { RecordTree } from './record-tree.js';
import { NO_SLOT } from './tree-nodes.js';

/**
 * The slots of a store: small numbers for the keys that are in an index, so that a set of keys is a list of numbers or
 * a bit for each. All versions of a key have its slot, which the tree of the store keeps.
 *
 * The tree of a forked store has the slots of the original store until this store assigns its own. A slot that another
 * record has, or none, is not the slot of a key here.
 */
export class RecordSlots {
  readonly #records: (StorageRecord | undefined)[] = [];
  readonly #free: number[] = [];

  /** Number of slots, including free ones. */
  get count(): number {
    return this.#records.length;
  }

  /** Returns the current record of a slot; undefined for a free one. */
  record(slot: number): StorageRecord | undefined {
    return this.#records[slot];
  }

  /** Returns the slot of a record of a tree. It gets one if necessary. */
  assign(record: StorageRecord, tree: RecordTree): number {
    return tree.changeSlot(record.key, (known) => {
      if (this.own(record.key, known) !== NO_SLOT) return known;
      const slot = this.#free.pop() ?? this.#records.length;
      this.#records[slot] = record;
      return slot;
    });
  }

  /** Sets the current record of a slot; no effect for {@link NO_SLOT}. */
  replace(slot: number, record: StorageRecord): void {
    if (slot !== NO_SLOT) this.#records[slot] = record;
  }

  /** Frees the slot of a deleted record. */
  free(slot: number): void {
    if (slot === NO_SLOT) return;
    this.#records[slot] = undefined;
    this.#free.push(slot);
  }

  /** Returns the slot that a key has here, given its slot in the tree; {@link NO_SLOT} for none. */
  own(key: string, slot: number): number {
    return slot !== NO_SLOT && this.#records[slot]?.key === key ? slot : NO_SLOT;
  }

  /** Forgets all records. */
  clear(): void {
    this.#records.length = 0;
    this.#free.length = 0;
  }
}
