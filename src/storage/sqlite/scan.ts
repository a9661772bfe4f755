import { existsSync } from 'node:fs';
import { shareTurn } from '../../foundation/index.js';
import type { Revision } from '../storage.js';
import type { SnapshotRecord } from '../transfer/snapshot.js';
import { SqliteConnection } from './connection.js';
import { readFacts } from './facts.js';
import { refuse } from './refusal.js';
import { pagesAfter } from './row-pages.js';
import { assertCurrent } from './schema.js';
import { identityOf } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import type { Version } from './version-rows.js';

/** Settings of a reader; another process may write the file meanwhile. */
const SETTINGS =
  'PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;';
/** The revision of an empty store. */
const EMPTY_REVISION: Revision = 1;

/** The findings of a scan. */
export interface ScanFindings {
  /** Revision of the newest write. */
  readonly revision: Revision;
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /** Number of rows. */
  readonly rows: number;
  /** The current keys with the revision of their last write. */
  readonly present: ReadonlyMap<string, Revision>;
  /** Problems of the rows, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads one state of a store's file without its lock: a process that has it open continues to write. */
export class SqliteScan {
  readonly #connection: SqliteConnection;
  readonly #path: string;

  private constructor(connection: SqliteConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /**
   * Opens an existing file. The first read fixes the state.
   *
   * @throws StorageError when the file does not exist or is not a store of the current layout; SqliteFailure
   */
  static async open(path: string, driver: SqliteDriver): Promise<SqliteScan> {
    if (!existsSync(path)) throw refuse(`the store ${path} does not exist`);
    assertCurrent(path, identityOf(path));
    const connection = await SqliteConnection.open({ driver, file: path, lockFile: undefined, settings: SETTINGS });
    try {
      await connection.run('BEGIN');
      return new SqliteScan(connection, path);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /**
   * Reads every row and collects problems without stopping.
   *
   * @throws SqliteFailure when the file cannot be read further
   */
  async findings(): Promise<ScanFindings> {
    const { compacted } = await readFacts(this.#connection, this.#path);
    const present = new Map<string, Revision>();
    const problems: string[] = [];
    let [revision, rows] = [Math.max(EMPTY_REVISION, compacted), 0];
    for await (const page of this.#pages()) {
      for (const { revision: at, version } of page) {
        rows += 1;
        if (at > compacted && at !== revision + 1) problems.push(`the write of revision ${revision + 1} is missing`);
        revision = Math.max(revision, at);
        if (version === undefined) problems.push(`the write of revision ${at} is damaged`);
        else if (version.type === 'delete') present.delete(version.key);
        else present.set(version.key, at);
      }
    }
    return { revision, compacted, rows, present, problems };
  }

  /** Yields the readable records of the current state, in order of revision. @throws SqliteFailure */
  async *records({ present }: ScanFindings): AsyncGenerator<readonly SnapshotRecord[], void> {
    for await (const page of this.#pages()) {
      const versions = page.map(({ version }) => version).filter((version) => version !== undefined);
      const found = versions.filter(({ key, revision }) => present.get(key) === revision).map(snapshotRecordOf);
      if (found.length > 0) yield found;
    }
  }

  /** Returns at most `maximum` problems that SQLite finds in the file. @throws SqliteFailure */
  async integrityProblems(maximum: number): Promise<readonly string[]> {
    const found = (await this.#connection.run(`PRAGMA integrity_check(${maximum})`)).map(([line]) => String(line));
    return found.length === 1 && found[0] === 'ok' ? [] : found;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async *#pages(): AsyncGenerator<readonly ScannedRow[], void> {
    for await (const { versions, damaged: unreadable } of pagesAfter(this.#connection, 0)) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      const rows: ScannedRow[] = [
        ...versions.map((version) => ({ revision: version.revision, version })),
        ...unreadable.map((revision) => ({ revision, version: undefined })),
      ];
      yield rows.sort((left, right) => left.revision - right.revision);
    }
  }
}

interface ScannedRow {
  readonly revision: Revision;
  /** Undefined when the row is damaged. */
  readonly version: Version | undefined;
}

function snapshotRecordOf({ key, text, createRevision, revision, expiresAt }: Version): SnapshotRecord {
  return { key, text, createRevision, modRevision: revision, expiresAt: expiresAt ?? undefined };
}
