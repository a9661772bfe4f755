import { inSlices, SharedWork, shareTurn, type Steps, type Work } from '../../../foundation/index.js';
import type { StorageTerms } from '../../storage-index.js';

/** A record whose terms take long to find. */
interface LateRecord {
  readonly steps: Steps<StorageTerms | undefined>;
  /** Undefined until they are found. */
  terms: StorageTerms | undefined;
}

/** The terms of long records. They are found one after the other, in slices that no request waits for. */
export class LateTerms {
  /** The work that finds the terms. */
  readonly work: Work = new SharedWork();
  readonly #found: (slot: number, terms: StorageTerms | undefined) => void;
  /** By slot. */
  readonly #records = new Map<number, LateRecord>();
  readonly #waiting = new Set<number>();
  #isFinding = false;

  /** @param found called once the terms of a slot are known, unless the slot is removed before */
  constructor(found: (slot: number, terms: StorageTerms | undefined) => void) {
    this.#found = found;
  }

  /** Adds a record, whose terms are not known for now. */
  add(slot: number, steps: Steps<StorageTerms | undefined>): void {
    this.#records.set(slot, { steps, terms: undefined });
    this.#waiting.add(slot);
    if (this.#isFinding) return;
    this.#isFinding = true;
    void this.#find();
  }

  /** Returns whether a slot has a long record. */
  has(slot: number): boolean {
    return this.#records.has(slot);
  }

  /** Removes a slot. Returns its terms as far as they are known. */
  remove(slot: number): StorageTerms | undefined {
    const terms = this.#records.get(slot)?.terms;
    this.#records.delete(slot);
    this.#waiting.delete(slot);
    return terms;
  }

  clear(): void {
    this.#records.clear();
    this.#waiting.clear();
  }

  async #find(): Promise<void> {
    for (;;) {
      await shareTurn();
      const [slot] = this.#waiting;
      if (slot === undefined) break;
      this.#waiting.delete(slot);
      const record = this.#records.get(slot);
      if (record === undefined) continue;
      const terms = await inSlices(this.work, record.steps);
      if (this.#records.get(slot) !== record) continue;
      record.terms = terms;
      this.#found(slot, terms);
    }
    this.#isFinding = false;
  }
}
