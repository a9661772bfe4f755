import {
  isArray,
  keysInSteps,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { zeroValue } from '../define/zero-value.js';
import type { Origin } from './readers.js';

/** Units of work to look at a value or at a declared field. */
const VALUE_UNITS = 3;
/** Bytes of a member of an object that is copied. */
const MEMBER_BYTES = 32;
/** Depth to which required fields are filled in: a type whose required fields lead back to it has no values. */
const MAX_DEPTH = 32;

/**
 * Returns a part of an object with the fields that code for whole objects relies on. In a `builtin` kind these are the
 * fields that are always written, with their zero values: the fields that the part has as a Go struct. In a `user` kind,
 * they are those with a default, and required ones, which are empty. An object that lacks none of them is returned
 * itself.
 */
export function* filledSteps(
  object: JsonObject,
  schema: StructuralSchema,
  origin: Origin,
  work: Work,
): Steps<JsonObject> {
  return yield* filledObject(object, schema, origin === 'builtin' ? zeroField : userField, work);
}

/** Returns the value of an absent field; undefined for a field that may be absent. */
type AbsentField = (field: StructuralSchema, isRequired: boolean) => JsonValue | undefined;

const zeroField: AbsentField = (field) => (field.presence === 'always' ? zeroValue(field) : undefined);
const userField: AbsentField = (field, isRequired) => {
  if (field.default !== undefined) return field.default;
  return isRequired || field.presence === 'always' ? emptyValue(field, 0) : undefined;
};

function emptyValue(schema: StructuralSchema, depth: number): JsonValue {
  const { type, nullable, properties, required } = schema;
  if (nullable === true || depth > MAX_DEPTH) return null;
  if (type === 'string') return '';
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type === 'any') return null;
  if (type !== 'object') return 0;
  const empty: MutableJsonObject = {};
  for (const [name, field] of properties ?? []) {
    const value = field.default ?? (required?.includes(name) === true ? emptyValue(field, depth + 1) : undefined);
    if (value !== undefined) setOwnMember(empty, name, value);
  }
  return empty;
}

function* filledValue(value: JsonValue, schema: StructuralSchema, absent: AbsentField, work: Work): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return value;
  if (!isArray(value)) return yield* filledObject(value, schema, absent, work);
  return schema.items === undefined ? value : yield* filledList(value, schema.items, absent, work);
}

function* filledList(
  list: readonly JsonValue[],
  items: StructuralSchema,
  absent: AbsentField,
  work: Work,
): Steps<readonly JsonValue[]> {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    if (work.spend(VALUE_UNITS)) yield;
    const item = list[index] as JsonValue;
    const filled = yield* filledValue(item, items, absent, work);
    if (filled === item) continue;
    if (copy === undefined) work.reserve(list.length * MEMBER_BYTES);
    (copy ??= [...list])[index] = filled;
  }
  return copy ?? list;
}

function* filledObject(
  object: JsonObject,
  { properties, required, additionalProperties }: StructuralSchema,
  absent: AbsentField,
  work: Work,
): Steps<JsonObject> {
  let copy: MutableJsonObject | undefined;
  const write = (name: string, value: JsonValue): void => {
    if (copy === undefined) work.reserve(Object.keys(object).length * MEMBER_BYTES);
    setOwnMember((copy ??= { ...object } as MutableJsonObject), name, value);
  };
  for (const name of yield* keysInSteps(object, work)) {
    const member = object[name];
    const field = properties?.get(name) ?? additionalProperties;
    if (typeof member !== 'object' || field === undefined) continue;
    if (work.spend(VALUE_UNITS)) yield;
    const filled = yield* filledValue(member, field, absent, work);
    if (filled !== member) write(name, filled);
  }
  for (const [name, field] of properties ?? []) {
    if (work.spend(VALUE_UNITS)) yield;
    if (Object.hasOwn(object, name) && object[name] !== undefined) continue;
    const value = absent(field, required?.includes(name) === true);
    if (value !== undefined) write(name, value);
  }
  return copy ?? object;
}
