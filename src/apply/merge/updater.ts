/**
 * The ownership rules: the fields that an update takes, and those that an apply takes, shares, contests and gives up.
 *
 * @module
 */
import { equalJson } from '../../meta/json.js';
import type { Steps, Work } from '../../meta/work.js';
import {
  difference,
  EMPTY,
  intersection,
  isEmpty,
  recursiveDifference,
  union,
  type FieldSet,
} from '../fieldpath/fieldset.js';
import { compare, excludeFields, type Comparison } from '../typed/compare.js';
import { merge } from '../typed/merge.js';
import { toFieldSet } from '../typed/owned.js';
import { reconcileWithType } from '../typed/sets.js';
import { asMap } from '../typed/value.js';
import { ConflictError, type Conflict } from './conflict.js';
import { withSet, type ManagerOperation, type ManagerRecord, type Managers } from './managers.js';
import { prune } from './prune.js';
import { mayPause } from './stage.js';
import { toVersion, type TypedConvert, type VersionedObject } from './versions.js';

/** Fields that a writer neither owns nor takes from others, by apiVersion. */
export type IgnoredFields = Readonly<Record<string, FieldSet>>;

/** The writer, the live object, and the ownership before the write. */
export interface Write {
  /** The work of the request, which pauses between two stages. */
  readonly work: Work;
  readonly live: VersionedObject;
  readonly managers: Managers;
  /** Identifier of the writer's record. */
  readonly identifier: string;
  /** Name of the writer. */
  readonly manager: string;
  readonly subresource: string;
  readonly convert: TypedConvert | undefined;
  readonly ignored: IgnoredFields | undefined;
}

/** The result of an apply. */
export interface ApplyOutcome {
  /** The new state; undefined when it equals the live one. */
  readonly object: VersionedObject | undefined;
  readonly managers: Managers;
}

/**
 * Returns the ownership after a write other than apply. The writer owns the fields that it changed, and all other
 * managers lose them.
 *
 * @param after the new state, in the version of `write.live`
 * @throws TypedError when the two states cannot be compared
 */
export function* update(write: Write, after: VersionedObject): Steps<Managers> {
  const reconciled = reconcileWithSchema(write);
  if (mayPause(write.work)) yield;
  const { managers, comparison } = yield* takeFields(write, reconciled, after, true);
  if (mayPause(write.work)) yield;
  const before = managers.get(write.identifier)?.set ?? EMPTY;
  const changed = union(union(difference(before, comparison.removed), comparison.modified), comparison.added);
  const set = recursiveDifference(changed, write.ignored?.[after.apiVersion] ?? EMPTY);
  if (isEmpty(set)) managers.delete(write.identifier);
  else managers.set(write.identifier, writerRecord(write, 'Update', after, set));
  return managers;
}

/**
 * Returns the object and its ownership after an apply: merges the intent, removes the fields that the applier gave up,
 * and makes the applier own exactly the fields of its intent, shared with other owners of the same values.
 *
 * @param config the intent, in the version of `write.live`
 * @throws ConflictError when values of other managers would change, unless forced
 * @throws TypedError when the two objects cannot be merged
 */
export function* apply(write: Write, config: VersionedObject, force: boolean): Steps<ApplyOutcome> {
  const reconciled = reconcileWithSchema(write);
  const { work, live, identifier } = write;
  if (mayPause(work)) yield;
  const mergedObject = asMap(merge(live.object, config.object, live.type)) ?? live.object;
  if (mayPause(work)) yield;
  const last = reconciled.get(identifier);
  const set = recursiveDifference(toFieldSet(config.object, config.type), write.ignored?.[config.apiVersion] ?? EMPTY);
  if (mayPause(work)) yield;
  const record = writerRecord(write, 'Apply', config, set);
  const managers = new Map(reconciled).set(identifier, record);
  const object = yield* prune(work, { ...live, object: mergedObject }, managers, record, last, write.convert);
  const outcome = yield* takeFields(write, managers, object, force);
  // Order counts: an intent that only reorders the items of a list is a change, although nobody owns the order.
  return { object: equalJson(object.object, live.object) ? undefined : object, managers: outcome.managers };
}

/**
 * Returns the writer's record with the time of the record that it replaces.
 *
 * @param state the state that the set was made from, by its type
 */
function writerRecord(
  { managers, identifier, manager, subresource }: Write,
  operation: ManagerOperation,
  { apiVersion, type }: VersionedObject,
  set: FieldSet,
): ManagerRecord {
  const time = managers.get(identifier)?.time;
  return { manager, operation, apiVersion, subresource, set, time, source: undefined, matches: type };
}

/** Reconciles the sets with the current schemas; those that a write of this schema has stored match already. */
function reconcileWithSchema({ live, managers, convert }: Write): Managers {
  let reconciled: Map<string, ManagerRecord> | undefined;
  for (const [identifier, record] of managers) {
    const type = toVersion(live, record.apiVersion, convert)?.type;
    if (type === undefined || record.matches === type) continue;
    reconciled ??= new Map(managers);
    reconciled.set(identifier, { ...record, set: reconcileWithType(record.set, type), matches: type });
  }
  return reconciled ?? managers;
}

/**
 * Takes the fields that the write changes or removes from all managers except the writer. Drops records of versions
 * that no longer exist and records without fields.
 */
function* takeFields(
  write: Write,
  managers: Managers,
  after: VersionedObject,
  force: boolean,
): Steps<{ managers: Map<string, ManagerRecord>; comparison: Comparison }> {
  const comparisons = new Map<string, Comparison | undefined>();
  const comparisonIn = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareIn(write, after, apiVersion));
    return comparisons.get(apiVersion);
  };
  const comparison = comparisonIn(after.apiVersion) as Comparison;
  // The fields that the writers of a version lose, computed once per version instead of once per manager.
  const changedIn = new Map<Comparison, FieldSet>();
  const changedBy = (changes: Comparison): FieldSet => {
    let changed = changedIn.get(changes);
    if (changed === undefined) changedIn.set(changes, (changed = union(changes.modified, changes.added)));
    return changed;
  };
  const conflicts: Conflict[] = [];
  const result = new Map<string, ManagerRecord>();
  for (const [identifier, record] of managers) {
    if (mayPause(write.work)) yield;
    const changes = identifier === write.identifier ? NO_CHANGES : comparisonIn(record.apiVersion);
    if (changes === undefined) continue;
    const changed = changedBy(changes);
    const fields = isEmpty(changed) ? EMPTY : intersection(record.set, changed);
    if (!isEmpty(fields)) conflicts.push({ identifier, owner: record, fields });
    const remaining = difference(isEmpty(fields) ? record.set : difference(record.set, fields), changes.removed);
    if (!isEmpty(remaining)) result.set(identifier, withSet(record, remaining));
  }
  if (!force && conflicts.length > 0) throw new ConflictError(conflicts);
  return { managers: result, comparison };
}

const NO_CHANGES: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };

/** Returns the changes in another version; undefined when the version does not exist. */
function compareIn(
  { live, convert, ignored }: Write,
  after: VersionedObject,
  apiVersion: string,
): Comparison | undefined {
  const left = toVersion(live, apiVersion, convert);
  const right = left && toVersion(after, apiVersion, convert);
  if (left === undefined || right === undefined) return undefined;
  return excludeFields(compare(left.object, right.object, right.type), ignored?.[apiVersion]);
}
