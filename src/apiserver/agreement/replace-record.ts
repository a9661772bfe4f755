import { isOvertaken, type Storage, type StorageRecord, type ValueEncoder } from '../../storage/index.js';

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
