import { ownMember } from '../collections/own-property.js';
import { equalJson, isJsonObject, type JsonValue } from '../json/json.js';

/** A field that differs between two states of an object. A list is one field. */
export interface FieldChange {
  readonly path: readonly string[];
  /** Undefined where there was none. */
  readonly before: unknown;
  /** Undefined where there is none any more. */
  readonly after: unknown;
}

/** Returns the fields that differ between two states of an object, the deepest maps field by field. */
export function changesBetween(before: unknown, after: unknown, path: readonly string[] = []): FieldChange[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesBetween(ownMember(before, name), ownMember(after, name), [...path, name]),
    );
  }
  return sameValue(before, after) ? [] : [{ path, before, after }];
}

/** Returns whether two values are the same in JSON, whatever the order of their members. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return (isList(a) && isList(b)) || (isJsonObject(a) && isJsonObject(b)) ? equalJson(a, b) : false;
}

const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);
