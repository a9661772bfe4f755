import { existsSync } from 'node:fs';
import type { Revision } from '../storage.js';
import type { CarriedRecord } from '../transfer/snapshot.js';
import { SqliteConnection } from './connection.js';
import { readFacts } from './facts.js';
import { refuse } from './refusal.js';
import { pagesAfter } from './row-pages.js';
import { assertCurrent } from './schema.js';
import { identityOf } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import type { Version } from './version-rows.js';

/** For who only reads; the file may belong to another process that writes it. */
const SETTINGS =
  'PRAGMA busy_timeout = 5000; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;';
/** The revision of a store that nothing was written to. */
const EMPTY_REVISION: Revision = 1;

/** What a scan has found. */
export interface ScanFindings {
  /** Revision of the newest write. */
  readonly revision: Revision;
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /** Number of rows. */
  readonly rows: number;
  /** The present keys, and the revision that each was last written at. */
  readonly present: ReadonlyMap<string, Revision>;
  /** What is wrong with rows, one sentence each. */
  readonly problems: readonly string[];
}

/** A store's file as it was at one moment, read without its lock: the process that has it goes on writing. */
export class SqliteScan {
  readonly #connection: SqliteConnection;
  readonly #path: string;

  private constructor(connection: SqliteConnection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /**
   * Opens a file that exists. What is read is the state of the moment of the first read.
   *
   * @throws StorageError when there is none, or it is not a store of the present layout; SqliteFailure
   */
  static async open(path: string, driver: SqliteDriver): Promise<SqliteScan> {
    if (!existsSync(path)) throw refuse(`there is no store ${path}`);
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

  /** Reads every row, and notes what is wrong without stopping at it. @throws SqliteFailure when the file cannot be read on */
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
        if (version === undefined) problems.push(`the write of revision ${at} is not as it was written`);
        else if (version.type === 'delete') present.delete(version.key);
        else present.set(version.key, at);
      }
    }
    return { revision, compacted, rows, present, problems };
  }

  /** The records of the present state that can be read, in order of their revisions. @throws SqliteFailure */
  async *records({ present }: ScanFindings): AsyncGenerator<readonly CarriedRecord[], void> {
    for await (const page of this.#pages()) {
      const versions = page.map(({ version }) => version).filter((version) => version !== undefined);
      const found = versions.filter(({ key, revision }) => present.get(key) === revision).map(carried);
      if (found.length > 0) yield found;
    }
  }

  /** What SQLite itself finds wrong with the file, at most so many. @throws SqliteFailure */
  async integrityProblems(atMost: number): Promise<readonly string[]> {
    const found = (await this.#connection.run(`PRAGMA integrity_check(${atMost})`)).map(([line]) => String(line));
    return found.length === 1 && found[0] === 'ok' ? [] : found;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async *#pages(): AsyncGenerator<readonly ScannedRow[], void> {
    for await (const { versions, damaged: unreadable } of pagesAfter(this.#connection, 0)) {
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
  /** Undefined when the row is not what was written. */
  readonly version: Version | undefined;
}

function carried({ key, text, createRevision, revision, expiresAt }: Version): CarriedRecord {
  return { key, text, createRevision, modRevision: revision, expiresAt: expiresAt ?? undefined };
}
