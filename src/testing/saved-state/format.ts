/**
 * The form of a saved state: a text of lines, each a JSON value, in ASCII, as a backup has. The first line is the head,
 * the last the tail, with the number of lines and the SHA-256 of all bytes before it. In between are the records at the
 * oldest revision that is known, the writes since then, and the requests.
 *
 * @module
 */
import { asciiJson, isJsonObject, parsedJson, type JsonObject } from '../../foundation/index.js';
import type { ReplayedWrite, Revision, SnapshotRecord } from '../../storage/index.js';

const FORMAT = 'orch-apiserver-state';
/** Version of the format that this program writes. */
const VERSION = 1;

/** A test that failed. */
export type FailedTest = {
  /** Full name of the test; empty when it is not known. */
  readonly name: string;
  /** File of the test; empty when it is not known. */
  readonly file: string;
  /** The error of the test, with its stack; empty when it is not known. */
  readonly error: string;
};

/** A kind that the server of a state serves. */
export type StateKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural name. */
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
};

/** The first line of a saved state. */
export interface StateHead {
  readonly dialect: string;
  /** When it was saved, RFC 3339. */
  readonly savedAt: string;
  /** Time on the clock of the server, in milliseconds since the epoch. */
  readonly now: number;
  readonly test: FailedTest;
  /** Revision of the records; all later writes follow. */
  readonly base: Revision;
  /** The kinds that the server served, in the order of their declaration. */
  readonly kinds: readonly StateKind[];
  /** As the flags of the same names take them; empty for the defaults. */
  readonly featureGates: string;
  readonly runtimeConfig: string;
  readonly release: string;
  /** The numbers of writes and requests that did not fit into the file. */
  readonly leftOut: {
    readonly writes: number;
    readonly requests: number;
    /** Requests without their bodies. */
    readonly bodies: number;
  };
}

/** A write, and when it was made. */
export interface StateWrite extends ReplayedWrite {
  /** Milliseconds since the epoch, on the clock of the server. */
  readonly time: number;
}

/** A record of a state, which expires no more: its time stands. */
export type StateRecord = Omit<SnapshotRecord, 'expiresAt'>;

/** A state that was saved. */
export interface SavedState {
  readonly head: StateHead;
  readonly records: readonly StateRecord[];
  /** In the order of their revisions. */
  readonly writes: readonly StateWrite[];
  /** The requests of clients, oldest first, as `LoggedRequest` describes them. */
  readonly requests: readonly JsonObject[];
}

/** A line between head and tail. */
export type StateLine =
  { readonly record: StateRecord } | { readonly write: StateWrite } | { readonly request: JsonObject };

const lineOf = (value: object): string => `${asciiJson(value)}\n`;

export const headLine = (head: StateHead): string => lineOf({ format: FORMAT, version: VERSION, ...head });
export const stateLine = (line: StateLine): string => lineOf(line);
export const tailLine = (lines: number, sha256: string): string => lineOf({ tail: true, lines, sha256 });

/** Parses the first line. @throws Error when it does not begin a saved state, or the version is not supported */
export function readHead(line: string): StateHead {
  const value = parsedJson(line);
  if (!isJsonObject(value) || value['format'] !== FORMAT) throw new Error('it is not a state that a test has saved');
  const { version, ...head } = value;
  if (version !== VERSION)
    throw new Error(`it is a state of version ${JSON.stringify(version)}; this program supports version ${VERSION}`);
  if (!isHead(head)) throw new Error('its first line is damaged');
  return head;
}

/** Parses the last line. @returns undefined for another line */
export function readTail(line: string): { readonly lines: number; readonly sha256: string } | undefined {
  const value = parsedJson(line);
  if (!isJsonObject(value) || value['tail'] !== true) return undefined;
  const { lines, sha256 } = value;
  return typeof lines === 'number' && typeof sha256 === 'string' ? { lines, sha256 } : undefined;
}

/** Parses a line between head and tail. @throws Error for another one */
export function readLine(line: string): StateLine {
  const value = parsedJson(line);
  if (isLine(value)) return value;
  throw new Error('it is damaged');
}

// The types say what the checksum of the file vouches for; these checks are for files that are something else.

function isHead(value: unknown): value is StateHead {
  if (!isJsonObject(value)) return false;
  const { dialect, savedAt, now, base, test, kinds, featureGates, runtimeConfig, release, leftOut } = value;
  return (
    [dialect, savedAt, featureGates, runtimeConfig, release].every((text) => typeof text === 'string') &&
    [now, base].every((number) => typeof number === 'number') &&
    [test, leftOut].every(isJsonObject) &&
    Array.isArray(kinds)
  );
}

function isLine(value: unknown): value is StateLine {
  if (!isJsonObject(value)) return false;
  const { record, write, request } = value;
  const keyed = record ?? write;
  return keyed === undefined
    ? isJsonObject(request)
    : isJsonObject(keyed) && typeof keyed['key'] === 'string' && typeof keyed['text'] === 'string';
}
