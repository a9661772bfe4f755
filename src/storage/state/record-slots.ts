import type { StorageEvent, StorageRecord } from '../storage.js';
import { NO_SLOT, slotOf, VersionRecord } from './record.js';
import type { RecordTree } from './record-tree.js';

/**
 * The slots of a store: small numbers for the keys that are in an index, so that a set of keys is a list of numbers or
 * a bit for each. All versions of a key have its slot.
 */
export class RecordSlots {
  readonly #records: (StorageRecord | undefined)[] = [];
  readonly #free: number[] = [];

  /** Number of slots, including free ones. */
  get count(): number {
    return this.#records.length;
  }

  /** Returns the present record of a slot; undefined for a free one. */
  record(slot: number): StorageRecord | undefined {
    return this.#records[slot];
  }

  /** Returns the slot of a record of a tree. It gets one if necessary. */
  assign(record: StorageRecord, tree: RecordTree): number {
    if (!(record instanceof VersionRecord)) throw new Error(`the record of ${record.key} is of another engine`);
    if (record.slot !== NO_SLOT) return record.slot;
    record.slot = this.#free.pop() ?? this.#records.length;
    this.#records[record.slot] = record;
    tree.setSlot(record.key, record.slot);
    return record.slot;
  }

  /** Passes the slot of the previous version to the new one. */
  replace({ record, previous }: StorageEvent): void {
    const slot = previous === undefined ? NO_SLOT : slotOf(previous);
    if (slot === NO_SLOT || !(record instanceof VersionRecord)) return;
    record.slot = slot;
    this.#records[slot] = record;
  }

  /** Frees the slot of a deleted record. */
  free(record: StorageRecord): void {
    const slot = slotOf(record);
    if (slot === NO_SLOT) return;
    this.#records[slot] = undefined;
    this.#free.push(slot);
  }

  /** Forgets all records. */
  clear(): void {
    this.#records.length = 0;
    this.#free.length = 0;
  }
}
