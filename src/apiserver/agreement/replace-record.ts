import { isOvertaken, StorageError, type Storage, type StorageRecord, type ValueEncoder } from '../../storage/index.js';

/**
 * Writes a record of the servers in place of a version of it, also into a full store.
 *
 * @param before the version; undefined when there is none
 * @returns false when another server was faster
 * @throws StorageError when the storage fails
 */
export async function replaceRecord(
  storage: Storage,
  key: string,
  before: StorageRecord | undefined,
  text: ValueEncoder,
): Promise<boolean> {
  const options = { growthWhenFull: Infinity };
  try {
    await (before === undefined
      ? storage.create(key, text, options)
      : storage.update(key, text, before.modRevision, options));
    return true;
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
}

/** Most attempts to write a record while other servers do. */
const ATTEMPTS = 100;

/**
 * Repeats an attempt to write a record of the servers until it has succeeded.
 *
 * @param what the record, for the message
 * @param attempt reads the record and writes it; returns false when another server was faster
 * @throws StorageError `Unavailable` when others were faster too often; what the attempt throws
 */
export async function untilWritten(what: string, attempt: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < ATTEMPTS; count += 1) if (await attempt()) return;
  throw new StorageError('Unavailable', { message: `${what} is written by too many servers at once` });
}
