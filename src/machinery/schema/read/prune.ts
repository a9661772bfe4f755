import {
  integerValue,
  isArray,
  isJsonObject,
  keysInSteps,
  setOwnMember,
  withoutRoom,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { fieldsOf, preservesUnknown } from './readers.js';

type JsonScalar = Exclude<JsonValue, JsonObject | readonly JsonValue[]>;

/** Units of work to copy a value. */
const VALUE_UNITS = 2;

/**
 * Returns a copy of a client's object without unknown fields: the intent of a server-side apply, in which absent fields
 * matter. No defaults are filled in, and nulls and empty values stay.
 */
export function* pruneIntentSteps(work: Work, value: JsonObject, schema: StructuralSchema): Steps<MutableJsonObject> {
  return yield* pruneObject(work, value, schema, preservesUnknown(schema, false));
}

function* pruneValue(
  work: Work,
  value: JsonValue,
  schema: StructuralSchema | undefined,
  inPreservingList: boolean,
): Steps<MutableJsonValue> {
  const preserves = schema === undefined || preservesUnknown(schema, inPreservingList);
  if (isJsonObject(value)) return yield* pruneObject(work, value, schema, preserves);
  if (!isArray(value)) return pruneScalar(value);
  const copy: MutableJsonValue[] = [];
  for (const item of value) {
    if (work.spend(VALUE_UNITS)) yield;
    copy.push(typeof item === 'object' ? yield* pruneValue(work, item, schema?.items, preserves) : pruneScalar(item));
  }
  return withoutRoom(copy);
}

const pruneScalar = (value: JsonScalar): MutableJsonValue => (typeof value === 'bigint' ? integerValue(value) : value);

function* pruneObject(
  work: Work,
  value: JsonObject,
  schema: StructuralSchema | undefined,
  preserves: boolean,
): Steps<MutableJsonObject> {
  const copy: MutableJsonObject = {};
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const keepsUnknown = preserves || (fields === undefined && schema?.additionalProperties === undefined);
  for (const key of yield* keysInSteps(value, work)) {
    if (work.spend(VALUE_UNITS)) yield;
    const member = value[key];
    const known = fields?.get(key) ?? schema?.additionalProperties;
    if (member === undefined || (known === undefined && !keepsUnknown)) continue;
    const pruned = typeof member === 'object' ? yield* pruneValue(work, member, known, false) : pruneScalar(member);
    setOwnMember(copy, key, pruned);
  }
  return copy;
}
