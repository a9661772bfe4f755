import { isSteps, resultOf, type JsonObject, type Steps } from '../../../foundation/index.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import type { Type } from '../typed/type.js';
import { asMap } from '../typed/value.js';
import type { ManagerRecord, Managers } from './managers.js';
import type { Pace } from './pace.js';
import { toVersion, type TypedConvert, type VersionedObject } from './versions.js';

/**
 * Removes from a merged object the fields and items that its applier has given up: those that it applied last time,
 * does not apply now, and that no other manager owns. Fields without an owner stay, unless their container is removed.
 *
 * @param merged the live object with the new intent merged in
 * @param managers all managers, the applier with its new set
 * @param applier the applier's new record
 * @param last the applier's previous record; undefined on its first apply
 */
export function* prune(
  pace: Pace,
  merged: VersionedObject,
  managers: Managers,
  applier: ManagerRecord,
  last: ManagerRecord | undefined,
  convert: TypedConvert | undefined,
): Steps<VersionedObject> {
  if (last === undefined || pace.isEmpty(last.set)) return merged;
  // An intent that names all previous fields gives nothing up: its set has every container of the fields that it names.
  if (last.apiVersion === applier.apiVersion) {
    const comparing = pace.isSubset(last.set, applier.set);
    if (isSteps(comparing) ? yield* comparing : comparing) return merged;
  }
  const converted = yield* resultOf(toVersion(merged, last.apiVersion, convert, pace));
  if (converted === undefined) return merged;
  const remaining = yield* removeFields(pace, converted, yield* named(pace, last.set, converted.type));
  const owned = yield* addBackOwned(pace, converted, remaining, managers, convert);
  const pruned = yield* addBackDangling(pace, converted, owned, last, convert);
  return (yield* resultOf(toVersion(pruned, applier.apiVersion, convert, pace))) ?? merged;
}

function* removeFields(pace: Pace, value: VersionedObject, set: FieldSet): Steps<VersionedObject> {
  const removing = pace.removeItems(value.object, set, value.type);
  return { ...value, object: asMap(isSteps(removing) ? yield* removing : removing) ?? EMPTY_OBJECT };
}
const EMPTY_OBJECT: JsonObject = Object.freeze({});

/** Returns a set with every declared field above a member. */
function* named(pace: Pace, set: FieldSet, type: Type): Steps<FieldSet> {
  const naming = pace.ensureNamedFieldsAreMembers(set, type);
  return isSteps(naming) ? yield* naming : naming;
}

function* namedFieldsOf(pace: Pace, { object, type }: VersionedObject): Steps<FieldSet> {
  const owning = pace.toFieldSet(object, type);
  return yield* named(pace, isSteps(owning) ? yield* owning : owning, type);
}

/** Restores removed fields that any manager owns, including the applier with its new intent. */
function* addBackOwned(
  pace: Pace,
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
    const whole = yield* resultOf(toVersion(merged, apiVersion, convert, pace));
    const part = whole && (yield* resultOf(toVersion(result, apiVersion, convert, pace)));
    if (whole === undefined || part === undefined) continue;
    const present = yield* namedFieldsOf(pace, part);
    const uniting = pace.unionOf(sets);
    const owned = yield* named(pace, isSteps(uniting) ? yield* uniting : uniting, part.type);
    const wanting = pace.union(present, owned);
    const wanted = isSteps(wanting) ? yield* wanting : wanting;
    const removing = pace.difference(yield* namedFieldsOf(pace, whole), wanted);
    result = yield* removeFields(pace, whole, isSteps(removing) ? yield* removing : removing);
  }
  return result;
}

/** Restores removed fields that the applier never owned: fields without an owner beside fields that it did own. */
function* addBackDangling(
  pace: Pace,
  merged: VersionedObject,
  pruned: VersionedObject,
  last: ManagerRecord,
  convert: TypedConvert | undefined,
): Steps<VersionedObject> {
  const part = yield* resultOf(toVersion(pruned, last.apiVersion, convert, pace));
  if (part === undefined) return merged;
  // Compares existing fields, not fields that can be owned: a struct with only an empty list exists. Kubernetes
  // compares fields that can be owned, and removes this struct even from its owners.
  const adding = pace.addedNode(part.object, part.type);
  const existing = isSteps(adding) ? yield* adding : adding;
  const subtracting = pace.difference(yield* namedFieldsOf(pace, merged), existing);
  const removed = isSteps(subtracting) ? yield* subtracting : subtracting;
  const intersecting = pace.intersection(removed, yield* named(pace, last.set, merged.type));
  return yield* removeFields(pace, merged, isSteps(intersecting) ? yield* intersecting : intersecting);
}
