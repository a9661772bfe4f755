/**
 * The ownership rules: the fields that an update takes, and those that an apply takes, shares, contests and gives up.
 *
 * @module
 */
import { isSteps, resultOf, type Steps } from '../../../foundation/index.js';
import { EMPTY, type FieldSet } from '../fieldpath/fieldset.js';
import { isSame, type Comparison } from '../typed/compare.js';
import type { Type } from '../typed/type.js';
import { asMap } from '../typed/value.js';
import { ConflictError, type Conflict } from './conflict.js';
import { withSet, type ManagerOperation, type ManagerRecord, type Managers } from './managers.js';
import type { Pace } from './pace.js';
import { prune } from './prune.js';
import { toVersion, type TypedConvert, type VersionedObject } from './versions.js';

/** Fields that a writer neither owns nor takes from others, by apiVersion. */
export type IgnoredFields = Readonly<Record<string, FieldSet>>;

/** The writer, the live object, and the ownership before the write. */
export interface Write {
  readonly pace: Pace;
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
  const { pace } = write;
  const reconciled = yield* reconcileWithSchema(write);
  const { managers, comparison } = yield* takeFields(write, reconciled, after, true);
  const before = managers.get(write.identifier)?.set ?? EMPTY;
  const keeping = pace.difference(before, comparison.removed);
  const kept = isSteps(keeping) ? yield* keeping : keeping;
  const adding = pace.unionOf([kept, comparison.modified, comparison.added]);
  const changed = isSteps(adding) ? yield* adding : adding;
  const owning = pace.recursiveDifference(changed, write.ignored?.[after.apiVersion] ?? EMPTY);
  const set = isSteps(owning) ? yield* owning : owning;
  if (pace.isEmpty(set)) managers.delete(write.identifier);
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
  const { pace, live, identifier } = write;
  const reconciled = yield* reconcileWithSchema(write);
  const merging = pace.merge(live.object, config.object, live.type);
  const mergedObject = asMap(isSteps(merging) ? yield* merging : merging) ?? live.object;
  const last = reconciled.get(identifier);
  const intending = pace.toFieldSet(config.object, config.type);
  const intended = isSteps(intending) ? yield* intending : intending;
  const owning = pace.recursiveDifference(intended, write.ignored?.[config.apiVersion] ?? EMPTY);
  const set = isSteps(owning) ? yield* owning : owning;
  const record = writerRecord(write, 'Apply', config, set);
  const managers = new Map(reconciled).set(identifier, record);
  const pruning = prune(pace, { ...live, object: mergedObject }, managers, record, last, write.convert);
  const object = yield* pace.temporarily(pruning);
  const { managers: remaining, comparison } = yield* takeFields(write, managers, object, force);
  // Order counts: an intent that only reorders the items of a list is a change, although nobody owns the order.
  const comparing = isSame(comparison) && pace.equalJson(object.object, live.object);
  const isUnchanged = isSteps(comparing) ? yield* comparing : comparing;
  return { object: isUnchanged ? undefined : object, managers: remaining };
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
function* reconcileWithSchema({ pace, live, managers, convert }: Write): Steps<Managers> {
  let reconciled: Map<string, ManagerRecord> | undefined;
  // Converted once per version instead of once per manager.
  const types = new Map<string, Type | undefined>([[live.apiVersion, live.type]]);
  for (const [identifier, record] of managers) {
    const { apiVersion } = record;
    if (!types.has(apiVersion))
      types.set(apiVersion, (yield* resultOf(toVersion(live, apiVersion, convert, pace)))?.type);
    const type = types.get(apiVersion);
    if (type === undefined || record.matches === type) continue;
    reconciled ??= new Map(managers);
    const reconciling = pace.reconcileWithType(record.set, type);
    const set = isSteps(reconciling) ? yield* reconciling : reconciling;
    reconciled.set(identifier, { ...record, set, matches: type });
  }
  return reconciled ?? managers;
}

/** The changes of a write to a version. */
interface Changes extends Comparison {
  /** The fields that are added or modified: those that other writers of the version lose. */
  readonly changed: FieldSet;
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
  const { pace } = write;
  const comparison = (yield* changesIn(write, after, after.apiVersion)) as Changes;
  // Computed once per version instead of once per manager.
  const byVersion = new Map<string, Changes | undefined>([[after.apiVersion, comparison]]);
  const conflicts: Conflict[] = [];
  const result = new Map<string, ManagerRecord>();
  for (const [identifier, record] of managers) {
    if (identifier === write.identifier) {
      if (!pace.isEmpty(record.set)) result.set(identifier, record);
      continue;
    }
    if (!byVersion.has(record.apiVersion))
      byVersion.set(record.apiVersion, yield* changesIn(write, after, record.apiVersion));
    const changes = byVersion.get(record.apiVersion);
    if (changes === undefined) continue;
    const fields = yield* sharedFields(pace, record.set, changes.changed);
    if (fields !== EMPTY) conflicts.push({ identifier, owner: record, fields });
    const losing = fields === EMPTY ? record.set : pace.difference(record.set, fields);
    const kept = isSteps(losing) ? yield* losing : losing;
    const removing = pace.difference(kept, changes.removed);
    const remaining = isSteps(removing) ? yield* removing : removing;
    if (!pace.isEmpty(remaining)) result.set(identifier, withSet(record, remaining));
  }
  if (!force && conflicts.length > 0) throw new ConflictError(conflicts);
  return { managers: result, comparison };
}

/** Returns the fields that both sets have; {@link EMPTY} when there are none. */
function* sharedFields(pace: Pace, a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (pace.isEmpty(b)) return EMPTY;
  const sharing = pace.intersection(a, b);
  const shared = isSteps(sharing) ? yield* sharing : sharing;
  return pace.isEmpty(shared) ? EMPTY : shared;
}

/** Returns the changes in a version; undefined when the version does not exist. */
function* changesIn(
  { pace, live, convert, ignored }: Write,
  after: VersionedObject,
  apiVersion: string,
): Steps<Changes | undefined> {
  const left = yield* resultOf(toVersion(live, apiVersion, convert, pace));
  const right = left && (yield* resultOf(toVersion(after, apiVersion, convert, pace)));
  if (left === undefined || right === undefined) return undefined;
  const comparing = pace.compare(left.object, right.object, right.type);
  const compared = isSteps(comparing) ? yield* comparing : comparing;
  const excluding = pace.excludeFields(compared, ignored?.[apiVersion]);
  const { added, modified, removed } = isSteps(excluding) ? yield* excluding : excluding;
  const uniting = pace.union(modified, added);
  return { added, modified, removed, changed: isSteps(uniting) ? yield* uniting : uniting };
}
