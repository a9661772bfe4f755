import { ownMember, setOwnMember } from '../collections/own-property.js';
import { integerValue, jsonValue } from './json-text.js';

/**
 * A JSON value. Integers of 64 bits are exact: beyond ±(2^53 - 1) they are bigints, and only there. `jsonText` encodes
 * values; `JSON.stringify` throws for a bigint.
 */
export type JsonValue =
  null | boolean | number | bigint | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** A JSON object that must not be changed, as the store and the registry pass it. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A JSON value that its owner may change. */
export type MutableJsonValue = null | boolean | number | bigint | string | MutableJsonValue[] | MutableJsonObject;

/** A JSON object that its owner may change. */
export interface MutableJsonObject {
  [key: string]: MutableJsonValue | undefined;
}

/** Returns true for a JSON object, false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a JSON text; undefined when it is invalid. */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return jsonValue(text);
  } catch {
    return undefined;
  }
}

/** Returns a deep copy that the caller may change, without `undefined` members. A bigint that need not be one is a number. */
export function cloneJson(value: JsonObject): MutableJsonObject;
export function cloneJson(value: JsonValue): MutableJsonValue;
export function cloneJson(value: JsonValue): MutableJsonValue {
  if (typeof value === 'bigint') return integerValue(value);
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
    const own =
      (typeof member === 'object' && member !== null) || typeof member === 'bigint' ? cloneJson(member) : member;
    setOwnMember(copy, key, own);
  }
  return copy;
}

/**
 * Compares two values structurally. The order of keys does not matter, and an absent member equals an undefined one.
 */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!equalJson(a[index], b[index])) return false;
    return true;
  }
  let more = 0;
  for (const key in a) {
    const member = a[key];
    if (member === undefined) continue;
    more += 1;
    // An inherited member is never a scalar.
    if (typeof member !== 'object' || member === null ? member !== b[key] : !equalJson(member, ownMember(b, key)))
      return false;
  }
  for (const key in b) if (b[key] !== undefined) more -= 1;
  return more === 0;
}

/** `Array.isArray` that narrows a read-only JSON value. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
