import { messageOf } from '../../meta/error-message.js';
import { StorageError } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { refuse } from './refusal.js';
import { Replay, versionsAfter } from './replay.js';
import type { ReplayParts } from './replay.js';

/** What {@link readBack} works on. */
export interface ReadBackParts extends Omit<ReplayParts, 'compacted'> {
  readonly connection: StoreConnection;
}

/**
 * Finds out what the file holds after a write has failed, and brings the state there. Nobody has seen anything of that write, so
 * what the file holds of it just happens now.
 *
 * @param reopen whether it is not known how far the write got
 * @throws StorageError `Unavailable` when the file cannot be read
 */
export async function readBack(parts: ReadBackParts, reopen: boolean): Promise<void> {
  const { connection, state, path } = parts;
  try {
    if (reopen) {
      await connection.reopen();
      // What a failed sync has left behind is written once more, elsewhere, and synced.
      const [busy] = (await connection.run('PRAGMA wal_checkpoint(TRUNCATE)'))[0] ?? [];
      if (busy !== 0) throw refuse(`${path} is being read by another program, and cannot be made safe`);
    }
    const replay = new Replay({ ...parts, compacted: state.compactedRevision });
    for await (const versions of versionsAfter(connection, path, state.revision)) {
      for (const version of versions) replay.add(version);
    }
  } catch (error) {
    throw error instanceof StorageError ? error : refuse(`the store cannot be reached: ${messageOf(error)}`, error);
  }
}
