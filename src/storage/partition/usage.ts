import { isObjectKey, OBJECT_KEYS, shareTurn } from '../../foundation/index.js';
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

/** Counts what a store has: in one pass when it starts, and from then on by its events. */
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

  /** Whether an object with owners was found when the store was counted. */
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
    let page = await this.#storage.list('/', { limit: COUNTED });
    const { revision } = page;
    for (;;) {
      for (const record of page.records) {
        counts.add(record, 1);
        this.#hasOwners ||= record.text.includes(OWNERS);
      }
      const after = page.records.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) {
        this.#counts = counts;
        return revision;
      }
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      page = await this.#storage.list('/', { limit: COUNTED, after, revision });
    }
  }

  #follow(revision: Revision): void {
    this.#watch = this.#storage.watch('/', revision, {
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

  add({ key, text }: StorageRecord, sign: 1 | -1): void {
    this.bytes += sign * (key.length + text.length);
    if (!isObjectKey(key)) return;
    this.objects += sign;
    // The keys of a kind begin with one name, or with two.
    const first = key.indexOf('/', OBJECT_KEYS.length) + 1;
    const second = key.indexOf('/', first) + 1;
    if (first > 0) this.#addTo(key.slice(0, first), sign);
    if (first > 0 && second > 0) this.#addTo(key.slice(0, second), sign);
  }

  #addTo(collection: string, sign: 1 | -1): void {
    const count = (this.byCollection.get(collection) ?? 0) + sign;
    if (count === 0) this.byCollection.delete(collection);
    else this.byCollection.set(collection, count);
  }
}
