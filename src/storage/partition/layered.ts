/**
 * A store that also has the records of a read-only base, until it writes them itself.
 *
 * @module
 */
import { decorateStorage } from '../decorate.js';
import type { StorageIndex, TermsOf } from '../storage-index.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatchSink,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage.js';
import { restamped, type BaseRecords } from './base-records.js';
import { layeredPage } from './layered-page.js';
import { isTombstone, TOMBSTONE } from './tombstone.js';

/**
 * Returns a store that has the records of a base besides its own. The base precedes the first write of the store: its
 * records have the revision 1, and no watch delivers them. The first write to such a key copies the record into the store,
 * and a delete leaves a tombstone there. So the base never changes, and many stores can share it, together with what
 * readers cache with its records.
 *
 * A key of the base cannot have a time to live, and its `createRevision` is that of the copy. Ranges that contain keys of
 * the base have no index.
 *
 * @param upper the store that is written to; its revisions begin at 1 or later
 */
export function layeredStorage(upper: Storage, base: BaseRecords): Storage {
  return new Layered(upper, base).storage;
}

/** A delete of a record of the base that is not acknowledged yet. */
interface Removal {
  readonly encode: ValueEncoder;
  readonly decoded: unknown;
}

class Layered {
  readonly storage: Storage;
  readonly #upper: Storage;
  readonly #base: BaseRecords;
  readonly #removals = new Map<string, Removal>();
  /** The last versions of deleted records, by their tombstones. */
  readonly #last = new WeakMap<StorageRecord, StorageRecord>();

  constructor(upper: Storage, base: BaseRecords) {
    this.#upper = upper;
    this.#base = base;
    this.storage = decorateStorage(upper, {
      index:
        upper.index === undefined
          ? undefined
          : (prefix, termsOf) => this.#index(prefix, termsOf) ?? { find: async () => undefined, drop: () => undefined },
      get: (key, options) => {
        const found = upper.get(key, options);
        if (!base.has(key)) return found;
        return found.then(({ record, revision }) => ({ record: this.#visible(key, record), revision }));
      },
      list: (prefix, options) =>
        base.hasPrefix(prefix) ? layeredPage(upper, base, prefix, options ?? {}) : upper.list(prefix, options),
      create: (key, encode, options) =>
        base.has(key) ? this.#create(key, encode, options) : upper.create(key, encode, options),
      update: (key, encode, modRevision, options) =>
        base.has(key)
          ? this.#update(key, encode, modRevision, options)
          : upper.update(key, encode, modRevision, options),
      delete: (key, encode, modRevision, options) =>
        base.has(key)
          ? this.#delete(key, encode, modRevision, options)
          : upper.delete(key, encode, modRevision, options),
      watch: (prefix, from, sink) => upper.watch(prefix, from, base.hasPrefix(prefix) ? this.#sink(sink) : sink),
    });
  }

  #index(prefix: string, termsOf: TermsOf): StorageIndex | undefined {
    return this.#base.hasPrefix(prefix) ? undefined : this.#upper.index?.(prefix, termsOf);
  }

  /** Returns what readers see of a key of the base. */
  #visible(key: string, record: StorageRecord | undefined): StorageRecord | undefined {
    if (record === undefined) return this.#base.get(key);
    return isTombstone(record) ? undefined : record;
  }

  async #create(key: string, encode: ValueEncoder, options: StorageWriteOptions | undefined): Promise<StorageRecord> {
    refuseTtl(key, options);
    for (;;) {
      const { record } = await this.#upper.get(key);
      const current = this.#visible(key, record);
      if (record === undefined || current !== undefined) throw new StorageError('KeyExists', { key, current });
      try {
        return await this.#upper.update(key, encode, record.modRevision, options);
      } catch (error) {
        if (!isRace(error)) throw error;
      }
    }
  }

  async #update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions | undefined,
  ): Promise<StorageRecord> {
    refuseTtl(key, options);
    // The version that a write replaces is read, so it must be durable.
    const own = { ...options, accepted: undefined };
    return this.#replace(key, modRevision, (record) =>
      record === undefined
        ? this.#upper.create(key, encode, own)
        : this.#upper.update(key, encode, record.modRevision, own),
    );
  }

  async #delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions | undefined,
  ): Promise<StorageRecord> {
    const removal = { encode, decoded: options?.decoded };
    const kept = { growthWhenFull: TOMBSTONE.length + key.length, while: options?.while };
    const bury = (): string => TOMBSTONE;
    this.#removals.set(key, removal);
    try {
      return await this.#replace(key, modRevision, async (record, current) => {
        const tombstone =
          record === undefined
            ? await this.#upper.create(key, bury, kept)
            : await this.#upper.update(key, bury, record.modRevision, kept);
        return this.#lastVersion(tombstone, current);
      });
    } finally {
      if (this.#removals.get(key) === removal) this.#removals.delete(key);
    }
  }

  /**
   * Writes a new version of a key of the base.
   *
   * @param write gets the record of the store, if it has one, and the visible one
   */
  async #replace(
    key: string,
    modRevision: Revision,
    write: (record: StorageRecord | undefined, current: StorageRecord) => Promise<StorageRecord>,
  ): Promise<StorageRecord> {
    for (;;) {
      const { record } = await this.#upper.get(key);
      const current = this.#visible(key, record);
      if (current === undefined) throw new StorageError('KeyNotFound', { key });
      if (current.modRevision !== modRevision) throw new StorageError('Conflict', { key, current });
      try {
        return await write(record, current);
      } catch (error) {
        if (!isRace(error)) throw error;
      }
    }
  }

  /** Returns the last version of a deleted record, at the revision of its delete. */
  #lastVersion(tombstone: StorageRecord, previous: StorageRecord): StorageRecord {
    const known = this.#last.get(tombstone);
    if (known !== undefined) return known;
    const { key, modRevision } = tombstone;
    const removal = this.#removals.get(key);
    const last: StorageRecord = {
      ...{ key, modRevision, createRevision: previous.createRevision, protection: previous.protection },
      text: removal?.encode(modRevision) ?? restamped(previous.text, modRevision),
      decoded: removal?.decoded,
    };
    this.#last.set(tombstone, last);
    return last;
  }

  #sink(sink: StorageWatchSink): StorageWatchSink {
    return {
      acceptsUnreadable: sink.acceptsUnreadable,
      // A version of the base that cannot be read may be a tombstone: it throws, which ends the watch.
      events: (events) => sink.events(events.map((event) => (this.#base.has(event.key) ? this.#event(event) : event))),
      progress: (revision) => sink.progress(revision),
      end: (reason) => sink.end(reason),
    };
  }

  /** Returns an event of a key of the base as readers see it. A tombstone follows a visible version, and precedes one. */
  #event({ key, revision, record, previous }: StorageEvent): StorageEvent {
    const before = this.#visible(key, previous);
    if (!isTombstone(record))
      return { type: before === undefined ? 'create' : 'update', key, revision, record, previous: before };
    if (before === undefined) throw new Error(`the key ${key} was deleted twice`);
    return { type: 'delete', key, revision, record: this.#lastVersion(record, before), previous: before };
  }
}

/** Returns whether another write came first, so that the caller has to read the key again. */
const isRace = (error: unknown): boolean =>
  error instanceof StorageError && ['KeyExists', 'KeyNotFound', 'Conflict'].includes(error.code);

/** @throws Error for a time to live, after which the record of the base would appear again */
function refuseTtl(key: string, options: StorageWriteOptions | undefined): void {
  if (options?.ttl !== undefined) throw new Error(`the key ${key} belongs to the base and cannot have a time to live`);
}
