/**
 * The form of a backup: a text of lines, each a JSON value, in ASCII.
 *
 * The first line is the head. One line per record follows, in any order. The last line is the tail, with the number of
 * records and the SHA-256 of all preceding bytes. docs/reference/cli.md documents the format.
 *
 * @module
 */
import type { Hash } from 'node:crypto';
import { asciiJson, isJsonObject, parsedJson, type JsonValue } from '../../foundation/index.js';
import type { Revision, SnapshotRecord } from '../../storage/index.js';

/** The first line of a backup. */
export interface ArchiveHead {
  /** Revision of the snapshot. */
  readonly revision: Revision;
  /** Number of records when the backup started, for progress. */
  readonly records: number;
  /** Creation time, RFC 3339. */
  readonly createdAt: string;
}

/** The last line of a backup. */
export interface ArchiveTail {
  readonly records: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

const FORMAT = 'orch-apiserver-backup';
/** Version of the format that this program writes. */
const VERSION = 1;

const lineOf = (value: object): string => `${asciiJson(value)}\n`;

export const headLine = (head: ArchiveHead): string => lineOf({ format: FORMAT, version: VERSION, ...head });
export const recordLine = (record: SnapshotRecord): string => lineOf(record);
export const tailLine = (tail: ArchiveTail): string => lineOf({ tail: true, ...tail });

/** A parsed line after the head. */
export type ArchiveLine = { readonly record: SnapshotRecord } | { readonly tail: ArchiveTail };

/** Returns the digest of the bytes of a whole backup: `sha256:` and 64 hexadecimal digits. */
export const digestOf = (hash: Hash): string => `sha256:${hash.copy().digest('hex')}`;

/** Parses the head. @throws Error when the line does not start a backup, or the version is not supported */
export function readHead(line: string): ArchiveHead {
  const value = parsedJson(line);
  if (!isJsonObject(value) || value['format'] !== FORMAT) throw new Error('it is not a backup of this program');
  const { version, revision, records, createdAt } = value;
  if (version !== VERSION)
    throw new Error(`it is a backup of version ${JSON.stringify(version)}; this program supports version ${VERSION}`);
  if (!isCount(revision) || !isCount(records) || typeof createdAt !== 'string')
    throw new Error('its first line is damaged');
  return { revision, records, createdAt };
}

/** Parses a line after the head. @throws Error when it is neither a record nor a tail */
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
