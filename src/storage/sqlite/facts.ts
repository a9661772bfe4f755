import type { Revision } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { damaged } from './refusal.js';

/** The facts of a file besides its rows. */
export interface StoreFacts {
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /** Time of the newest row in the store's time; undefined when there is none. */
  readonly lastWrittenAt: number | undefined;
}

/** Reads the facts of a file. @throws StorageError when the file is damaged, SqliteFailure */
export async function readFacts(connection: Pick<StoreConnection, 'run'>, path: string): Promise<StoreFacts> {
  const [[compacted, lastWrittenAt] = []] = await connection.run(
    "SELECT value, (SELECT written_at FROM versions ORDER BY revision DESC LIMIT 1) FROM facts WHERE name = 'compacted'",
  );
  if (typeof compacted !== 'number') throw damaged(path, 'the compacted revision is missing');
  return { compacted, lastWrittenAt: typeof lastWrittenAt === 'number' ? lastWrittenAt : undefined };
}
