import type { Revision, StorageEvent, StorageRecord } from '../storage.js';

/** The rows that no readable state needs. They are deleted along with other writes. */
export class Garbage {
  #revisions: Revision[] = [];
  #removed = 0;
  readonly #readLater: FinalizationRegistry<Revision> | undefined;

  /**
   * @param isReadLater whether a text may be read from its row as long as its record exists: an unfinished response may hold
   *   a record that the history has dropped. The row is garbage once nobody holds the record any more
   */
  constructor(isReadLater = false) {
    if (isReadLater) this.#readLater = new FinalizationRegistry((revision) => this.add(revision));
  }

  /** Number of rows. */
  get size(): number {
    return this.#revisions.length - this.#removed;
  }

  /** Adds a row. */
  add(revision: Revision): void {
    this.#revisions.push(revision);
  }

  /** Adds the rows of a dropped event: the previous version, and the last version of a deleted key. */
  addOf(event: StorageEvent): void {
    if (event.previous !== undefined) this.#drop(event.previous);
    if (event.type === 'delete') this.#drop(event.record);
  }

  #drop(record: StorageRecord): void {
    if (this.#readLater === undefined) this.add(record.modRevision);
    else this.#readLater.register(record, record.modRevision);
  }

  /** Returns the first rows, at most `count`. They stay until {@link remove} is called. */
  first(count: number): readonly Revision[] {
    return this.#revisions.slice(this.#removed, this.#removed + count);
  }

  /** Removes the first rows after they were deleted. */
  remove(count: number): void {
    this.#removed += count;
    if (this.#removed < this.#revisions.length >> 1) return;
    this.#revisions = this.#revisions.slice(this.#removed);
    this.#removed = 0;
  }
}
