import {
  duplicate,
  invalid,
  isJsonObject,
  ownMember,
  unstructured,
  type FieldError,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import { constraintsOf } from '../define/constraints.js';
import type { StructuralSchema } from '../define/structural.js';
import type { ValidationRun } from './validation-run.js';

/** Where a walk of values is: a value with its schema and its path. */
export interface Place {
  readonly value: JsonValue;
  readonly schema: StructuralSchema;
  readonly path: string;
}

/** Checks one value and everything in it. */
export type Visit = (place: Place, errors: FieldError[], run: ValidationRun) => Steps<void>;

/** Calls `visit` for every member with a schema. The paths of these errors have map keys in brackets. */
export function* eachMember(
  { value, schema, path }: Place,
  errors: FieldError[],
  run: ValidationRun,
  visit: Visit,
): Steps<void> {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) {
      if (run.pace.visit()) yield;
      yield* visit({ value: item as JsonValue, schema: items, path: `${path}[${index}]` }, errors, run);
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (run.pace.visit()) yield;
      const member = value[key];
      if (member === undefined) continue;
      const property = schema.properties?.get(key);
      const inner = property ?? schema.additionalProperties;
      if (inner === undefined) continue;
      const at = property === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      yield* visit({ value: member, schema: inner, path: at }, errors, run);
    }
  }
}

function keysOf(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.filter((key) => ownMember(item, key) !== undefined).map((key) => [key, ownMember(item, key)]),
  );
}

function* checkMapList(
  items: readonly JsonValue[],
  { schema, path }: Place,
  errors: FieldError[],
  { numbers }: ValidationRun,
): Steps<void> {
  const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    errors.push(
      invalid(
        `${path}[${wrong}]`,
        unstructured(items[wrong] ?? null),
        'must be an object for an array of list-type map',
      ),
    );
    return;
  }
  const keys = items.map((item) => (isJsonObject(item) ? keysOf(item, schema.listMapKeys ?? []) : {}));
  for (const index of yield* numbers.secondOccurrences(keys))
    errors.push(duplicate(`${path}[${index}]`, unstructured(keys[index] ?? {})));
}

/** Reports duplicate items of list-type set, and duplicate keys of list-type map. */
export const checkLists: Visit = function* (place, errors, run) {
  const { value, schema, path } = place;
  if (!constraintsOf(schema).lists) return;
  if (Array.isArray(value)) {
    if (schema.listType === 'map') yield* checkMapList(value, place, errors, run);
    else if (schema.listType === 'set')
      for (const index of yield* run.numbers.secondOccurrences(value))
        errors.push(duplicate(`${path}[${index}]`, unstructured((value as readonly JsonValue[])[index] ?? null)));
  }
  yield* eachMember(place, errors, run, checkLists);
};
