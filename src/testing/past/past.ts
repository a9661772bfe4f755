/**
 * The past of a test server: its former states, and the versions of its objects with their authors.
 *
 * @module
 */
import type { Client } from '../../client/index.js';
import {
  formatTime,
  isJsonObject,
  jsonText,
  jsonValue,
  parseTime,
  shown,
  stringOrEmpty,
  type JsonObject,
} from '../../foundation/index.js';
import type { JsonChange } from '../../machinery/index.js';
import type { ServedResource } from '../../registry/index.js';
import type { Revision } from '../../storage/index.js';
import { changeLine } from './change-line.js';
import type { Journal } from './journal.js';
import { objectDiff, objectOf, versionOf, versionText, type ObjectVersion } from './object-version.js';

/**
 * A point in the past: a resource version, as a number or a string, or a time, as a Date or a string such as
 * `2024-01-01T00:00:10Z`.
 */
export type PastPoint = string | number | Date;

/** An object, or the names that identify one. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

/** The versions of an object, oldest first. */
export interface ObjectHistory extends ReadonlyArray<ObjectVersion> {
  /** The versions as lines for a reader. */
  toString(): string;
}

/** An object that differs between two states. */
export interface ObjectDifference {
  readonly type: 'created' | 'updated' | 'deleted';
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly changes: readonly JsonChange[];
}

/** The differences of two states, in the order in which the objects were last written. */
export interface StateDifference extends ReadonlyArray<ObjectDifference> {
  /** The differences as lines for a reader. */
  toString(): string;
}

/** The members of a test server about its past. */
export interface PastMembers {
  /**
   * Returns a client that gets and lists the state at a point in the past, and can do nothing else. It fails with 410
   * when the server's history no longer reaches back to that state, as the server itself would.
   *
   * @throws TypeError for a value that is not a point; Error for a time before the test began
   */
  at(point: PastPoint): Client;
  /**
   * Returns the versions of an object that were written since the test began, oldest first, those of a deleted object
   * too: when, by whom, and what changed. Objects are in the version in which they are stored.
   *
   * @throws TypeError for a reference without kind or name, or of a kind that is not served
   */
  history(reference: ObjectReference): ObjectHistory;
  /**
   * Returns what differs between two states: the objects that were created, updated or deleted.
   *
   * @param to default the current state
   * @throws Error when the test no longer remembers the writes in between
   */
  diff(from: PastPoint, to?: PastPoint): StateDifference;
  /** Returns the differences of two objects, without their resource versions and managed fields. */
  diff(from: ObjectReference, to: ObjectReference): readonly JsonChange[];
}

/** The parts that the past is read from. */
export interface PastParts {
  readonly journal: Journal;
  readonly served: () => readonly ServedResource[];
  /** Returns a client of the state at a revision. */
  readonly clientAt: (revision: Revision) => Client;
}

/** Returns the members about the past. */
export function pastMembers({ journal, served, clientAt }: PastParts): PastMembers {
  const revisionOf = (point: PastPoint): Revision => revisionAt(journal, point);
  function diff(from: PastPoint, to?: PastPoint): StateDifference;
  function diff(from: ObjectReference, to: ObjectReference): readonly JsonChange[];
  function diff(
    from: PastPoint | ObjectReference,
    to?: PastPoint | ObjectReference,
  ): StateDifference | readonly JsonChange[] {
    if (isReference(from) && isReference(to)) return objectDiff(jsonOf(from), jsonOf(to));
    if (isReference(from) || isReference(to))
      throw new TypeError('test.diff takes two points in the past, or two objects');
    return stateDiff(journal, revisionOf(from), to === undefined ? Infinity : revisionOf(to));
  }
  return {
    at: (point) => clientAt(revisionOf(point)),
    history: (reference) => {
      const key = keyOf(reference, served());
      const versions = journal.entries.filter(({ event }) => event.key === key).map(versionOf);
      return asText(versions, versionText);
    },
    diff,
  };
}

const isReference = (value: unknown): value is ObjectReference =>
  typeof value === 'object' && value !== null && !(value instanceof Date);

const jsonOf = (value: object): JsonObject => jsonValue(jsonText(value)) as JsonObject;

