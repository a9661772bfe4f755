import type { JsonValue } from '../../meta/json.js';
import type { StoredObject } from '../../meta/object.js';
import type { StoredEvent } from '../core/event/validate.js';
import type { EventsEventFields } from './schema.js';

/** What the events group calls a field, and what the core group calls it. */
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

/** Fields that the core group writes even when they are empty, and the events group does not. */
const ALWAYS_IN_CORE = ['reportingComponent', 'reportingInstance'];

type Fields = Record<string, JsonValue | undefined>;

function rename(object: StoredObject, names: ReadonlyMap<string, string>): Fields {
  const renamed: Fields = {};
  for (const field of Object.keys(object)) renamed[names.get(field) ?? field] = object[field];
  return renamed;
}

/** True for an event under the names of the core group. */
export function isCoreForm(object: StoredObject): boolean {
  return object['involvedObject'] !== undefined;
}

/** An event of the events group under the names of the core group, as it is stored. A new object; the old one is shared from. */
export function eventToCore(object: StoredObject): StoredEvent {
  const fields = rename(object, toCore);
  for (const field of ALWAYS_IN_CORE) fields[field] ??= '';
  return { ...fields, apiVersion: 'v1', kind: object.kind, metadata: object.metadata } as StoredEvent;
}

/**
 * A stored event under the names of the events group. A new object; the old one is shared from. `apiVersion` is left as it
 * is: the group's full name is the dialect's, and the caller's to write.
 */
export function eventFromCore(object: StoredObject): StoredObject & EventsEventFields {
  const fields = rename(object, fromCore);
  for (const field of ALWAYS_IN_CORE) {
    const name = fromCore.get(field) ?? field;
    if (fields[name] === '') delete fields[name];
  }
  return { ...fields, apiVersion: object.apiVersion, kind: object.kind, metadata: object.metadata } as StoredObject &
    EventsEventFields;
}
