import { ownMember, sameValue, type FieldChange, type JsonValue } from '../../../foundation/index.js';
import { isJson, isMap } from './guards.js';

/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** Returns the changes that meet others: where one changes the same field to another value, or a part of it. */
export const conflictsWith = (mine: readonly FieldChange[], theirs: readonly FieldChange[]): FieldChange[] =>
  mine.filter(({ path, after }) =>
    theirs.some(
      (other) => meet(path, other.path) && !(path.length === other.path.length && sameValue(after, other.after)),
    ),
  );

/** Returns whether two paths lead to one field, or one of them to a part of the other's. */
const meet = (a: readonly string[], b: readonly string[]): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.every((part, index) => part === long[index]);
};

/** Returns the value of a field; undefined where there is none. */
export const valueAt = (object: unknown, path: readonly string[]): unknown =>
  path.reduce((value, name) => (isMap(value) ? ownMember(value, name) : undefined), object);

/** A field and its value; undefined for none. */
export interface FieldValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Returns an object with other values of some fields. */
export const withFields = <Thing extends object>(object: Thing, fields: readonly FieldValue[]): Thing =>
  fields.reduce((changed, { path, value }) => withField(changed, path, value), object);

function withField<Thing extends object>(object: Thing, [name, ...rest]: readonly string[], value: unknown): Thing {
  if (name === undefined) return object;
  if (rest.length === 0) return { ...object, [name]: value };
  const inner = isMap(object) ? ownMember(object, name) : undefined;
  return { ...object, [name]: withField(isMap(inner) ? inner : {}, rest, value) };
}

/**
 * Returns the patch that makes changes: each field is first compared with the value that was seen, so that the patch fails
 * where another writer has changed it since, and nowhere else.
 *
 * @throws TypeError for a value that JSON does not have
 */
export function patchOf(changes: readonly FieldChange[], seen: unknown): PatchOperation[] {
  return changes.flatMap(({ path, after }): PatchOperation[] => {
    const pointer = path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    const value = jsonAt(valueAt(seen, path));
    const next = jsonAt(after);
    if (value === undefined) return next === undefined ? [] : [{ op: 'add', path: pointer, value: next }];
    const test: PatchOperation = { op: 'test', path: pointer, value };
    return next === undefined
      ? [test, { op: 'remove', path: pointer }]
      : [test, { op: 'replace', path: pointer, value: next }];
  });
}

/** Returns a value to send; undefined for none. @throws TypeError for a value that JSON does not have */
function jsonAt(value: unknown): JsonValue | undefined {
  if (value === undefined || isJson(value)) return value;
  throw new TypeError('a value of the object has no form in JSON');
}
