/**
 * The preconditions of a write on the current version of its key.
 *
 * @module
 */
import { StorageError } from '../storage.js';
import type { Revision, StorageCondition, StorageRecord } from '../storage.js';

/** Checks that a key does not exist. @throws StorageError `KeyExists` */
export function assertAbsent(key: string, current: StorageRecord | undefined): void {
  if (current !== undefined) throw new StorageError('KeyExists', { key, current });
}

/**
 * Returns the current record after checking its version.
 *
 * @throws StorageError `KeyNotFound`, `Conflict`
 */
export function assertVersion(key: string, current: StorageRecord | undefined, modRevision: Revision): StorageRecord {
  if (current === undefined || current.modRevision !== modRevision) throw versionMismatch(key, current);
  return current;
}

/** Checks the condition of a write. @param current the current record of its key; @throws StorageError `Fenced` */
export function assertHolds(condition: StorageCondition, current: StorageRecord | undefined): void {
  if ((current?.modRevision ?? 0) !== condition.modRevision) throw fenced(condition);
}

/** Returns the error of a write whose condition does not hold. */
export const fenced = ({ key }: StorageCondition): StorageError => new StorageError('Fenced', { key });

/** Returns the error of a write over a version that is not the current one. */
export function versionMismatch(key: string, current: StorageRecord | undefined): StorageError {
  return current === undefined
    ? new StorageError('KeyNotFound', { key })
    : new StorageError('Conflict', { key, current });
}
