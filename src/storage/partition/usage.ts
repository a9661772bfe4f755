import { isObjectKey, OBJECT_KEYS, shareTurn } from '../../foundation/index.js';
import { lengthOfText } from '../record-texts.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
} from '../storage.js';

/** Number of records that are counted between two looks at the time. */
const COUNTED = 500;
/** The member of a text that names the owners of an object. */
const OWNERS = '"ownerReferences":';

/**
 * Counts what a store has: in one pass when it starts, and from then on by its events. A version that cannot be read counts
 * with the length of what is stored, so that the others can still be checked.
 */
export class StoreUsage {
  readonly #storage: Storage;
  #watch: StorageWatch | undefined;
  #counts = new Counts();
  #hasOwners = false;
  #failure: Error | undefined;
  #counted: ((key: string) => void) | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Number of objects. */
  get objects(): number {
    return this.#counts.objects;
  }

  /** Total length of all keys and texts. Stored texts are ASCII. */
  get bytes(): number {
    return this.#counts.bytes;
  }

  /** Whether an object with owners, or one that could not be read, was found when the store was counted. */
  get hasOwners(): boolean {
    return this.#hasOwners;
  }

  /** Returns the number of objects of a kind. @param keyPrefix prefix of the keys of the kind, which ends in `/` */
  objectsOf(keyPrefix: string): number {
    return this.#counts.byCollection.get(keyPrefix) ?? 0;
  }

  /** Calls a function with the key of each write that has been counted. */
  onCounted(listener: (key: string) => void): void {
    this.#counted = listener;
  }

  /** Counts the store, and follows it. @throws StorageError when the storage fails */
  async start(): Promise<void> {
    for (;;) {
      try {
        this.#follow(await this.#count());
        return;
      } catch (error) {
        // Compacted while it was read: another pass is shorter than the history.
        if (!(error instanceof StorageError) || error.code !== 'Compacted') throw error;
      }
    }
  }

  stop(): void {
    this.#watch?.stop();
  }

  /** @throws Error when the count no longer follows the store */
  assertFollows(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Until all is counted, the last counts are in force: with part of them, everything would fit. */
  async #count(): Promise<Revision> {
    const counts = new Counts();
    let page = await this.#storage.list('/', { limit: COUNTED, acceptsUnreadable: true });
    const { revision } = page;
    for (;;) {
      for (const record of page.records) {
        counts.add(record, 1);
        this.#hasOwners ||= record.unreadable?.() !== undefined || record.text.includes(OWNERS);
      }
      const after = page.records.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) {
        this.#counts = counts;
        return revision;
      }
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      page = await this.#storage.list('/', { limit: COUNTED, after, revision, acceptsUnreadable: true });
    }
  }

  #follow(revision: Revision): void {
    this.#watch = this.#storage.watch('/', revision, {
      acceptsUnreadable: true,
      events: (events) => events.forEach((event) => this.#apply(event)),
      progress: () => undefined,
      end: (reason) => {
        if (reason.kind === 'compacted') this.start().catch((error: unknown) => this.#fail(error));
        else if (reason.kind === 'failed') this.#fail(reason.error);
      },
    });
  }

  #fail(cause: unknown): void {
    this.#failure = new StorageError('Unavailable', { message: 'the quota of the store cannot be checked', cause });
  }

  #apply({ type, key, record, previous }: StorageEvent): void {
    if (previous !== undefined) this.#counts.add(previous, -1);
    if (type !== 'delete') this.#counts.add(record, 1);
    this.#counted?.(key);
  }
}

/** The counts of a store. */
class Counts {
  objects = 0;
  bytes = 0;
  /** Numbers of objects, by the prefix of their keys. */
  readonly byCollection = new Map<string, number>();
  /** The lengths with which versions that could not be read are counted, by key. */
  readonly #unread = new Map<string, number>();

  add(record: StorageRecord, sign: 1 | -1): void {
    const { key } = record;
    this.bytes += sign * (key.length + this.#lengthOf(record, sign));
    if (!isObjectKey(key)) return;
    this.objects += sign;
    // The keys of a kind begin with one name, or with two.
    const first = key.indexOf('/', OBJECT_KEYS.length) + 1;
    const second = key.indexOf('/', first) + 1;
    if (first > 0) this.#addTo(key.slice(0, first), sign);
    if (first > 0 && second > 0) this.#addTo(key.slice(0, second), sign);
  }

  /** Returns the length of a text. When the version is gone, that with which it was counted. */
  #lengthOf(record: StorageRecord, sign: 1 | -1): number {
    const { key } = record;
    const counted = sign < 0 ? this.#unread.get(key) : undefined;
    if (counted !== undefined) {
      this.#unread.delete(key);
      return counted;
    }
    if (record.unreadable?.() === undefined) return record.text.length;
    const length = lengthOfText(record);
    if (sign > 0) this.#unread.set(key, length);
    return length;
  }

  #addTo(collection: string, sign: 1 | -1): void {
    const count = (this.byCollection.get(collection) ?? 0) + sign;
    if (count === 0) this.byCollection.delete(collection);
    else this.byCollection.set(collection, count);
  }
}
