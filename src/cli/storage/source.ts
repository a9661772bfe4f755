import { readStoreMark, STORE_MARK_KEY, storedValues, takeSnapshot, type StoreSnapshot } from '../../storage/index.js';
import { importSqlite } from '../../storage/late-node.js';
import type { Host } from '../host.js';
import { StartError } from '../usage-error.js';
import { storeFile, existing, type DurableChoice, type SharedChoice, type SqliteChoice } from './choice.js';
import { openStore, orStartError, placeOf } from './open.js';

/** Runs work with a snapshot of a store. Servers may have the store open and write to it.
 *
 * @throws StartError when the store does not exist, is incomplete, or cannot be read
 */
export function withSnapshot<Result>(
  choice: DurableChoice,
  host: Host,
  work: (snapshot: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const checked = (snapshot: StoreSnapshot): Promise<Result> => {
    if (snapshot.count === 0) throw new StartError(`there is no store in ${placeOf(choice)}: it is empty`);
    return work(snapshot);
  };
  return orStartError(choice, () =>
    choice.engine === 'sqlite' ? fromSqlite(choice, checked) : fromShared(choice, host, checked),
  );
}

async function fromSqlite<Result>(
  choice: SqliteChoice,
  work: (snapshot: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const { openSqliteSnapshot } = await importSqlite();
  const snapshot = await openSqliteSnapshot({ path: storeFile(choice) });
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

async function fromShared<Result>(
  choice: SharedChoice,
  host: Host,
  work: (snapshot: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const storage = await openStore(existing(choice), host, { encryption: storedValues });
  try {
    const { record } = await storage.get(STORE_MARK_KEY);
    if (record !== undefined && readStoreMark(record).incomplete)
      throw new StartError(
        `the store in ${placeOf(choice)} is incomplete: a copy into it is in progress or did not finish`,
      );
    return await work(await takeSnapshot(storage));
  } finally {
    await storage.close();
  }
}
