/**
 * A write as a row of the table `versions`, and back.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import type { Revision, StorageEvent } from '../storage.js';
import type { SqlStep, SqlValue } from './thread-program.js';

/** A write as it is stored. */
export interface Version {
  readonly revision: Revision;
  readonly type: StorageEvent['type'];
  readonly createRevision: Revision;
  /** In the time of the store: milliseconds since the epoch, less those in which it was closed, as far as that is known. */
  readonly writtenAt: number;
  /** When the key vanishes by itself, milliseconds since the epoch. */
  readonly expiresAt: number | null;
  readonly key: string;
  readonly text: string;
}

/** What the column `type` holds: one of these, and how key and text are stored. */
const TYPES: readonly StorageEvent['type'][] = ['create', 'update', 'delete'];
const FORM_OF_TEXT = { ascii: 0, unicode: 4, json: 8 } as const;
const TYPE_BITS = 3;

const ASCII = /^[\x01-\x7f]*$/;
/** What would come back from the database as another string: it ends texts at NUL, and keeps no lone surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Rows of one statement, largest first: a call of a driver costs more than what it does. */
const BATCHES = [32, 8, 1].map((rows) => ({
  rows,
  sql: `INSERT INTO versions (revision, type, create_revision, written_at, expires_at, checksum, key, text) VALUES ${Array.from({ length: rows }, () => '(?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
}));

/** Deletes the rows whose revisions are in a JSON array. */
export const DELETE_ROWS = 'DELETE FROM versions WHERE revision IN (SELECT value FROM json_each(?))';

/** Notes the revision up to which rows may be missing. */
export const SET_COMPACTED = "UPDATE facts SET value = ? WHERE name = 'compacted'";

/**
 * Rows with revisions after the first parameter, in order, as many as the second says: their number, the revision of the last,
 * and all of them in one blob, which the drivers hand over faster than the values of each, for {@link readRows}. None of them
 * when they are more than one and their texts have more bytes than the third parameter says. The fourth value is how many
 * bytes those have; null when there are no rows.
 */
export const PAGE_AFTER = `WITH page AS MATERIALIZED (SELECT sum(octet_length(text)) AS bytes FROM (SELECT text FROM versions WHERE revision > ?1 ORDER BY revision LIMIT ?2))
SELECT count(*), max(revision), CAST(group_concat(entry, '') AS BLOB), (SELECT bytes FROM page) FROM (
  SELECT revision, format('%010d%d %d %d %d %s %d %d;', checksum, revision, type, create_revision, written_at, expires_at, octet_length(key), octet_length(text)) || key || text AS entry
  FROM versions
  WHERE revision > ?1 AND (?2 = 1 OR (SELECT bytes FROM page) <= ?3) ORDER BY revision LIMIT ?2
)`;
const CHECKSUM_DIGITS = 10;

function formOf({ key, text }: Version): number {
  if (ASCII.test(text) && ASCII.test(key)) return FORM_OF_TEXT.ascii;
  return UNSTORABLE.test(text) || UNSTORABLE.test(key) ? FORM_OF_TEXT.json : FORM_OF_TEXT.unicode;
}

function rowOf(version: Version): SqlValue[] {
  const { revision, createRevision, writtenAt, expiresAt } = version;
  const form = formOf(version);
  const code = TYPES.indexOf(version.type) + form;
  const key = form === FORM_OF_TEXT.json ? JSON.stringify(version.key) : version.key;
  const text = form === FORM_OF_TEXT.json ? JSON.stringify(version.text) : version.text;
  // Over the very bytes of the entry that the row is read back as.
  const checksum = crc32(
    text,
    crc32(
      `${revision} ${code} ${createRevision} ${writtenAt} ${expiresAt ?? ''} ${Buffer.byteLength(key)} ${Buffer.byteLength(text)};${key}`,
    ),
  );
  return [revision, code, createRevision, writtenAt, expiresAt, checksum, key, text];
}

/** The statements that insert versions. */
export function insertionOf(versions: readonly Version[]): SqlStep[] {
  const steps: SqlStep[] = [];
  let next = 0;
  for (const { rows, sql } of BATCHES) {
    for (; next + rows <= versions.length; next += rows)
      steps.push([sql, ...versions.slice(next, next + rows).flatMap(rowOf)]);
  }
  return steps;
}

/** What was read of a blob. */
export interface RowsRead {
  readonly versions: readonly Version[];
  /** The rows that are not as they were written. */
  readonly damaged: readonly Revision[];
}

/**
 * The rows in a blob of {@link PAGE_AFTER}.
 *
 * @param count how many there are: of one that is damaged not even the length is certain
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

/** Reads the entries of a blob one after the other. */
class EntryReader {
  /** Of the entry that was read last. */
  revision: Revision = 0;
  private readonly bytes: Buffer;
  private at = 0;

  constructor(blob: Uint8Array) {
    this.bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength);
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The next version; undefined when the row is not as it was written. */
  next(): Version | undefined {
    const begin = this.at + CHECKSUM_DIGITS;
    const checksum = this.digits(begin);
    this.revision = this.number();
    const code = this.number();
    const createRevision = this.number();
    const writtenAt = this.number();
    const expires = this.bytes[this.at] !== SPACE;
    const expiresAt = this.number();
    const keyLength = this.number();
    const textLength = this.number();
    const keyEnd = this.at + keyLength;
    const end = keyEnd + textLength;
    const type = TYPES[code & TYPE_BITS];
    const form = code & ~TYPE_BITS;
    const from = this.at;
    this.at = end;
    if (type === undefined || crc32(this.bytes.subarray(begin, end)) !== checksum) return undefined;
    const [key, text] = [this.string(from, keyEnd, form), this.string(keyEnd, end, form)];
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

  private digits(end: number): number {
    let value = 0;
    for (; this.at < end; this.at++) value = value * 10 + (this.bytes[this.at] ?? 0) - DIGIT_ZERO;
    return value;
  }

  /** The number up to the next delimiter; 0 of none. */
  private number(): number {
    let end = this.at;
    while (end < this.bytes.length && this.bytes[end] !== SPACE && this.bytes[end] !== SEMICOLON) end++;
    const value = this.digits(end);
    this.at = end + 1;
    return value;
  }

  private string(begin: number, end: number, form: number): string {
    if (form === FORM_OF_TEXT.ascii) return this.bytes.toString('latin1', begin, end);
    const stored = this.bytes.toString('utf8', begin, end);
    return form === FORM_OF_TEXT.json ? String(JSON.parse(stored)) : stored;
  }
}
