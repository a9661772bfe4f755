import {
  formatTime,
  isJsonObject,
  jsonText,
  parsedJson,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import { jsonDiff, type JsonChange } from '../../machinery/index.js';
import type { RequestOrigin } from '../../server/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { JournalEntry } from './journal.js';
import { changeLine } from './change-line.js';

/** The author of a version. */
export interface Author {
  /** Name of the user. */
  readonly user: string;
  readonly via: RequestOrigin;
  /** User-Agent; of an in-process client, the name of its field manager. */
  readonly userAgent: string;
  readonly verb: string;
  /** Path of the request. */
  readonly path: string;
}

/** A version of an object. */
export interface ObjectVersion {
  /** Its resource version. */
  readonly version: string;
  readonly type: 'created' | 'updated' | 'deleted';
  /** Time of the write on the test's clock, in milliseconds since the epoch. */
  readonly time: number;
  /** Undefined for a write that no request made, such as the expiry of an Event. */
  readonly by: Author | undefined;
  /** Field managers whose fields the write changed. */
  readonly managers: readonly string[];
  /** The changes of the write, without `metadata.resourceVersion` and `metadata.managedFields`; empty for a delete. */
  readonly changes: readonly JsonChange[];
  /** The object as stored; for a delete, its last state. Must not be changed. */
  readonly object: JsonObject;
}

/** Fields that every write changes. */
const IGNORED: ReadonlySet<string> = new Set(['/metadata/resourceVersion', '/metadata/managedFields']);

/** Returns the object of a record; empty for one that is not an object. */
export function objectOf(record: StorageRecord | undefined): JsonObject | undefined {
  if (record === undefined) return undefined;
  const value = parsedJson(record.text);
  return isJsonObject(value) ? value : {};
}

/** Returns the differences of two states of an object, without those that every write makes. */
export const objectDiff = (from: JsonObject | undefined, to: JsonObject | undefined): JsonChange[] =>
  jsonDiff(from, to, IGNORED);

/** Returns the version of an object that a write made. */
export function versionOf({ event, timeMs, author }: JournalEntry): ObjectVersion {
  const object = objectOf(event.record) ?? {};
  const previous = objectOf(event.previous);
  return {
    version: String(event.revision),
    type: event.type === 'create' ? 'created' : event.type === 'update' ? 'updated' : 'deleted',
    time: timeMs,
    by: author && {
      user: author.user.username,
      via: author.via,
      userAgent: author.userAgent,
      verb: author.verb,
      path: author.path,
    },
    managers: event.type === 'delete' ? [] : changedManagers(previous, object),
    changes:
      event.type === 'update' ? objectDiff(previous, object) : event.type === 'create' ? objectDiff({}, object) : [],
    object,
  };
}

function changedManagers(previous: JsonObject | undefined, object: JsonObject): string[] {
  const before = new Set(managedFields(previous).map((entry) => jsonText(entry)));
  const changed = managedFields(object).filter((entry) => !before.has(jsonText(entry)));
  const names = changed.map((entry) => (isJsonObject(entry) ? entry['manager'] : undefined));
  return [...new Set(names.filter((name): name is string => typeof name === 'string'))];
}

function managedFields(object: JsonObject | undefined): readonly JsonValue[] {
  const metadata = object?.['metadata'];
  const fields = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(fields) ? (fields as readonly JsonValue[]) : [];
}

/** Returns a version as text: a line about the write, and a line for each change. */
export function versionText(version: ObjectVersion): string {
  const { by, managers } = version;
  const who =
    by === undefined ? 'the server' : `${by.user} (${by.via}, ${by.userAgent || 'no user agent'}, ${by.verb})`;
  const manager = managers.length === 0 ? '' : `, manager ${managers.join(', ')}`;
  const head = `${version.version} ${version.type} ${formatTime(version.time)} by ${who}${manager}`;
  // The first version has everything that the object contains.
  const lines = version.type === 'created' ? [] : version.changes.map((change) => `    ${changeLine(change)}`);
  return [head, ...lines].join('\n');
}
