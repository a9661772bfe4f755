import { ENTRY_BYTES, heldLength, type MemoryAccount, type MemoryBudget } from '../memory-budget.js';
import { StorageError, type Revision, type StorageEvent, type StorageWriteOptions } from '../storage.js';

/** Counts the keys and texts of the current objects of a store, and limits them. A write costs the same at any size. */
export class ObjectsText {
  #bytes = 0;
  #objects = 0;
  #budget: MemoryBudget | undefined;
  #account: MemoryAccount | undefined;
  readonly #entryBytes: number;

  /** @param entryBytes memory of an object besides its key and text */
  constructor(entryBytes = ENTRY_BYTES) {
    this.#entryBytes = entryBytes;
  }

  /** Total length of the keys, and of the texts that their records hold. Stored texts are ASCII. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns a count of the same objects, without a budget. */
  fork(): ObjectsText {
    const forked = new ObjectsText(this.#entryBytes);
    forked.#bytes = this.#bytes;
    forked.#objects = this.#objects;
    return forked;
  }

  /** Counts a write that the store has just made. */
  apply(event: StorageEvent): void {
    const objects = event.type === 'create' ? 1 : event.type === 'delete' ? -1 : 0;
    const bytes = growthOf(event);
    this.#bytes += bytes;
    this.#objects += objects;
    this.#account?.hold(bytes + objects * this.#entryBytes);
  }

  /**
   * Counts the objects against a budget; undefined ends that.
   *
   * @param account account of the budget; default that of the current objects
   */
  countAgainst(budget: MemoryBudget | undefined, account: MemoryAccount | undefined = budget?.open('objects')): void {
    this.#account?.close();
    this.#budget = budget;
    this.#account = account;
    this.#account?.hold(this.#bytes + this.#objects * this.#entryBytes);
  }

  /** Forgets all objects, and the budget. */
  clear(): void {
    this.countAgainst(undefined);
    this.#bytes = this.#objects = 0;
  }

  /**
   * Checks that a write fits. One that does not let the objects grow, or not beyond its `growthWhenFull`, always fits.
   * The digits of the revision do not count, or a new digit would refuse every update.
   *
   * @param pendingBytes growth of writes that are not applied yet
   * @throws StorageError `Full`
   */
  assertFits(event: StorageEvent, options: StorageWriteOptions | undefined, pendingBytes = 0): void {
    const limit = this.#budget?.objectsTextBytes ?? 0;
    if (limit === 0) return;
    const growth = growthOf(event) - growthOfDigits(event);
    if (growth <= 0 || this.#bytes + pendingBytes + growth <= limit) return;
    if (growth <= (options?.growthWhenFull ?? 0)) return;
    throw new StorageError('Full', {
      key: event.key,
      message: `the objects of the server have reached the limit of ${limit} bytes of text (limits.objectsTextBytes, --max-objects-text): delete objects, or raise the limit`,
    });
  }
}

/** Returns how many bytes a write adds to the keys and texts in memory; negative when it removes some. */
export function growthOf({ type, key, record, previous }: StorageEvent): number {
  const before = previous === undefined ? 0 : key.length + heldLength(previous);
  return (type === 'delete' ? 0 : key.length + heldLength(record)) - before;
}

const digitsOf = (revision: Revision): number => String(revision).length;

function growthOfDigits({ type, revision, previous }: StorageEvent): number {
  return type !== 'update' || previous === undefined ? 0 : digitsOf(revision) - digitsOf(previous.modRevision);
}
