/**
 * Converts writes to rows of the table `versions` and back.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import { nextTurn } from '../../foundation/index.js';
import { ENCRYPTED_START } from '../encrypted/stored-form.js';
import type { Revision, StorageEvent } from '../storage.js';
import type { SqlStep, SqlValue } from './thread-program.js';

/** A stored write without its text. */
export interface VersionHead {
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
}

/** A stored write. */
export interface Version extends VersionHead {
  readonly text: string;
}

/** A stored write whose text was not read. */
export interface UnreadVersion extends VersionHead {
  readonly text: undefined;
  /** Length of the text in the file, in bytes. */
  readonly textLength: number;
  /** Whether the text is that of an encrypted value. */
  readonly isEncrypted: boolean;
}

/** The column `type` contains an index into this list plus the encoding of key and text. */
const TYPES: readonly StorageEvent['type'][] = ['create', 'update', 'delete'];
const TEXT_ENCODING = { ascii: 0, unicode: 4, json: 8 } as const;
const TYPE_BITS = 3;

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

/** Length of the checksum at the start of an entry. */
const CHECKSUM_DIGITS = 10;
/** The members of an entry that are covered by its checksum, before its key. */
const HEAD_FORMAT = '%d %d %d %d %s %d %d;';
const HEAD_VALUES = 'revision, type, create_revision, written_at, expires_at, octet_length(key), octet_length(text)';
/** A row as {@link readRows} reads it. */
const ENTRY = `format('%0${CHECKSUM_DIGITS}d${HEAD_FORMAT}', checksum, ${HEAD_VALUES}) || key || text`;

/**
 * Selects a page of rows for {@link readRows}. Parameters: the revision after which it starts, the maximum number of
 * rows, and the maximum bytes of their texts. Columns: the number of rows, the revision of the last, all rows in one
 * blob, and the bytes of their texts (null when there are no rows). Drivers transfer one blob faster than the values of
 * each row. The page is empty when more than one row was requested and the texts exceed the maximum.
 */
export const PAGE_AFTER = `WITH page AS MATERIALIZED (SELECT sum(octet_length(text)) AS bytes FROM (SELECT text FROM versions WHERE revision > ?1 ORDER BY revision LIMIT ?2))
SELECT count(*), max(revision), CAST(group_concat(entry, '') AS BLOB), (SELECT bytes FROM page) FROM (
  SELECT revision, ${ENTRY} AS entry
  FROM versions
  WHERE revision > ?1 AND (?2 = 1 OR (SELECT bytes FROM page) <= ?3) ORDER BY revision LIMIT ?2
)`;

/** Selects the row of a revision for {@link readRows}, as the column `entry`. */
export const ROW_OF = `SELECT CAST(${ENTRY} AS BLOB) AS entry FROM versions WHERE revision = ?`;

/**
 * Selects a page of rows without their texts for {@link readHeads}. Parameters: the revision after which it starts, and
 * the maximum number of rows. Columns: the number of rows, the revision of the last, and all rows in one blob.
 */
export const HEADS_AFTER = `SELECT count(*), max(revision), CAST(group_concat(entry, '') AS BLOB) FROM (
  SELECT revision, format('${HEAD_FORMAT}', ${HEAD_VALUES}) || (substr(text, 1, ${ENCRYPTED_START.length}) = '${ENCRYPTED_START}') || key AS entry
  FROM versions WHERE revision > ?1 ORDER BY revision LIMIT ?2
)`;

/**
 * Returns whether a text has only characters of ASCII, without NUL. The engine's own functions do so a hundred times as
 * fast as a regular expression, which it interprets character by character at first: 20 ms for 2.5 MB.
 */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length && !text.includes('\0');

