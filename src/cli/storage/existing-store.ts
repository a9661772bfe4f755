import { existsSync } from 'node:fs';
import { readStoreMark, STORE_MARK_KEY, type Storage } from '../../storage/index.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { StartError } from '../usage-error.js';
import { chooseDurableStore, existing, storeFile } from './choice.js';
import { encryptionFlags, readEncryption } from './encryption.js';
import { durableStoreFlags } from './flags.js';
import { openStore, orStartError, placeOf } from './open.js';
import { existingStoreDirectory, refuseOtherDialect } from './store-dialect.js';

/** The flags that name the store of a server, and what its values are encrypted with. */
export const existingStoreFlags = { ...encryptionFlags, ...durableStoreFlags };

/**
 * Opens the store of a server, runs work, and closes the store.
 *
 * @throws StartError when the flags name no store of a server, or it refuses the work
 */
export async function withExistingStore<Result>(
  values: FlagValues<typeof existingStoreFlags>,
  host: Host,
  work: (storage: Storage, place: string) => Promise<Result>,
): Promise<Result> {
  const choice = await chooseDurableStore(values, existingStoreDirectory);
  const place = placeOf(choice);
  if (choice.engine === 'sqlite' && !existsSync(storeFile(choice)))
    throw new StartError(`there is no store in ${place}`);
  const setup = await readEncryption(values, choice, values.dialect, host);
  const run = async (): Promise<Result> => {
    const storage = await openStore(choice.engine === 'sqlite' ? choice : existing(choice), host, {
      encryption: setup?.encryption,
    });
    try {
      const { record } = await storage.get(STORE_MARK_KEY);
      if (record === undefined) throw new StartError(`${place} is not the store of a server`);
      refuseOtherDialect(place, readStoreMark(record).dialect, values.dialect);
      return await work(storage, place);
    } finally {
      await storage.close();
    }
  };
  try {
    return await orStartError(choice, run);
  } finally {
    setup?.close();
  }
}
