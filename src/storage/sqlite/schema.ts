/**
 * The layout of a store's file and the migrations from older layouts.
 *
 * The file is a log: one row of `versions` for each write, in order of revision, as long as a readable state needs it.
 * There is no secondary index, so a write is an insert at the end of one tree. `facts` contains `compacted`, the
 * revision up to which rows may be missing.
 *
 * @module
 */
import type { StoreConnection } from './connection.js';
import { refuse } from './refusal.js';
import type { FileIdentity } from './store-file.js';
import type { SqlStep } from './thread-program.js';

/** Identifies a store of this package: the letters `orch`. */
const APPLICATION_ID = 0x6f72_6368;

/** The steps from one version of the layout to the next. */
export type Migration = readonly SqlStep[];

/** The migrations from an empty file to the current layout. The version of the layout is the number of migrations. */
const MIGRATIONS: readonly Migration[] = [
  [
    [
      `CREATE TABLE versions (
        revision INTEGER PRIMARY KEY,
        type INTEGER NOT NULL,
        create_revision INTEGER NOT NULL,
        written_at INTEGER NOT NULL,
        expires_at INTEGER,
        checksum INTEGER NOT NULL,
        key TEXT NOT NULL,
        text TEXT NOT NULL
      ) STRICT`,
    ],
    ['CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID'],
    ["INSERT INTO facts VALUES ('compacted', 0)"],
  ],
];

/**
 * Refuses a file that is not a store or has a newer layout.
 *
 * @param path path of the file, for the message
 * @throws StorageError `Unavailable`
 */
export function assertKnown(
  path: string,
  identity: FileIdentity | undefined,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  if (identity === undefined)
    throw refuse(
      `${path} is not a store and is left unchanged. If it was one, it is damaged: restore a backup in its place (orch-apiserver restore).`,
    );
  const { applicationId, version } = identity;
  if (applicationId !== APPLICATION_ID && (applicationId !== 0 || version !== 0))
    throw refuse(`${path} is the database of another program and is left unchanged`);
  if (version > migrations.length) {
    throw refuse(
      `${path} was written by a newer version of this program (layout ${version}; the newest supported one is ${migrations.length}) and is left unchanged. Use that version, or a backup from before it.`,
    );
  }
}

/** Refuses, for a reader, a file that is not a store of the current layout. @throws StorageError `Unavailable` */
export function assertCurrent(path: string, identity: FileIdentity | undefined): void {
  assertKnown(path, identity);
  if (identity?.version !== MIGRATIONS.length)
    throw refuse(`${path} has an older layout or is empty: open it with a server first`);
}

/** Migrates the file to the current layout. @throws StorageError as {@link assertKnown}, SqliteFailure */
export async function migrate(
  connection: StoreConnection,
  path: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const identity = {
    applicationId: await numberOf(connection, 'PRAGMA application_id'),
    version: await numberOf(connection, 'PRAGMA user_version'),
  };
  assertKnown(path, identity, migrations);
  if (identity.version === migrations.length) return;
  if (identity.version === 0 && (await numberOf(connection, 'SELECT count(*) FROM sqlite_master')) > 0)
    throw refuse(`${path} is the database of another program and is left unchanged`);
  await connection.run('PRAGMA journal_mode = WAL');
  for (const [index, steps] of migrations.entries()) {
    if (index < identity.version) continue;
    await connection.transact([
      ...steps,
      [`PRAGMA application_id = ${APPLICATION_ID}`],
      [`PRAGMA user_version = ${index + 1}`],
    ]);
  }
  // Writes the version to the file itself, where an older program reads it first.
  await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

async function numberOf(connection: StoreConnection, sql: string): Promise<number> {
  const value = (await connection.run(sql))[0]?.[0];
  return typeof value === 'number' ? value : 0;
}
