import { StorageError } from '../storage.js';

/** Returns the error for a store that cannot be opened or read. */
export function refuse(message: string, cause?: unknown): StorageError {
  return new StorageError('Unavailable', { message, cause });
}

/** Returns the error for a write that did not fit on the disk. */
export function diskFull(message: string, cause: unknown): StorageError {
  return new StorageError('Unavailable', { message, cause, isDiskFull: true });
}

/** Returns the error for a damaged store; its message says how to proceed. */
export function damaged(path: string, what: string, cause?: unknown): StorageError {
  return refuse(
    `the store ${path} is damaged: ${what}. It is left unchanged: restore a backup in its place (orch-apiserver restore), or list its problems (orch-apiserver check).`,
    cause,
  );
}