function formOf({ key, text }: Version): number {
  if (isAscii(text) && isAscii(key)) return TEXT_ENCODING.ascii;
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

/** Characters of the texts that are converted to rows in one turn, besides those of one more text. */
const TURN_CHARACTERS = 1 << 20;

/** Returns the statements that insert versions: at once, or after several turns when the texts are long. */
export function insertionOf(versions: readonly Version[]): SqlStep[] | Promise<SqlStep[]> {
  const characters = versions.reduce((sum, { text }) => sum + text.length, 0);
  return characters > TURN_CHARACTERS
    ? rowsInTurns(versions).then(insertionOfRows)
    : insertionOfRows(versions.map(rowOf));
}

async function rowsInTurns(versions: readonly Version[]): Promise<SqlValue[][]> {
  const rows: SqlValue[][] = [];
  let characters = 0;
  for (const version of versions) {
    if (characters >= TURN_CHARACTERS) {
      await nextTurn();
      characters = 0;
    }
    rows.push(rowOf(version));
    characters += version.text.length;
  }
  return rows;
}

function insertionOfRows(all: readonly SqlValue[][]): SqlStep[] {
  const steps: SqlStep[] = [];
  let next = 0;
  for (const { rows, sql } of BATCHES) {
    for (; next + rows <= all.length; next += rows) steps.push([sql, ...all.slice(next, next + rows).flat()]);
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

/**
 * Reads the rows in a blob of {@link HEADS_AFTER}. Damage is found only when a row is read with its text.
 *
 * @param count number of rows
 * @returns undefined when the rows cannot be told from each other
 */
export function readHeads(blob: Uint8Array, count: number): readonly UnreadVersion[] | undefined {
  const versions: UnreadVersion[] = [];
  const reader = new EntryReader(blob);
  while (!reader.isAtEnd) {
    const version = reader.nextHead();
    if (version === undefined) return undefined;
    versions.push(version);
  }
  return versions.length === count ? versions : undefined;
}

const SPACE = 0x20;
const SEMICOLON = 0x3b;
const DIGIT_ZERO = 0x30;

/** The members of an entry before its key. */
interface EntryHead extends Pick<VersionHead, 'createRevision' | 'writtenAt' | 'expiresAt'> {
  /** Undefined for an unknown one. */
  readonly type: StorageEvent['type'] | undefined;
  readonly form: number;
  readonly keyLength: number;
  readonly textLength: number;
}

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
    const head = this.#head();
    const from = this.#at;
    const keyEnd = from + head.keyLength;
    const end = keyEnd + head.textLength;
    this.#at = end;
    if (head.type === undefined || crc32(this.#bytes.subarray(begin, end)) !== checksum) return undefined;
    const { type, createRevision, writtenAt, expiresAt, form } = head;
    const [key, text] = [this.#string(from, keyEnd, form), this.#string(keyEnd, end, form)];
    return { revision: this.revision, type, createRevision, writtenAt, expiresAt, key, text };
  }

  /** Returns the next version of an entry without its text; undefined when it cannot be one. */
  nextHead(): UnreadVersion | undefined {
    const { type, createRevision, writtenAt, expiresAt, form, keyLength, textLength } = this.#head();
    const from = this.#at + 1;
    const isEncrypted = this.#bytes[this.#at] !== DIGIT_ZERO;
    this.#at = from + keyLength;
    if (type === undefined || !(this.#at <= this.#bytes.length)) return undefined;
    const key = this.#string(from, this.#at, form);
    const { revision } = this;
    return { revision, type, createRevision, writtenAt, expiresAt, key, text: undefined, textLength, isEncrypted };
  }

  /** Reads the members before the key. */
  #head(): EntryHead {
    this.revision = this.#number();
    const code = this.#number();
    const createRevision = this.#number();
    const writtenAt = this.#number();
    const expires = this.#bytes[this.#at] !== SPACE;
    const expiresAt = this.#number();
    const keyLength = this.#number();
    const textLength = this.#number();
    return {
      type: TYPES[code & TYPE_BITS],
      form: code & ~TYPE_BITS,
      createRevision,
      writtenAt,
      expiresAt: expires ? expiresAt : null,
      keyLength,
      textLength,
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
