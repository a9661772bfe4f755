/**
 * Shares the parts that a write does not change with the version before it. Most writes change little. Shared parts are
 * in the old generation of the heap, where the garbage collector does not copy them again, and take their memory once.
 *
 * @module
 */
import {
  equalJson,
  equalSteps,
  inSlices,
  isArray,
  isJsonObject,
  keysInSteps,
  ownMember,
  setOwnMember,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';

/**
 * Returns whether an object equals its former version.
 *
 * @param shares whether what has the same JSON text is replaced by the part of that version, which does not change the
 *   value of the object; nobody may change the object afterwards
 */
export function isUnchanged(
  object: ApiObject,
  former: StoredObject,
  shares: boolean,
  work?: Work,
): boolean | Promise<boolean> {
  if (work?.isLarge === true) return inSlices(work, isUnchangedInSteps(work, object, former, shares));
  if (shares) shareParts(object, former);
  return equalJson(object as JsonObject, former);
}

/** Units of work to compare two values. */
const VALUE_UNITS = 2;

/** Does the same as {@link isUnchanged}, in steps. */
function* isUnchangedInSteps(work: Work, object: ApiObject, former: JsonObject, shares: boolean): Steps<boolean> {
  for (const name of shares ? Object.keys(object) : []) {
    const before = ownMember(former, name);
    const value = object[name] as JsonValue | undefined;
    if (!isJsonObject(value) || !isJsonObject(before) || value === before) continue;
    if (!Object.isFrozen(value)) yield* shareMembersInSteps(work, value, before);
  }
  return yield* equalSteps(work, object as JsonObject, former);
}

function* shareMembersInSteps(
  work: Work,
  object: Record<string, JsonValue | undefined>,
  former: JsonObject,
): Steps<void> {
  for (const name of yield* keysInSteps(object, work)) {
    if (work.spend(VALUE_UNITS)) yield;
    const before = ownMember(former, name);
    const value = object[name];
    // Scalars of the same text are the same: only texts take memory of their own.
    if (value === before && typeof value !== 'string') continue;
    if (before !== undefined && (yield* haveSameTextInSteps(work, value, before))) setOwnMember(object, name, before);
  }
}

/** Does the same as {@link hasSameText}, in steps. */
function* haveSameTextInSteps(work: Work, a: JsonValue | undefined, b: JsonValue | undefined): Steps<boolean> {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) {
      if (work.spend(VALUE_UNITS)) yield;
      if (!(yield* haveSameTextInSteps(work, a[index], b[index]))) return false;
    }
    return true;
  }
  const names = yield* keysInSteps(b, work);
  const ownNames = yield* keysInSteps(a, work);
  if (names.length !== ownNames.length) return false;
  for (let index = 0; index < names.length; index += 1) {
    if (work.spend(VALUE_UNITS)) yield;
    const name = names[index] as string;
    if (ownNames[index] !== name || !(yield* haveSameTextInSteps(work, a[name], b[name]))) return false;
  }
  return true;
}

/** Replaces the members of the members of an object. */
function shareParts(object: Record<string, unknown>, former: JsonObject): void {
  for (const name in object) {
    const before = ownMember(former, name);
    const value = object[name] as JsonValue | undefined;
    if (!isJsonObject(value) || !isJsonObject(before) || value === before) continue;
    // Code of a kind may have put in a constant.
    if (!Object.isFrozen(value)) shareMembers(value, before);
  }
}

function shareMembers(object: Record<string, JsonValue | undefined>, former: JsonObject): void {
  for (const name in object) {
    const before = ownMember(former, name);
    if (before !== undefined && hasSameText(object[name], before)) setOwnMember(object, name, before);
  }
}

/** Returns whether two values have the same JSON text: also the order of their members. */
function hasSameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!hasSameText(a[index], b[index])) return false;
    return true;
  }
  const names = Object.keys(b);
  let index = 0;
  for (const name in a) {
    if (names[index] !== name || !hasSameText(a[name], b[name])) return false;
    index += 1;
  }
  return index === names.length;
}