function revisionAt(journal: Journal, point: PastPoint): Revision {
  const text = String(point);
  if (typeof point === 'number' || /^\d+$/.test(text)) {
    const revision = Number(text);
    if (Number.isSafeInteger(revision) && revision > 0) return revision;
  }
  const timeMs = point instanceof Date ? point.getTime() : typeof point === 'string' ? parseTime(point) : undefined;
  if (timeMs === undefined || Number.isNaN(timeMs))
    throw new TypeError(
      `a point in the past must be a resource version, such as object.metadata.resourceVersion, or a time, as a Date or a string such as "2024-01-01T00:00:10Z", got ${shown(point)}`,
    );
  return revisionAtTime(journal, timeMs);
}

function revisionAtTime(journal: Journal, timeMs: number): Revision {
  const last = journal.entries.findLast((entry) => entry.timeMs <= timeMs);
  if (last !== undefined) return last.event.revision;
  const oldest = journal.entries[0];
  throw new Error(
    `the test does not know the state at ${formatTime(timeMs)}: its first write was at ${oldest === undefined ? 'no time' : formatTime(oldest.timeMs)}`,
  );
}

/** Returns the storage key of an object. @throws TypeError */
export function keyOf(reference: ObjectReference, served: readonly ServedResource[]): string {
  const value: unknown = reference;
  const metadata = isReference(value) && isReference(value.metadata) ? value.metadata : {};
  const { name, namespace = '' } = metadata as ObjectReference['metadata'];
  if (
    !isReference(value) ||
    typeof value.kind !== 'string' ||
    typeof value.apiVersion !== 'string' ||
    name === undefined
  )
    throw new TypeError(
      `test.history takes an object, or { apiVersion, kind, metadata: { name, namespace } }, got ${shown(reference)}`,
    );
  const { apiVersion, kind } = reference;
  const found = served.find((one) => one.apiVersion === apiVersion && one.kind === kind);
  if (found === undefined)
    throw new TypeError(`test.history: the server does not serve the kind ${kind} of ${apiVersion}`);
  if (found.namespaced && namespace === '')
    throw new TypeError(`test.history: a ${kind} has a namespace: add metadata.namespace`);
  return `${found.keyPrefix}${found.namespaced ? `${namespace}/` : ''}${name}`;
}

function stateDiff(journal: Journal, from: Revision, to: Revision): StateDifference {
  if (from > to) throw new TypeError(`test.diff: ${from} is after ${to}: name the earlier state first`);
  if (!journal.reaches(from))
    throw new Error(
      `the test does not remember all writes since version ${from}: raise recorded.versions of startTestServer, or name a later version`,
    );
  const spans = new Map<string, { before: JsonObject | undefined; after: JsonObject | undefined }>();
  for (const { event } of journal.entries) {
    if (event.revision <= from || event.revision > to) continue;
    const before = spans.has(event.key) ? spans.get(event.key)?.before : objectOf(event.previous);
    spans.delete(event.key);
    spans.set(event.key, { before, after: event.type === 'delete' ? undefined : objectOf(event.record) });
  }
  const differences = [...spans.values()].flatMap(({ before, after }) => differenceOf(before, after) ?? []);
  return asText(differences, differenceText);
}

/** Gives a list a `toString` that is not one of its members, so that lists stay comparable. */
function asText<Item>(items: Item[], lineOf: (item: Item) => string): Item[] {
  return Object.defineProperty(items, 'toString', { value: () => items.map(lineOf).join('\n') });
}

function differenceOf(before: JsonObject | undefined, after: JsonObject | undefined): ObjectDifference | undefined {
  const shape = after ?? before;
  if (shape === undefined) return undefined;
  const changes = before === undefined || after === undefined ? [] : objectDiff(before, after);
  const type = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
  if (type === 'updated' && changes.length === 0) return undefined;
  const metadata = isJsonObject(shape['metadata']) ? shape['metadata'] : {};
  return {
    type,
    apiVersion: stringOrEmpty(shape['apiVersion']),
    kind: stringOrEmpty(shape['kind']),
    namespace: stringOrEmpty(metadata['namespace']),
    name: stringOrEmpty(metadata['name']),
    changes,
  };
}

function differenceText({ type, kind, namespace, name, changes }: ObjectDifference): string {
  const head = `${type} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  return [head, ...changes.map((change) => `    ${changeLine(change)}`)].join('\n');
}
