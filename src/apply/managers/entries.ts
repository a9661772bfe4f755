/**
 * Decodes and encodes `metadata.managedFields`.
 *
 * @module
 */
import { messageOf } from '../../meta/error-message.js';
import { goQuote } from '../../meta/go-text.js';
import type { ManagedFieldsEntry } from '../../meta/object.js';
import { fromFieldsV1, toFieldsV1 } from '../fieldpath/fields-v1.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { compareText } from '../../encoding/code-points.js';
import type { ManagerRecord, Managers } from '../merge/managers.js';
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
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[]): Managers {
  const managers = new Map<string, ManagerRecord>();
  for (let index = 0; index < entries.length; index += 1) {
    const record = decodeEntry(entries[index] as ManagedFieldsEntry, index);
    managers.set(managerIdentifier(record), record);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): ManagerRecord {
  const { manager = '', operation, apiVersion = '', time, fieldsType = '', fieldsV1, subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new ManagedFieldsError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  const set = decodeSet(fieldsV1);
  if (typeof time === 'string') return { manager, operation, apiVersion, subresource, set, time, source: entry };
  return { manager, operation, apiVersion, subresource, set, source: entry };
}

/**
 * Decoded sets by their fieldsV1 object. Entries are never changed in place, and most entries of an object stay the
 * same from one write to the next.
 */
const sets = new WeakMap<object, FieldSet>();

function decodeSet(fieldsV1: ManagedFieldsEntry['fieldsV1']): FieldSet {
  if (typeof fieldsV1 !== 'object' || fieldsV1 === null) return readSet(fieldsV1);
  let set = sets.get(fieldsV1);
  if (set === undefined) {
    set = readSet(fieldsV1);
    sets.set(fieldsV1, set);
  }
  return set;
}

function readSet(fieldsV1: ManagedFieldsEntry['fieldsV1']): FieldSet {
  try {
    return fromFieldsV1(fieldsV1 ?? {});
  } catch (error) {
    throw new ManagedFieldsError(`error decoding set: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Returns true for the list that clears all entries: a list of one empty entry. */
export function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [entry] = entries;
  return (
    entries.length === 1 &&
    entry !== undefined &&
    Object.values(entry).every((value) => value === undefined || value === null || value === '')
  );
}

/** Encodes the entries: appliers first, then sorted by time, name, version and subresource. */
export function encodeManagedFields(managers: Managers): ManagedFieldsEntry[] {
  const records = [...managers.values()];
  if (records.length > 1) records.sort(compareRecords);
  return records.map(encodeRecord);
}

function encodeRecord(record: ManagerRecord): ManagedFieldsEntry {
  const { manager, operation, apiVersion, time, set, subresource, source } = record;
  if (source !== undefined && source.fieldsV1 === set && source.time === time && source.manager === manager)
    return source;
  const entry: ManagedFieldsEntry = {};
  if (manager !== '') entry.manager = manager;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = toFieldsV1(set);
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

function compareRecords(a: ManagerRecord, b: ManagerRecord): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** Compares two times by whole seconds. A missing time is the earliest. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  return a === b ? 0 : secondsOf(a) - secondsOf(b);
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
