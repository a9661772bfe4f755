/**
 * Converts writes to rows of the table `versions` and back.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import type { Revision, StorageEvent } from '../storage.js';
import type { SqlStep, SqlValue } from './thread-program.js';

/** A stored write. */
export interface Version {
  readonly revision: Revision;
  readonly type: StorageEvent['type'];
  readonly createRevision: Revision;
  /**
   * Time of the write in the store's time: milliseconds since the epoch, less the time during which the store was
   * closed, as far as that is known.
   */
  readonly writtenAt: number;
  /** Expiry of the key, in milliseconds since the epoch; null for none. */
  readonly expiresAt: number | null;
  readonly key: string;
  readonly text: string;
}

/** The column `type` contains an index into this list plus the encoding of key and text. */
const TYPES: readonly StorageEvent['type'][] = ['create', 'update', 'delete'];
const TEXT_ENCODING = { ascii: 0, unicode: 4, json: 8 } as const;
const TYPE_BITS = 3;

const ASCII = /^[\x01-\x7f]*$/;
/** Characters that the database would not return unchanged: it ends texts at NUL and loses lone surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Numbers of rows of one insert statement, largest first: the call of a driver costs more than its work. */
const BATCHES = [32, 8, 1].map((rows) => ({
  rows,
  sql: `INSERT INTO versions (revision, type, create_revision, written_at, expires_at, checksum, key, text) VALUES ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
}));

/** Deletes the rows whose revisions are in a JSON array. */
export const DELETE_ROWS = 'DELETE FROM versions WHERE revision IN (SELECT value FROM json_each(?))';

/** Records the revision up to which rows may be missing. */
export const SET_COMPACTED = "UPDATE facts SET value = ? WHERE name = 'compacted'";

/**
 * Selects a page of rows for {@link readRows}. Parameters: the revision after which it starts, the maximum number of
 * rows, and the maximum bytes of their texts. Columns: the number of rows, the revision of the last, all rows in one
 * blob, and the bytes of their texts (null when there are no rows). Drivers transfer one blob faster than the values of
 * each row. The page is empty when more than one row was requested and the texts exceed the maximum.
 */
export const PAGE_AFTER = `WITH page AS MATERIALIZED (SELECT sum(octet_length(text)) AS bytes FROM (SELECT text FROM versions WHERE revision > ?1 ORDER BY revision LIMIT ?2))
SELECT count(*), max(revision), CAST(group_concat(entry, '') AS BLOB), (SELECT bytes FROM page) FROM (
  SELECT revision, format('%010d%d %d %d %d %s %d %d;', checksum, revision, type, create_revision, written_at, expires_at, octet_length(key), octet_length(text)) || key || text AS entry
  FROM versions
  WHERE revision > ?1 AND (?2 = 1 OR (SELECT bytes FROM page) <= ?3) ORDER BY revision LIMIT ?2
)`;
const CHECKSUM_DIGITS = 10;

function formOf({ key, text }: Version): number {
  if (ASCII.test(text) && ASCII.test(key)) return TEXT_ENCODING.ascii;
  return UNSTORABLE.test(text) || UNSTORABLE.test(key) ? TEXT_ENCODING.json : TEXT_ENCODING.unicode;
}

function rowOf(version: Version): SqlValue[] {
  const { revision, createRevision, writtenAt, expiresAt } = version;
  const form = formOf(version);
  const code = TYPES.indexOf(version.type) + form;
  const key = form === TEXT_ENCODING.json ? JSON.stringify(version.key) : version.key;
  const text = form === TEXT_ENCODING.json ? JSON.stringify(version.text) : version.text;
  // The checksum covers the bytes that {@link PAGE_AFTER} returns for the row.
  const checksum = crc32(
    text,
    crc32(
      `${revision} ${code} ${createRevision} ${writtenAt} ${expiresAt ?? ''} ${Buffer.byteLength(key)} ${Buffer.byteLength(text)};${key}`,
    ),
  );
  return [revision, code, createRevision, writtenAt, expiresAt, checksum, key, text];
}

/** Returns the statements that insert versions. */
export function insertionOf(versions: readonly Version[]): SqlStep[] {
  const steps: SqlStep[] = [];
  let next = 0;
  for (const { rows, sql } of BATCHES) {
    for (; next + rows <= versions.length; next += rows)
      steps.push([sql, ...versions.slice(next, next + rows).flatMap(rowOf)]);
  }
  return steps;
}

/** The rows read from a blob. */
export interface RowsRead {
  readonly versions: readonly Version[];
  /** Revisions of the damaged rows. */
  readonly damaged: readonly Revision[];
}

/**
 * Reads the rows in a blob of {@link PAGE_AFTER}.
 *
 * @param count number of rows; with a damaged row, even its length is uncertain
 */
export function readRows(blob: Uint8Array, count: number): RowsRead {
  const versions: Version[] = [];
  const damaged: Revision[] = [];
  const reader = new EntryReader(blob);
  while (!reader.isAtEnd) {
    const version = reader.next();
    if (version === undefined) damaged.push(reader.revision);
    else versions.push(version);
  }
  if (versions.length + damaged.length !== count) damaged.push(reader.revision);
  return { versions, damaged };
}

const SPACE = 0x20;
const SEMICOLON = 0x3b;
const DIGIT_ZERO = 0x30;

/** Reads the entries of a blob in order. */
class EntryReader {
  /** Revision of the last entry read. */
  revision: Revision = 0;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(blob: Uint8Array) {
    this.#bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Returns the next version; undefined when the row is damaged. */
  next(): Version | undefined {
    const begin = this.#at + CHECKSUM_DIGITS;
    const checksum = this.#digits(begin);
    this.revision = this.#number();
    const code = this.#number();
    const createRevision = this.#number();
    const writtenAt = this.#number();
    const expires = this.#bytes[this.#at] !== SPACE;
    const expiresAt = this.#number();
    const keyLength = this.#number();
    const textLength = this.#number();
    const keyEnd = this.#at + keyLength;
    const end = keyEnd + textLength;
    const type = TYPES[code & TYPE_BITS];
    const form = code & ~TYPE_BITS;
    const from = this.#at;
    this.#at = end;
    if (type === undefined || crc32(this.#bytes.subarray(begin, end)) !== checksum) return undefined;
    const [key, text] = [this.#string(from, keyEnd, form), this.#string(keyEnd, end, form)];
    return {
      revision: this.revision,
      type,
      createRevision,
      writtenAt,
      expiresAt: expires ? expiresAt : null,
      key,
      text,
    };
  }

  #digits(end: number): number {
    let value = 0;
    for (; this.#at < end; this.#at++) value = value * 10 + (this.#bytes[this.#at] ?? 0) - DIGIT_ZERO;
    return value;
  }

  /** Reads the number up to the next delimiter; 0 when it is empty. */
  #number(): number {
    let end = this.#at;
    while (end < this.#bytes.length && this.#bytes[end] !== SPACE && this.#bytes[end] !== SEMICOLON) end++;
    const value = this.#digits(end);
    this.#at = end + 1;
    return value;
  }

  #string(begin: number, end: number, form: number): string {
    if (form === TEXT_ENCODING.ascii) return this.#bytes.toString('latin1', begin, end);
    const stored = this.#bytes.toString('utf8', begin, end);
    return form === TEXT_ENCODING.json ? String(JSON.parse(stored)) : stored;
  }
}
