import { messageOf } from '../../foundation/index.js';
import type { ValueCodec } from '../encrypted/value-codec.js';
import { TextCache } from '../state/records/evictable-record.js';
import { withProtection } from '../state/records/record.js';
import type { StorageError, StorageRecord } from '../storage.js';
import { SqliteConnection } from './connection.js';
import { damaged } from './refusal.js';
import { RowReader } from './row-reader.js';
import { decodedAtRest } from './text-at-rest.js';
import type { SqliteDriver } from './thread-program.js';

/** The parts of {@link ColdTexts}. */
export interface ColdTextsParts {
  readonly driver: SqliteDriver;
  /** Path of the file without symbolic links. */
  readonly file: string;
  /** Path of the file, for messages. */
  readonly path: string;
  readonly codec: ValueCodec;
  /** Maximum bytes of the texts in memory. */
  readonly maxBytes: number;
}

const CHECK_SETTINGS = 'PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;';

/** The texts of a store that is larger than memory. */
export class ColdTexts {
  /** The texts that are in memory. */
  readonly cache: TextCache;
  readonly #parts: ColdTextsParts;
  readonly #rows: RowReader;
  #checking: Promise<void> | undefined;
  #damage: StorageError | undefined;

  /** @throws what the driver throws when the file cannot be opened */
  constructor(parts: ColdTextsParts) {
    const { driver, file, path, codec, maxBytes } = parts;
    this.#parts = parts;
    const rows = new RowReader(driver, file, path);
    this.#rows = rows;
    this.cache = new TextCache(maxBytes, (record) => {
      const { key, modRevision: revision } = record;
      const { text, protection } = decodedAtRest({ key, revision, text: rows.text(record) }, codec);
      withProtection(record, protection);
      return text;
    });
  }

  /** Reads a text, unless it is known what protects it: only its stored form tells that. */
  learnProtection(record: StorageRecord): void {
    if (record.protection === undefined) this.cache.touch(record);
  }

  /** Starts SQLite's own check of the pages, which takes seconds for a large file, on a thread of its own. */
  startCheck(): void {
    this.#checking ??= this.#check();
  }

  /** @throws StorageError when the check has found the file damaged */
  assertSound(): void {
    if (this.#damage !== undefined) throw this.#damage;
  }

  /** Closes the file once the check has ended. */
  async close(): Promise<void> {
    this.#rows.close();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { driver, file, path } = this.#parts;
    try {
      const connection = await SqliteConnection.open({ driver, file, lockFile: undefined, settings: CHECK_SETTINGS });
      try {
        const [[found] = []] = await connection.run('PRAGMA quick_check(1)');
        if (found !== 'ok') this.#damage = damaged(path, String(found));
      } finally {
        await connection.close();
      }
    } catch (error) {
      this.#damage = damaged(path, messageOf(error), error);
    }
  }
}
