import { isOvertaken } from './overtaken.js';
import { StorageError, type Storage, type StorageRecord, type ValueEncoder } from './storage.js';

/**
 * Writes a record of the servers in place of a version of it, also into a full store.
 *
 * @param before the version; undefined when there is none
 * @param written called with the new version
 * @returns false when another server was faster
 * @throws StorageError when the storage fails; what `written` throws
 */
export async function replaceRecord(
  storage: Storage,
  key: string,
  before: StorageRecord | undefined,
  text: ValueEncoder,
  written: (record: StorageRecord) => Promise<unknown> = () => Promise.resolve(),
): Promise<boolean> {
  const options = { growthWhenFull: Infinity };
  let record: StorageRecord;
  try {
    record = await (before === undefined
      ? storage.create(key, text, options)
      : storage.update(key, text, before.modRevision, options));
  } catch (error) {
    if (isOvertaken(error)) return false;
    throw error;
  }
  await written(record);
  return true;
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
