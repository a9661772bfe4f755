import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import { STORE_LAYOUT, STORE_MARK_KEY, UnusableStoreError, readStoreMark, storeMarkText } from '../store-mark.js';
import { StorageError } from '../storage.js';
import type { Revision, Storage, StorageRecord } from '../storage.js';
import type { CarriedRecord, StoreSnapshot } from './snapshot.js';

/** How a store is filled. */
export interface FillOptions {
  /** Tells how long a key that vanishes by itself has left. */
  readonly clock: Clock;
  /** Puts the revision that a record gets into its text. */
  readonly stampRevision: (text: string, revision: Revision) => string;
  /** Empties a store first that an earlier filling has left incomplete. Default false: such a store is refused. */
  readonly discardIncomplete?: boolean | undefined;
  /** Told how many records have been read so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
  /** Ends the filling; what was written is removed again. */
  readonly signal?: AbortSignal | undefined;
}

/** Writes that are under way at once. */
const IN_FLIGHT = 64;
/** Keys that are removed at once. */
const REMOVED_AT_ONCE = 500;

const INCOMPLETE = storeMarkText({ layout: STORE_LAYOUT, dialect: undefined, continueKey: '', incomplete: true });

/**
 * Writes a snapshot into an empty store, through the operations that every store has: its records get the store's own
 * revisions.
 *
 * The store is marked as incomplete before anything else is written, and gets the snapshot's own mark at the end. A filling
 * that fails or is ended removes what it wrote; one whose process dies leaves a store that every server refuses.
 *
 * @throws UnusableStoreError when the store is not empty; StorageError when the storage fails; the signal's reason
 */
export async function fillStore(storage: Storage, snapshot: StoreSnapshot, options: FillOptions): Promise<void> {
  const { signal } = options;
  const { modRevision } = await beginFilling(storage, options.discardIncomplete === true);
  try {
    const last = await writeAll(storage, snapshot, options);
    signal?.throwIfAborted();
    if (last === undefined) await storage.delete(STORE_MARK_KEY, INCOMPLETE, modRevision);
    else await storage.update(STORE_MARK_KEY, (revision) => options.stampRevision(last.text, revision), modRevision);
  } catch (error) {
    await undo(storage, error);
    throw error;
  }
}

/** Marks an empty store as incomplete. */
async function beginFilling(storage: Storage, discardIncomplete: boolean): Promise<StorageRecord> {
  const { mark, wasIncomplete } = await leaveMark(storage, discardIncomplete);
  if (wasIncomplete) await removeAllBut(storage, STORE_MARK_KEY);
  const { records, remaining } = await storage.list('', { limit: 2 });
  if (records.length + remaining === 1) return mark;
  await storage.delete(STORE_MARK_KEY, INCOMPLETE, mark.modRevision);
  throw notEmpty(
    `it has ${records.length + remaining - 1} keys, as ${records.find(({ key }) => key !== STORE_MARK_KEY)?.key ?? ''}`,
  );
}

async function leaveMark(
  storage: Storage,
  discardIncomplete: boolean,
): Promise<{ readonly mark: StorageRecord; readonly wasIncomplete: boolean }> {
  try {
    return { mark: await storage.create(STORE_MARK_KEY, INCOMPLETE), wasIncomplete: false };
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'KeyExists' || error.current === undefined) throw error;
    const { incomplete, dialect } = readStoreMark(error.current);
    if (!incomplete) throw notEmpty(`it is a store of the dialect ${dialect ?? 'nobody knows'}`);
    if (!discardIncomplete)
      throw new UnusableStoreError(
        'the store is incomplete: another copy into it is under way, or was not brought to its end',
      );
    return { mark: await storage.update(STORE_MARK_KEY, INCOMPLETE, error.current.modRevision), wasIncomplete: true };
  }
}

const notEmpty = (why: string): UnusableStoreError =>
  new UnusableStoreError(`the store is not empty: ${why}; nothing was changed`);

/** Writes the records; the mark among them is held back and returned. */
async function writeAll(
  storage: Storage,
  snapshot: StoreSnapshot,
  { clock, stampRevision, onProgress, signal }: FillOptions,
): Promise<CarriedRecord | undefined> {
  let mark: CarriedRecord | undefined;
  let read = 0;
  const write = async (record: CarriedRecord): Promise<void> => {
    const ttlMs = record.expiresAt === undefined ? undefined : record.expiresAt - clock.now();
    if (ttlMs !== undefined && ttlMs <= 0) return;
    await storage.create(
      record.key,
      (revision) => stampRevision(record.text, revision),
      ttlMs === undefined ? {} : { ttlMs },
    );
  };
  for await (const batch of snapshot.batches()) {
    for (let start = 0; start < batch.length; start += IN_FLIGHT) {
      signal?.throwIfAborted();
      const part = batch.slice(start, start + IN_FLIGHT);
      mark = part.find(({ key }) => key === STORE_MARK_KEY) ?? mark;
      await allSettled(part.filter(({ key }) => key !== STORE_MARK_KEY).map(write));
      onProgress?.((read += part.length));
    }
  }
  return mark;
}

/** Waits for all, so that none is still under way when one has failed. @throws the first failure */
async function allSettled(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function undo(storage: Storage, reason: unknown): Promise<void> {
  try {
    await removeAllBut(storage, STORE_MARK_KEY);
    const { record } = await storage.get(STORE_MARK_KEY);
    if (record !== undefined) await storage.delete(STORE_MARK_KEY, INCOMPLETE, record.modRevision);
  } catch (error) {
    throw new UnusableStoreError(
      `the store could not be emptied again, and stays marked as incomplete: ${messageOf(error)}; it was to be emptied because of: ${messageOf(reason)}`,
      { cause: reason },
    );
  }
}

async function removeAllBut(storage: Storage, kept: string): Promise<void> {
  for (;;) {
    const { records, remaining } = await storage.list('', { limit: REMOVED_AT_ONCE });
    const removed = records.filter(({ key }) => key !== kept);
    await allSettled(removed.map((record) => remove(storage, record)));
    if (remaining === 0) return;
  }
}

async function remove(storage: Storage, record: StorageRecord): Promise<void> {
  try {
    await storage.delete(record.key, () => record.text, record.modRevision);
  } catch (error) {
    // It has vanished by itself.
    if (!(error instanceof StorageError) || error.code !== 'KeyNotFound') throw error;
  }
}
