import { StorageError } from '../storage.js';

/** The refusal of a store that cannot be opened or read. */
export function refuse(message: string, cause?: unknown): StorageError {
  return new StorageError('Unavailable', { message, cause });
}

/** The refusal of a damaged store, with the ways out. */
export function damaged(path: string, what: string, cause?: unknown): StorageError {
  return refuse(
    `the store ${path} is damaged: ${what}. It is left as it is: restore a backup in its place (orch-apiserver restore), or see what is wrong with it (orch-apiserver check).`,
    cause,
  );
}
