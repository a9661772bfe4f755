/**
 * The versions of an object, as a watch and exact reads tell them.
 *
 * @module
 */
import type { ManagedFieldsEntry, ObjectMeta } from './object.js';

/** A version of an object. */
export interface ObjectVersion<Item> {
  /** Its resource version. */
  readonly version: string;
  /** Effect of the write; `before` for the state with which the history begins. */
  readonly type: 'created' | 'updated' | 'deleted' | 'before';
  readonly object: Item;
  /** The field managers whose entries the write changed. */
  readonly managers: readonly string[];
  /** Time of the write, as far as its managers tell it. */
  readonly time: string | undefined;
}

/** The parts of an object that tell its versions. */
interface Versioned {
  readonly metadata: Pick<ObjectMeta, 'resourceVersion' | 'managedFields' | 'deletionTimestamp'>;
}

const TYPES = {
  ADDED: 'created',
  MODIFIED: 'updated',
  DELETED: 'deleted',
} as const;

/** Returns the state with which a history begins. */
export const firstVersion = <Item extends Versioned>(object: Item): ObjectVersion<Item> =>
  versionOf('before', object, undefined);

/**
 * Returns the version that an event of a watch tells; undefined when it is the one before.
 *
 * @param type type of the event
 * @param before the version before; undefined for the first. A change of an unknown state begins a history
 */
export function nextVersion<Item extends Versioned>(
  type: keyof typeof TYPES,
  object: Item,
  before: ObjectVersion<Item> | undefined,
): ObjectVersion<Item> | undefined {
  if (before !== undefined && before.version === object.metadata.resourceVersion) return undefined;
  if (before === undefined && type === 'MODIFIED') return firstVersion(object);
  return versionOf(TYPES[type], object, before?.type === 'deleted' ? undefined : before?.object);
}

/**
 * Returns the oldest version that a server still has, from what it says to a reader of a discarded one:
 * `too old resource version: 7 (42)`.
 *
 * @returns undefined when it says something else
 */
export const oldestVersionIn = (error: unknown): string | undefined =>
  /\((\d+)\)/.exec(error instanceof Error ? error.message : '')?.[1];

function versionOf<Item extends Versioned>(
  type: ObjectVersion<Item>['type'],
  object: Item,
  before: Item | undefined,
): ObjectVersion<Item> {
  const entries = writtenEntries(object, before);
  const times = entries.map(({ time }) => time ?? '').sort();
  const isDelete = type === 'deleted';
  return {
    version: object.metadata.resourceVersion ?? '',
    type,
    object,
    managers: isDelete || type === 'before' ? [] : [...new Set(entries.map(({ manager = '' }) => manager))],
    time: isDelete ? object.metadata.deletionTimestamp : times.at(-1) || undefined,
  };
}

/** Returns the entries of those who wrote a version. An entry that only lost fields to another keeps its time. */
function writtenEntries({ metadata }: Versioned, before: Versioned | undefined): readonly ManagedFieldsEntry[] {
  const former = before?.metadata.managedFields ?? [];
  const known = new Set(former.map((entry) => JSON.stringify(entry)));
  const changed = (metadata.managedFields ?? []).filter((entry) => !known.has(JSON.stringify(entry)));
  const moments = new Set(former.map(momentOf));
  const written = changed.filter((entry) => !moments.has(momentOf(entry)));
  return written.length > 0 ? written : changed;
}

/** Returns who wrote an entry, and when, as one text. */
const momentOf = ({ manager, operation, subresource, time }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, subresource, time]);

/** Metadata that every write changes, or that no write may change. */
const NOT_COMPARED = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);

/** Returns the parts of a version that people compare; nothing of a deleted one. */
export function comparedParts({ type, object }: ObjectVersion<Versioned>): object {
  if (type === 'deleted') return {};
  const metadata = Object.entries(object.metadata).filter(([name]) => !NOT_COMPARED.has(name));
  return { ...object, metadata: Object.fromEntries(metadata) };
}
