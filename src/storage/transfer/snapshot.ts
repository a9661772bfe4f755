import { shareTurn } from '../../foundation/index.js';
import type { Revision, Storage, StorageListOptions } from '../storage.js';

/** A key that exists in a snapshot. */
export interface SnapshotRecord {
  readonly key: string;
  readonly text: string;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** Expiry of the key, in milliseconds since the epoch; undefined for none. */
  readonly expiresAt: number | undefined;
}

/** The state of a store at one revision, unaffected by later writes. */
export interface StoreSnapshot {
  readonly revision: Revision;
  /** Number of records. */
  readonly count: number;
  /**
   * Yields the records in batches, in an order that the store chooses.
   *
   * @throws StorageError when the storage fails or no longer keeps the revision
   */
  batches(): AsyncIterable<readonly SnapshotRecord[]>;
}

/** Number of records read at a time. */
const PAGE = 500;

/** Takes a snapshot of the current state. It stays readable as long as the store keeps its revision. */
export async function takeSnapshot(storage: Storage): Promise<StoreSnapshot> {
  const { revision, records, remaining } = await storage.list('', { limit: 1 });
  const expiries = await storage.expiries();
  return {
    revision,
    count: records.length + remaining,
    async *batches() {
      let at: StorageListOptions = { revision, limit: PAGE };
      for (;;) {
        const turn = shareTurn();
        if (turn !== undefined) await turn;
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
