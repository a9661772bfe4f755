import type { JsonObject } from '../../meta/json.js';
import type { Steps, Work } from '../../meta/work.js';
import { difference, intersection, isEmpty, isSubset, union, unionOf, type FieldSet } from '../fieldpath/fieldset.js';
import { addedNode, toFieldSet } from '../typed/owned.js';
import { removeItems } from '../typed/remove.js';
import { ensureNamedFieldsAreMembers } from '../typed/sets.js';
import type { Type } from '../typed/type.js';
import { asMap } from '../typed/value.js';
import type { ManagerRecord, Managers } from './managers.js';
import { mayPause } from './stage.js';
import { toVersion, type TypedConvert, type VersionedObject } from './versions.js';

/**
 * Removes from a merged object the fields and items that its applier has given up: those that it applied last time,
 * does not apply now, and that no other manager owns. Fields without an owner stay, unless their container is removed.
 *
 * @param work pauses between two stages
 * @param merged the live object with the new intent merged in
 * @param managers all managers, the applier with its new set
 * @param applier the applier's new record
 * @param last the applier's previous record; undefined on its first apply
 */
export function* prune(
  work: Work,
  merged: VersionedObject,
  managers: Managers,
  applier: ManagerRecord,
  last: ManagerRecord | undefined,
  convert: TypedConvert | undefined,
): Steps<VersionedObject> {
  if (last === undefined || isEmpty(last.set)) return merged;
  // An intent that names all previous fields gives nothing up: its set has every container of the fields that it names.
  if (last.apiVersion === applier.apiVersion && isSubset(last.set, applier.set)) return merged;
  const converted = toVersion(merged, last.apiVersion, convert);
  if (converted === undefined) return merged;
  const given = ensureNamedFieldsAreMembers(last.set, converted.type);
  if (mayPause(work)) yield;
  const remaining = removeFields(converted, given);
  if (mayPause(work)) yield;
  const owned = yield* addBackOwned(work, converted, remaining, managers, convert);
  if (mayPause(work)) yield;
  const pruned = yield* addBackDangling(work, converted, owned, last, convert);
  if (mayPause(work)) yield;
  return toVersion(pruned, applier.apiVersion, convert) ?? merged;
}

function removeFields(value: VersionedObject, set: FieldSet): VersionedObject {
  return { ...value, object: asMap(removeItems(value.object, set, value.type)) ?? EMPTY_OBJECT };
}
const EMPTY_OBJECT: JsonObject = Object.freeze({});

const namedFieldsOf = (value: VersionedObject, type: Type): FieldSet =>
  ensureNamedFieldsAreMembers(toFieldSet(value.object, value.type), type);

/** Restores removed fields that any manager owns, including the applier with its new intent. */
function* addBackOwned(
  work: Work,
  merged: VersionedObject,
  pruned: VersionedObject,
  managers: Managers,
  convert: TypedConvert | undefined,
): Steps<VersionedObject> {
  const setsByVersion = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
  for (const { apiVersion, set } of managers.values()) {
    const sets = setsByVersion.get(apiVersion);
    if (sets === undefined) setsByVersion.set(apiVersion, [set]);
    else sets.push(set);
  }
  // The pruned version comes first: conversion to other versions may need the fields that it restores.
  let result = pruned;
  for (const [apiVersion, sets] of setsByVersion) {
    const whole = toVersion(merged, apiVersion, convert);
    const part = whole && toVersion(result, apiVersion, convert);
    if (whole === undefined || part === undefined) continue;
    const present = namedFieldsOf(part, part.type);
    if (mayPause(work)) yield;
    const wanted = union(present, ensureNamedFieldsAreMembers(unionOf(sets), part.type));
    if (mayPause(work)) yield;
    const unwanted = difference(namedFieldsOf(whole, whole.type), wanted);
    if (mayPause(work)) yield;
    result = removeFields(whole, unwanted);
  }
  return result;
}

/** Restores removed fields that the applier never owned: fields without an owner beside fields that it did own. */
function* addBackDangling(
  work: Work,
  merged: VersionedObject,
  pruned: VersionedObject,
  last: ManagerRecord,
  convert: TypedConvert | undefined,
): Steps<VersionedObject> {
  const part = toVersion(pruned, last.apiVersion, convert);
  if (part === undefined) return merged;
  // Compares existing fields, not fields that can be owned: a struct with only an empty list exists. Kubernetes
  // compares fields that can be owned, and removes this struct even from its owners.
  const removed = difference(namedFieldsOf(merged, merged.type), addedNode(part.object, part.type));
  if (mayPause(work)) yield;
  return removeFields(merged, intersection(removed, ensureNamedFieldsAreMembers(last.set, merged.type)));
}
