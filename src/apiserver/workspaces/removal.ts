import { shareTurn } from '../../foundation/index.js';
import { StorageError, type Storage, type StorageRecord } from '../../storage/index.js';

/** Number of keys that are read at a time. */
const PAGE = 500;
/** Number of deletes that an engine may commit together. */
const TOGETHER = 64;

/**
 * Deletes all keys that begin with a prefix, also those that are written meanwhile. After a failure, or the end of the
 * process, another call continues.
 *
 * @throws StorageError when the storage fails
 */
export async function removeKeys(storage: Storage, prefix: string): Promise<void> {
  for (;;) {
    const { records } = await storage.list(prefix, { limit: PAGE });
    if (records.length === 0) return;
    for (let at = 0; at < records.length; at += TOGETHER) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      await Promise.all(records.slice(at, at + TOGETHER).map((record) => removeKey(storage, record)));
    }
  }
}

/** Deletes a version of a key, unless the key has changed or is gone: the caller lists the keys again. */
async function removeKey(storage: Storage, { key, text, modRevision }: StorageRecord): Promise<void> {
  try {
    await storage.delete(key, () => text, modRevision);
  } catch (error) {
    if (!(error instanceof StorageError) || (error.code !== 'KeyNotFound' && error.code !== 'Conflict')) throw error;
  }
}
