import { decorateStorage, type Storage, type StorageRecord } from '../../src/entries/storage.js';
import { UnreadableValueError } from '../../src/storage/index.js';

/** A storage in which the values of some keys cannot be read for a time. */
export interface SealedStorage {
  readonly storage: Storage;
  /** The keys that cannot be read now, as those that another server has encrypted with a key that this one lacks. */
  readonly sealed: Set<string>;
}

/** Returns a storage above another one that fails the reads of sealed keys, and only those, as a shared engine does. */
export function sealable(inner: Storage): SealedStorage {
  const sealed = new Set<string>();
  const seal = (record: StorageRecord): StorageRecord =>
    sealed.has(record.key) ? new SealedVersion(record, sealed) : record;
  const opened = (record: StorageRecord | undefined): StorageRecord | undefined => {
    const error = record && sealed.has(record.key) ? missingKey(record.key) : undefined;
    if (error !== undefined) throw error;
    return record;
  };
  const storage = decorateStorage(inner, {
    index: undefined,
    async get(key, options) {
      const { record, revision } = await inner.get(key, options);
      return { record: opened(record), revision };
    },
    async list(prefix, options) {
      const page = await inner.list(prefix, options);
      return {
        ...page,
        records: page.records.map((each) => (options?.acceptsUnreadable ? seal(each) : (opened(each) ?? each))),
      };
    },
    watch(prefix, from, sink) {
      const { acceptsUnreadable = false } = sink;
      const watch = inner.watch(prefix, from, {
        acceptsUnreadable,
        progress: (revision) => sink.progress(revision),
        end: (reason) => sink.end(reason),
        events(events) {
          const unreadable = acceptsUnreadable ? undefined : events.find(({ key }) => sealed.has(key));
          if (unreadable === undefined)
            return sink.events(
              events.map((event) => ({
                ...event,
                record: seal(event.record),
                previous: event.previous && seal(event.previous),
              })),
            );
          watch.stop();
          sink.end({ kind: 'failed', error: missingKey(unreadable.key) });
        },
      });
      return watch;
    },
  });
  return { storage, sealed };
}

const missingKey = (key: string): UnreadableValueError => new UnreadableValueError(key, 'no matching prefix found');

/** A version that can be read while its key is not sealed. */
class SealedVersion implements StorageRecord {
  readonly key: string;
  readonly modRevision: number;
  readonly createRevision: number;
  readonly textLength: number;
  decoded: unknown;
  form: unknown;
  encodings: unknown;
  readonly #stored: StorageRecord;
  readonly #sealed: ReadonlySet<string>;

  constructor(stored: StorageRecord, sealed: ReadonlySet<string>) {
    this.key = stored.key;
    this.modRevision = stored.modRevision;
    this.createRevision = stored.createRevision;
    this.textLength = stored.text.length;
    this.#stored = stored;
    this.#sealed = sealed;
  }

  get text(): string {
    const error = this.unreadable();
    if (error !== undefined) throw error;
    return this.#stored.text;
  }

  unreadable(): Error | undefined {
    return this.#sealed.has(this.key) ? missingKey(this.key) : undefined;
  }
}
