/**
 * The form of a backup: a text of lines, each a JSON value, in ASCII.
 *
 * The first line is the head, then comes a line for each record, in no order that counts, and at last the tail, which has their
 * number and the SHA-256 of all bytes before it. docs/cli.md describes it for others.
 *
 * @module
 */
import { isJsonObject, parsedJson, type JsonValue } from '../../meta/index.js';
import type { Revision } from '../../storage/index.js';
import type { SnapshotRecord } from '../../storage/transfer/index.js';

/** What a backup begins with. */
export interface ArchiveHead {
  /** The revision whose state it is. */
  readonly revision: Revision;
  /** Number of records that were there when it was begun, for progress. */
  readonly records: number;
  /** When it was made, RFC 3339. */
  readonly createdAt: string;
}

/** What a backup ends with. */
export interface ArchiveTail {
  readonly records: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

const FORMAT = 'orch-apiserver-backup';
/** Version of the form that is written here. */
const VERSION = 1;

const NOT_ASCII = /[^\x00-\x7f]/g;

function lineOf(value: object): string {
  return `${JSON.stringify(value).replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

export const headLine = (head: ArchiveHead): string => lineOf({ format: FORMAT, version: VERSION, ...head });
export const recordLine = (record: SnapshotRecord): string => lineOf(record);
export const tailLine = (tail: ArchiveTail): string => lineOf({ tail: true, ...tail });

/** A line after the head, read. */
export type ArchiveLine = { readonly record: SnapshotRecord } | { readonly tail: ArchiveTail };

/** @throws Error when it is no backup, or one of a later version */
export function readHead(line: string): ArchiveHead {
  const value = parsedJson(line);
  if (!isJsonObject(value) || value['format'] !== FORMAT) throw new Error('it is not a backup of this program');
  const { version, revision, records, createdAt } = value;
  if (version !== VERSION)
    throw new Error(`it is a backup of version ${JSON.stringify(version)}, and this program knows version ${VERSION}`);
  if (!isCount(revision) || !isCount(records) || typeof createdAt !== 'string')
    throw new Error('its first line is damaged');
  return { revision, records, createdAt };
}

/** @throws Error when it is neither a record nor a tail */
export function readLine(line: string): ArchiveLine {
  const value = parsedJson(line);
  if (!isJsonObject(value)) throw new Error('it is damaged');
  const { tail, records, sha256, key, text, createRevision, modRevision, expiresAt } = value;
  if (tail === true && isCount(records) && typeof sha256 === 'string') return { tail: { records, sha256 } };
  const isRecord =
    typeof key === 'string' &&
    typeof text === 'string' &&
    isCount(createRevision) &&
    isCount(modRevision) &&
    (expiresAt === undefined || typeof expiresAt === 'number');
  if (!isRecord) throw new Error('it is damaged');
  return { record: { key, text, createRevision, modRevision, expiresAt } };
}

const isCount = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
