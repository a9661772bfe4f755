import { duplicate, invalid, type FieldError } from '../meta/field-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import { constraintsOf } from './constraints.js';
import type { StructuralSchema } from './structural.js';
import { canonicalText } from './validate-values.js';

/** Checks one value. */
export type Visit = (value: JsonValue, schema: StructuralSchema, path: string, errors: FieldError[]) => void;

/** Calls `visit` for every member with a schema. The paths of these errors have map keys in brackets. */
export function eachMember(
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  errors: FieldError[],
  visit: Visit,
): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((item: JsonValue, index) => visit(item, items, `${path}[${index}]`, errors));
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      const property = schema.properties?.get(key);
      if (property !== undefined) visit(member, property, path === '' ? key : `${path}.${key}`, errors);
      else if (schema.additionalProperties !== undefined)
        visit(member, schema.additionalProperties, `${path}[${key}]`, errors);
    }
  }
}

/** Returns the indices at which a value occurs for the second time. */
function secondOccurrences(values: readonly JsonValue[]): number[] {
  const times = new Map<string, number>();
  const indices: number[] = [];
  values.forEach((value, index) => {
    const text = canonicalText(value);
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    if (seen === 1) indices.push(index);
  });
  return indices;
}

function keysOf(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]));
}

function checkMapList(items: readonly JsonValue[], schema: StructuralSchema, path: string, errors: FieldError[]): void {
  const wrong = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (wrong >= 0) {
    errors.push(invalid(`${path}[${wrong}]`, items[wrong], 'must be an object for an array of list-type map'));
    return;
  }
  const keys = items.map((item) => (isJsonObject(item) ? keysOf(item, schema.listMapKeys ?? []) : {}));
  for (const index of secondOccurrences(keys)) errors.push(duplicate(`${path}[${index}]`, keys[index]));
}

/** Reports duplicate items of list-type set, and duplicate keys of list-type map. */
export const checkLists: Visit = (value, schema, path, errors) => {
  if (!constraintsOf(schema).lists) return;
  if (Array.isArray(value)) {
    if (schema.listType === 'map') checkMapList(value, schema, path, errors);
    else if (schema.listType === 'set') {
      for (const index of secondOccurrences(value)) errors.push(duplicate(`${path}[${index}]`, value[index]));
    }
  }
  eachMember(value, schema, path, errors, checkLists);
};
