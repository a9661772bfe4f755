import type { Revision, Storage, StorageListOptions } from '../storage.js';

/** A present key as it is carried from one store to another. */
export interface CarriedRecord {
  readonly key: string;
  readonly text: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** When the key vanishes by itself, in milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** The state of a store at one revision, whatever is written to it meanwhile. */
export interface StoreSnapshot {
  readonly revision: Revision;
  /** Number of records. */
  readonly count: number;
  /**
   * The records, in an order of the store's choice, as many at a time as are read at once.
   *
   * @throws StorageError when the storage fails, or no longer keeps the revision
   */
  batches(): AsyncIterable<readonly CarriedRecord[]>;
}

/** Records that are read at once. */
const PAGE = 500;

/** The present state of a store. It can be read for as long as the store keeps its revision. */
export async function takeSnapshot(storage: Storage): Promise<StoreSnapshot> {
  const { revision, records, remaining } = await storage.list('', { limit: 1 });
  const expiries = await storage.expiries();
  return {
    revision,
    count: records.length + remaining,
    async *batches() {
      let at: StorageListOptions = { revision, limit: PAGE };
      for (;;) {
        const page = await storage.list('', at);
        const last = page.records.at(-1);
        if (last === undefined) return;
        yield page.records.map(({ key, text, createRevision, modRevision }) => ({
          key,
          text,
          createRevision,
          modRevision,
          expiresAt: expiries.get(key),
        }));
        if (page.remaining === 0) return;
        at = { ...at, after: last.key };
      }
    },
  };
}
