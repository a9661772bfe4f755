/**
 * Shares what a write does not change with the version before it. Most writes change little. What is shared is in the old
 * generation of the heap, where the garbage collector does not copy it again, and takes its memory once.
 *
 * @module
 */
import { ownMember, setOwnMember } from '../encoding/own-property.js';
import { equalJson, isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { ApiObject, StoredObject } from '../meta/object.js';

/**
 * Returns whether an object equals its former version.
 *
 * @param shares whether what has the same JSON text is replaced by the part of that version, which does not change the
 *   value of the object; nobody may change the object afterwards
 */
export function isUnchanged(object: ApiObject, former: StoredObject, shares: boolean): boolean {
  if (shares) shareParts(object, former);
  return equalJson(object as JsonObject, former);
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
