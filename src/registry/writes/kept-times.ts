import {
  equalSteps,
  isLargeWork,
  ownMember,
  runSteps,
  UNBOUNDED_WORK,
  whenReady,
  type ApiObject,
  type JsonObject,
  type ManagedFieldsEntry,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';

/**
 * Restores the records of field ownership of an object that differs from the old one in nothing but their times. They
 * were set because of values that the server has normalized away or reset since: the update changes nothing, and nothing
 * is written. Kubernetes: `IgnoreManagedFieldsTimestampsTransformer`. It compares the records by position, which their
 * times decide; here those of the same manager are compared.
 *
 * @param object the new object, with all that the server sets
 */
export function keepTimes(object: ApiObject, old: StoredObject, work = UNBOUNDED_WORK): void | Promise<void> {
  const { managedFields: before } = old.metadata;
  const { managedFields: after } = object.metadata;
  if (before === undefined || after === undefined || before.length !== after.length) return undefined;
  const changed = changedRecords(before, after);
  if (changed?.some(([former, entry]) => former.time !== entry.time) !== true) return undefined;
  const unit = isLargeWork(work, object as JsonObject) ? work : UNBOUNDED_WORK;
  return whenReady(runSteps(unit, isUnchanged(unit, object as JsonObject, old, changed)), (unchanged) => {
    if (unchanged) object.metadata.managedFields = before;
  });
}

/** A record before and after an update. */
type Pair = readonly [before: ManagedFieldsEntry, after: ManagedFieldsEntry];

/** Returns the records that are not the same entries; undefined when a manager has been added or removed. */
function changedRecords(
  before: readonly ManagedFieldsEntry[],
  after: readonly ManagedFieldsEntry[],
): readonly Pair[] | undefined {
  const changed: Pair[] = [];
  const moved: ManagedFieldsEntry[] = [];
  for (let index = 0; index < after.length; index += 1) {
    const [former, entry] = [before[index] as ManagedFieldsEntry, after[index] as ManagedFieldsEntry];
    if (former === entry) continue;
    if (isOfSameManager(former, entry)) changed.push([former, entry]);
    else moved.push(entry);
  }
  if (moved.length === 0) return changed;
  const known = new Map(before.map((entry) => [managerText(entry), entry]));
  for (const entry of moved) {
    const former = known.get(managerText(entry));
    if (former === undefined) return undefined;
    if (former !== entry) changed.push([former, entry]);
  }
  return changed;
}

const isOfSameManager = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.apiVersion === b.apiVersion &&
  a.subresource === b.subresource;

const managerText = ({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string =>
  JSON.stringify([manager, operation, apiVersion, subresource]);

/** Returns whether nothing but the times of the records differs. The specification comes first: most updates change it. */
function* isUnchanged(work: Work, object: JsonObject, old: JsonObject, changed: readonly Pair[]): Steps<boolean> {
  if (!(yield* equalBeside(work, 'metadata', object, old))) return false;
  const [metadata, oldMetadata] = [object['metadata'] as JsonObject, old['metadata'] as JsonObject];
  if (!(yield* equalBeside(work, 'managedFields', metadata, oldMetadata))) return false;
  for (const [before, after] of changed) {
    if (before.fieldsType !== after.fieldsType) return false;
    if (!(yield* equalSteps(work, before.fieldsV1, after.fieldsV1))) return false;
  }
  return true;
}

/** Returns whether two objects have equal members besides one. */
function* equalBeside(work: Work, name: string, a: JsonObject, b: JsonObject): Steps<boolean> {
  let more = 0;
  for (const key in a) {
    if (key === name || a[key] === undefined) continue;
    more += 1;
    if (!(yield* equalSteps(work, a[key], ownMember(b, key)))) return false;
  }
  for (const key in b) if (key !== name && b[key] !== undefined) more -= 1;
  return more === 0;
}
