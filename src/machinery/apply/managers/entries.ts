/**
 * Decodes and encodes `metadata.managedFields`.
 *
 * @module
 */
import {
  atOnce,
  compareText,
  goQuote,
  isSteps,
  messageOf,
  sortedSteps,
  UNBOUNDED_WORK,
  type ManagedFieldsEntry,
  type Steps,
} from '../../../foundation/index.js';
import { fromFieldsV1, toFieldsV1 } from '../fieldpath/fields-v1.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import type { ManagerRecord, Managers } from '../merge/managers.js';
import { paceOf, type Pace } from '../merge/pace.js';
import { rethrowRefusal } from './failure.js';
import { managerIdentifier } from './identifier.js';

/** An invalid managedFields entry. One invalid entry invalidates the whole list. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/**
 * Decodes the entries of an object.
 *
 * @throws ManagedFieldsError when an entry has an unknown operation, no apiVersion, an unknown fieldsType, or invalid
 * fields
 */
export const decodeManagedFields = (entries: readonly ManagedFieldsEntry[]): Managers =>
  atOnce(decodedManagers(entries, paceOf(UNBOUNDED_WORK)));

/** Does the same as {@link decodeManagedFields}, at the pace of a write. */
export function* decodedManagers(entries: readonly ManagedFieldsEntry[], pace: Pace): Steps<Managers> {
  const managers = new Map<string, ManagerRecord>();
  for (let index = 0; index < entries.length; index += 1) {
    const record = yield* decodeEntry(entries[index] as ManagedFieldsEntry, index, pace);
    managers.set(managerIdentifier(record), record);
  }
  return managers;
}

function* decodeEntry(entry: ManagedFieldsEntry, index: number, pace: Pace): Steps<ManagerRecord> {
  const { manager = '', operation, apiVersion = '', time, fieldsType = '', fieldsV1, subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new ManagedFieldsError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  const set = yield* readSet(fieldsV1, pace);
  const known = typeof time === 'string' ? time : undefined;
  return { manager, operation, apiVersion, subresource, set, time: known, source: entry, matches: undefined };
}

function* readSet(fieldsV1: ManagedFieldsEntry['fieldsV1'], pace: Pace): Steps<FieldSet> {
  try {
    const reading = pace.fromFieldsV1(fieldsV1 ?? {});
    // A client may send elements in any order. A set that is reordered is not its entry's own, which is written again.
    const sorting = pace.sorted(isSteps(reading) ? yield* reading : reading);
    return isSteps(sorting) ? yield* sorting : sorting;
  } catch (error) {
    rethrowRefusal(error);
    throw new ManagedFieldsError(`error decoding set: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns true for a list that clears all entries: an empty one, or one of a single empty entry. */
export function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [entry] = entries;
  if (entry === undefined) return true;
  return (
    entries.length === 1 && Object.values(entry).every((value) => value === undefined || value === null || value === '')
  );
}

/**
 * Managers by the entries that they were decoded from or encoded to. Entries and their lists are never changed in place,
 * and the entries that one write stores are those that the next one starts from.
 */
const decoded = new WeakMap<readonly ManagedFieldsEntry[], Managers>();

/**
 * Decodes the entries of a stored object, once.
 *
 * @throws ManagedFieldsError like {@link decodeManagedFields}
 */
export function* managersOf(entries: readonly ManagedFieldsEntry[], pace: Pace): Steps<Managers> {
  let managers = decoded.get(entries);
  if (managers === undefined) {
    managers = yield* decodedManagers(entries, pace);
    decoded.set(entries, managers);
  }
  return managers;
}

/**
 * Encodes the entries: appliers first, then sorted by time, name, version and subresource. The list must not be changed
 * afterwards.
 */
export const encodeManagedFields = (managers: Managers): ManagedFieldsEntry[] =>
  atOnce(encodedManagers(managers, paceOf(UNBOUNDED_WORK)));

/** Does the same as {@link encodeManagedFields}, at the pace of a write. */
export function* encodedManagers(managers: Managers, pace: Pace): Steps<ManagedFieldsEntry[]> {
  const records = yield* sortedSteps([...managers], ([, a], [, b]) => compareEntries(a, b), pace);
  const entries: ManagedFieldsEntry[] = [];
  const encoded = new Map<string, ManagerRecord>();
  for (const [identifier, record] of records) {
    const written = yield* withEntry(record, pace);
    entries.push(written.source);
    encoded.set(identifier, written);
  }
  decoded.set(entries, encoded);
  return entries;
}

/** Returns the record with the entry that it is written as. */
function* withEntry(record: ManagerRecord, pace: Pace): Steps<ManagerRecord & { readonly source: ManagedFieldsEntry }> {
  const { manager, operation, apiVersion, time, subresource, source, matches } = record;
  if (source !== undefined && source.fieldsV1 === record.set && source.time === time && source.manager === manager)
    return { ...record, source };
  const sorting = pace.sorted(record.set);
  const set = isSteps(sorting) ? yield* sorting : sorting;
  const entry = newEntry(record, set);
  return { manager, operation, apiVersion, subresource, set, time, source: entry, matches };
}

/** The facts by which an entry is identified and sorted. */
interface EntryFacts {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Returns the entry of a manager for a set in Kubernetes order. */
export function newEntry(
  { manager = '', operation, apiVersion, time, subresource = '' }: EntryFacts,
  set: FieldSet,
): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  if (operation !== undefined) entry.operation = operation;
  if (apiVersion !== undefined) entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = set;
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

/** Compares entries, or their records, in the order in which they are written. */
function compareEntries(a: EntryFacts, b: EntryFacts): number {
  return (
    compareText(a.operation ?? '', b.operation ?? '') ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager ?? '', b.manager ?? '') ||
    compareText(a.apiVersion ?? '', b.apiVersion ?? '') ||
    compareText(a.subresource ?? '', b.subresource ?? '')
  );
}

/** Compares two times by whole seconds. A missing time is the earliest. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // The server writes whole seconds of UTC, whose texts have the order of the times.
  if (isWholeSecond(a) && isWholeSecond(b)) return a < b ? -1 : 1;
  return secondsOf(a) - secondsOf(b);
}

const WHOLE_SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const isWholeSecond = (time: string | undefined): time is string => time !== undefined && WHOLE_SECOND.test(time);

/**
 * Sorts the entries of a list in place. Moves only those that are out of order: most lists have few entries and are in
 * order except for the writer's.
 */
export function sortEntries(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  for (let index = 1; index < entries.length; index += 1) {
    const entry = entries[index] as ManagedFieldsEntry;
    let place = index;
    for (; place > 0 && compareEntries(entries[place - 1] as ManagedFieldsEntry, entry) > 0; place -= 1)
      entries[place] = entries[place - 1] as ManagedFieldsEntry;
    entries[place] = entry;
  }
  return entries;
}

function secondsOf(time: string | undefined): number {
  const milliseconds = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000);
}

/** Returns true when two lists differ at most in times. A write that changes nothing else keeps the old list. */
export function equalIgnoringTimes(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  if (a.length !== b.length) return false;
  const texts = (entries: readonly ManagedFieldsEntry[]): string[] =>
    entries
      .map(({ time: _time, ...entry }) =>
        JSON.stringify({
          ...entry,
          fieldsV1: entry.fieldsV1 === undefined ? null : toFieldsV1(fromFieldsV1(entry.fieldsV1)),
        }),
      )
      .sort();
  const left = texts(a);
  return texts(b).every((text, index) => text === left[index]);
}
