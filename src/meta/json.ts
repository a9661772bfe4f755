import { ownMember, setOwnMember } from '../encoding/own-property.js';

/** A JSON value. Integers are exact: the decoders refuse those that a double cannot hold. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** A JSON object that is not to be changed: what the store and the registry hand around. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A JSON value that its holder owns and may change. */
export type MutableJsonValue = null | boolean | number | string | MutableJsonValue[] | MutableJsonObject;

/** A JSON object that its holder owns and may change. */
export interface MutableJsonObject {
  [key: string]: MutableJsonValue | undefined;
}

/** True for a JSON object, false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined when it is none. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A deep copy that its caller may change. `undefined` members are left out. */
export function cloneJson(value: JsonObject): MutableJsonObject;
export function cloneJson(value: JsonValue): MutableJsonValue;
export function cloneJson(value: JsonValue): MutableJsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) {
    const copy = new Array<MutableJsonValue>(value.length);
    for (let index = 0; index < value.length; index += 1) copy[index] = cloneJson(value[index] as JsonValue);
    return copy;
  }
  const copy: MutableJsonObject = {};
  for (const key in value) {
    const member = value[key];
    if (member === undefined) continue;
    const own = typeof member === 'object' && member !== null ? cloneJson(member) : member;
    setOwnMember(copy, key, own);
  }
  return copy;
}

/** Structural equality; the order of keys does not matter, and an absent member equals an undefined one. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!equalJson(a[index], b[index])) return false;
    return true;
  }
  for (const key in a) if (!equalJson(a[key], ownMember(b, key))) return false;
  for (const key in b) if (b[key] !== undefined && ownMember(a, key) === undefined) return false;
  return true;
}

/** `Array.isArray` that narrows a read-only JSON value. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
