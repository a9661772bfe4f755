import type { JsonValue, StoredObject } from '../../../foundation/index.js';
import type { eventsV1 } from '../../types/index.js';
import type { StoredKind } from '../behaviour.js';
import type { StoredEvent } from '../core/event/validate.js';

/** Field names that differ between the events group and the core group. */
const NAMES: readonly (readonly [events: string, core: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];
const toCore: ReadonlyMap<string, string> = new Map(NAMES);
const fromCore: ReadonlyMap<string, string> = new Map(NAMES.map(([events, core]) => [core, events]));

/** Fields that the core group writes even when empty; the events group omits them. */
const ALWAYS_IN_CORE = ['reportingComponent', 'reportingInstance'];

type Fields = Record<string, JsonValue | undefined>;

function rename(object: StoredObject, names: ReadonlyMap<string, string>): Fields {
  const renamed: Fields = {};
  for (const field of Object.keys(object)) renamed[names.get(field) ?? field] = object[field];
  return renamed;
}

/**
 * Converts an event of the events group to the core group, the stored form. Returns a new object that shares its
 * values.
 */
export function eventToCore(object: StoredObject): StoredEvent {
  const fields = rename(object, toCore);
  for (const field of ALWAYS_IN_CORE) fields[field] ??= '';
  return { ...fields, apiVersion: 'v1', kind: object.kind, metadata: object.metadata } as StoredEvent;
}

/**
 * Converts a stored event to the events group. Returns a new object that shares its values. The caller sets
 * `apiVersion`, because the name of the group depends on the dialect.
 */
export function eventFromCore(object: StoredObject): StoredKind<eventsV1.Event> {
  const fields = rename(object, fromCore);
  for (const field of ALWAYS_IN_CORE) {
    const name = fromCore.get(field) ?? field;
    if (fields[name] === '') delete fields[name];
  }
  return {
    ...fields,
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: object.metadata,
  } as StoredKind<eventsV1.Event>;
}
