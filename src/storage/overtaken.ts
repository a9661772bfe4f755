import { StorageError, type StorageErrorCode } from './storage.js';

const OVERTAKEN: ReadonlySet<StorageErrorCode> = new Set<StorageErrorCode>(['KeyExists', 'Conflict', 'KeyNotFound']);

/** Returns whether a write failed because another one was faster: its key was created, changed or deleted meanwhile. */
export const isOvertaken = (error: unknown): boolean => error instanceof StorageError && OVERTAKEN.has(error.code);
