import type { Revision, StorageEvent } from '../storage.js';

/** The rows that no state needs any more, to be deleted in the course of other work. */
export class Garbage {
  private revisions: Revision[] = [];
  private taken = 0;

  /** Number of rows. */
  get size(): number {
    return this.revisions.length - this.taken;
  }

  /** Adds a row. */
  add(revision: Revision): void {
    this.revisions.push(revision);
  }

  /** Adds what an event that is forgotten has kept: the version before it, and the last version of a deleted key. */
  addOf(event: StorageEvent): void {
    if (event.previous !== undefined) this.add(event.previous.modRevision);
    if (event.type === 'delete') this.add(event.revision);
  }

  /** The first rows, at most so many. They stay here until they are {@link remove}d. */
  first(count: number): readonly Revision[] {
    return this.revisions.slice(this.taken, this.taken + count);
  }

  /** Takes the first rows out, which are deleted. */
  remove(count: number): void {
    this.taken += count;
    if (this.taken < this.revisions.length >> 1) return;
    this.revisions = this.revisions.slice(this.taken);
    this.taken = 0;
  }
}
