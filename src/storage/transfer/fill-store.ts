import { messageOf, shareTurn, type Clock } from '../../foundation/index.js';
import { StorageError } from '../storage.js';
import type { Revision, Storage, StorageRecord } from '../storage.js';
import { OLDEST_LAYOUT } from '../store-layout.js';
import { STORE_MARK_KEY, UnusableStoreError, readStoreMark, storeMarkText } from '../store-mark.js';
import type { SnapshotRecord, StoreSnapshot } from './snapshot.js';

/** Options of {@link fillStore}. */
export interface FillOptions {
  /** Clock for the remaining time of keys that expire. */
  readonly clock: Clock;
  /** Returns a text with the revision of its new record. */
  readonly stampRevision: (text: string, revision: Revision) => string;
  /** Whether to empty a store that an earlier copy left incomplete. Default false: such a store is refused. */
  readonly discardIncomplete?: boolean | undefined;
  /** Called with the number of records read so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
  /** Aborts the copy and removes the written records. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of concurrent writes. */
const IN_FLIGHT = 64;
/** Number of keys removed concurrently. */
const REMOVE_BATCH = 250;

const INCOMPLETE = storeMarkText({ layout: OLDEST_LAYOUT, dialect: undefined, continueKey: '', incomplete: true });

/**
 * Copies a snapshot into an empty store through the storage contract; the records get the store's own revisions.
 *
 * The store is marked as incomplete first and gets the snapshot's own mark at the end. A copy that fails or is aborted
 * removes its records. If its process dies, the mark remains, and every server refuses the store.
 *
 * @throws UnusableStoreError when the store is not empty; StorageError when the storage fails; the signal's reason
 */
export async function fillStore(storage: Storage, snapshot: StoreSnapshot, options: FillOptions): Promise<void> {
  const { signal } = options;
  const { modRevision } = await claimEmptyStore(storage, options.discardIncomplete === true);
  try {
    const last = await writeAll(storage, snapshot, options);
    signal?.throwIfAborted();
    if (last === undefined) await storage.delete(STORE_MARK_KEY, INCOMPLETE, modRevision);
    else await storage.update(STORE_MARK_KEY, (revision) => options.stampRevision(last.text, revision), modRevision);
  } catch (error) {
    await rollBack(storage, error);
    throw error;
  }
}

/** Marks an empty store as incomplete. */
async function claimEmptyStore(storage: Storage, discardIncomplete: boolean): Promise<StorageRecord> {
  const { mark, wasIncomplete } = await markIncomplete(storage, discardIncomplete);
  if (wasIncomplete) await removeAllBut(storage, STORE_MARK_KEY);
  const { records, remaining } = await storage.list('', { limit: 2 });
  if (records.length + remaining === 1) return mark;
  await storage.delete(STORE_MARK_KEY, INCOMPLETE, mark.modRevision);
  throw notEmpty(
    `it has ${records.length + remaining - 1} keys, such as ${records.find(({ key }) => key !== STORE_MARK_KEY)?.key ?? ''}`,
  );
}

async function markIncomplete(
  storage: Storage,
  discardIncomplete: boolean,
): Promise<{ readonly mark: StorageRecord; readonly wasIncomplete: boolean }> {
  try {
    return { mark: await storage.create(STORE_MARK_KEY, INCOMPLETE), wasIncomplete: false };
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'KeyExists' || error.current === undefined) throw error;
    const { incomplete, dialect } = readStoreMark(error.current);
    if (!incomplete) throw notEmpty(`it is a store of the dialect ${dialect ?? 'unknown'}`);
    if (!discardIncomplete)
      throw new UnusableStoreError('the store is incomplete: another copy into it is in progress or was not finished');
    return { mark: await storage.update(STORE_MARK_KEY, INCOMPLETE, error.current.modRevision), wasIncomplete: true };
  }
}

const notEmpty = (why: string): UnusableStoreError =>
  new UnusableStoreError(`the store is not empty: ${why}; nothing was changed`);

/** Writes all records but the snapshot's mark, and returns the mark. */
async function writeAll(
  storage: Storage,
  snapshot: StoreSnapshot,
  { clock, stampRevision, onProgress, signal }: FillOptions,
): Promise<SnapshotRecord | undefined> {
  let mark: SnapshotRecord | undefined;
  let read = 0;
  const write = async (record: SnapshotRecord): Promise<void> => {
    const ttl = record.expiresAt === undefined ? undefined : record.expiresAt - clock.now();
    if (ttl !== undefined && ttl <= 0) return;
    await storage.create(
      record.key,
      (revision) => stampRevision(record.text, revision),
      ttl === undefined ? {} : { ttl },
    );
  };
  for await (const batch of snapshot.batches()) {
    for (let start = 0; start < batch.length; start += IN_FLIGHT) {
      // An engine in memory writes without ever leaving the turn.
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      signal?.throwIfAborted();
      const part = batch.slice(start, start + IN_FLIGHT);
      mark = part.find(({ key }) => key === STORE_MARK_KEY) ?? mark;
      await allSettled(part.filter(({ key }) => key !== STORE_MARK_KEY).map(write));
      onProgress?.((read += part.length));
    }
  }
  return mark;
}

/** Waits for all promises, even when one fails. @throws the first failure */
async function allSettled(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function rollBack(storage: Storage, reason: unknown): Promise<void> {
  try {
    await removeAllBut(storage, STORE_MARK_KEY);
    const { record } = await storage.get(STORE_MARK_KEY);
    if (record !== undefined) await storage.delete(STORE_MARK_KEY, INCOMPLETE, record.modRevision);
  } catch (error) {
    throw new UnusableStoreError(
      `the store could not be emptied after a failure (${messageOf(reason)}) and remains marked as incomplete: ${messageOf(error)}`,
      { cause: reason },
    );
  }
}

async function removeAllBut(storage: Storage, kept: string): Promise<void> {
  for (;;) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const { records, remaining } = await storage.list('', { limit: REMOVE_BATCH });
    const removed = records.filter(({ key }) => key !== kept);
    await allSettled(removed.map((record) => remove(storage, record)));
    if (remaining === 0) return;
  }
}

async function remove(storage: Storage, record: StorageRecord): Promise<void> {
  try {
    await storage.delete(record.key, () => record.text, record.modRevision);
  } catch (error) {
    // The key has expired.
    if (!(error instanceof StorageError) || error.code !== 'KeyNotFound') throw error;
  }
}
