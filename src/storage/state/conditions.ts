/**
 * What a write wants of the present version of its key.
 *
 * @module
 */
import { StorageError } from '../storage.js';
import type { Revision, StorageRecord } from '../storage.js';

/** @throws StorageError `KeyExists` */
export function assertAbsent(key: string, current: StorageRecord | undefined): void {
  if (current !== undefined) throw new StorageError('KeyExists', { key, current });
}

/**
 * The present record, which must be the version that the writer knows.
 *
 * @throws StorageError `KeyNotFound`, `Conflict`
 */
export function assertVersion(key: string, current: StorageRecord | undefined, modRevision: Revision): StorageRecord {
  if (current === undefined) throw new StorageError('KeyNotFound', { key });
  if (current.modRevision !== modRevision) throw new StorageError('Conflict', { key, current });
  return current;
}
