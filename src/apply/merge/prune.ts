import type { JsonObject } from '../../meta/json.js';
import { difference, intersection, isEmpty, isSubset, union, unionOf, type FieldSet } from '../fieldpath/fieldset.js';
import { addedNode, toFieldSet } from '../typed/owned.js';
import { removeItems } from '../typed/remove.js';
import { ensureNamedFieldsAreMembers } from '../typed/sets.js';
import type { Type } from '../typed/type.js';
import { asMap } from '../typed/value.js';
import type { ManagerRecord, Managers } from './managers.js';
import { toVersion, type TypedConvert, type VersionedObject } from './versions.js';

/**
 * Takes out of a merged object what its applier has given up: fields and items that it applied last time, does not apply
 * now, and that nobody else owns. What nobody ever owned stays, unless what it is inside of goes.
 *
 * @param merged the live object with the new intent merged in
 * @param managers everybody, the applier with its new set
 * @param applier the applier as it is now
 * @param last the applier as it was before; undefined the first time
 */
export function prune(
  merged: VersionedObject,
  managers: Managers,
  applier: ManagerRecord,
  last: ManagerRecord | undefined,
  convert: TypedConvert | undefined,
): VersionedObject {
  if (last === undefined || isEmpty(last.set)) return merged;
  // An intent that names all it named before gives nothing up; its set holds every container of what it names.
  if (last.apiVersion === applier.apiVersion && isSubset(last.set, applier.set)) return merged;
  const mergedThen = toVersion(merged, last.apiVersion, convert);
  if (mergedThen === undefined) return merged;
  const given = removeFields(mergedThen, ensureNamedFieldsAreMembers(last.set, mergedThen.type));
  const owned = addBackOwned(mergedThen, given, managers, convert);
  const pruned = addBackDangling(mergedThen, owned, last, convert);
  return toVersion(pruned, applier.apiVersion, convert) ?? merged;
}

function removeFields(value: VersionedObject, set: FieldSet): VersionedObject {
  return { ...value, object: asMap(removeItems(value.object, set, value.type)) ?? EMPTY_OBJECT };
}
const EMPTY_OBJECT: JsonObject = Object.freeze({});

const namedFieldsOf = (value: VersionedObject, type: Type): FieldSet =>
  ensureNamedFieldsAreMembers(toFieldSet(value.object, value.type), type);

/** Puts back what was removed and is owned by anybody, the applier's new intent included. */
function addBackOwned(
  merged: VersionedObject,
  pruned: VersionedObject,
  managers: Managers,
  convert: TypedConvert | undefined,
): VersionedObject {
  const setsByVersion = new Map<string, FieldSet[]>([[pruned.apiVersion, []]]);
  for (const { apiVersion, set } of managers.values()) {
    const sets = setsByVersion.get(apiVersion);
    if (sets === undefined) setsByVersion.set(apiVersion, [set]);
    else sets.push(set);
  }
  // The pruned version comes first: conversion to others may need fields that it puts back.
  let result = pruned;
  for (const [apiVersion, sets] of setsByVersion) {
    const whole = toVersion(merged, apiVersion, convert);
    const part = whole && toVersion(result, apiVersion, convert);
    if (whole === undefined || part === undefined) continue;
    const kept = union(namedFieldsOf(part, part.type), ensureNamedFieldsAreMembers(unionOf(sets), part.type));
    result = removeFields(whole, difference(namedFieldsOf(whole, whole.type), kept));
  }
  return result;
}

/** Puts back what was removed though the applier never owned it: what nobody owns, next to what it did own. */
function addBackDangling(
  merged: VersionedObject,
  pruned: VersionedObject,
  last: ManagerRecord,
  convert: TypedConvert | undefined,
): VersionedObject {
  const part = toVersion(pruned, last.apiVersion, convert);
  if (part === undefined) return merged;
  // By what is there, not by what can be owned: a struct with nothing in it but an empty list is there. Production goes by
  // what can be owned, and takes such a struct away even from those who own it.
  const gone = difference(namedFieldsOf(merged, merged.type), addedNode(part.object, part.type));
  return removeFields(merged, intersection(gone, ensureNamedFieldsAreMembers(last.set, merged.type)));
}
