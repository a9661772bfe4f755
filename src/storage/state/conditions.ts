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
  if (current === undefined || current.modRevision !== modRevision) throw refusalOf(key, current);
  return current;
}

/** The refusal of a write over a version that is not the present one. */
export function refusalOf(key: string, current: StorageRecord | undefined): StorageError {
  return current === undefined
    ? new StorageError('KeyNotFound', { key })
    : new StorageError('Conflict', { key, current });
}
