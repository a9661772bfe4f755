import type { Revision } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { damaged } from './refusal.js';

/** What a file says beside its rows. */
export interface StoreFacts {
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /** When the newest row was written, in the time of the store; undefined where there is none. */
  readonly lastWrittenAt: number | undefined;
}

/** @throws StorageError when the file is damaged, SqliteFailure */
export async function readFacts(connection: Pick<StoreConnection, 'run'>, path: string): Promise<StoreFacts> {
  const [[compacted, lastWrittenAt] = []] = await connection.run(
    "SELECT value, (SELECT written_at FROM versions ORDER BY revision DESC LIMIT 1) FROM facts WHERE name = 'compacted'",
  );
  if (typeof compacted !== 'number') throw damaged(path, 'it does not say how far it is compacted');
  return { compacted, lastWrittenAt: typeof lastWrittenAt === 'number' ? lastWrittenAt : undefined };
}
