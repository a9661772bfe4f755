/**
 * Converts a map into a typed object as Kubernetes converts the result of a strategic merge patch. The text of numbers
 * is unknown, so a whole number is an integer however it was written. The range of integers is not checked: they wrap
 * around. Errors do not name the field.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
  ownMember,
  setOwnMember,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { DecodeTypeError, ScalarError } from './decode-error.js';
import { fieldsOf } from './readers.js';
import { scalarOf, textDecoder, type Scalar } from './scalars.js';

/** Returns Go's name for the kind of a value in a map. */
function goKind(value: JsonValue): string {
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : isArray(value) ? 'slice' : 'map';
}

const fail = (path: string, message: string): never => {
  throw new DecodeTypeError(path, message);
};

/**
 * Converts a map to the types of its schema; `readObject` reads the result. Unknown fields stay.
 *
 * @throws DecodeTypeError for the first field, in the order of the schema, that cannot be converted
 */
export function convertMap(value: JsonValue, schema: StructuralSchema, path = ''): MutableJsonValue {
  if (value === null || schema.type === 'any') return value as MutableJsonValue;
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return convertScalar(value, schema, scalar, path);
  if (schema.type === 'array') return convertList(value, schema, path);
  const fields = fieldsOf(schema);
  if (fields === undefined && schema.additionalProperties === undefined) return value as MutableJsonValue;
  if (!isJsonObject(value))
    return fail(
      path,
      fields === undefined
        ? `cannot restore map from ${goKind(value)}`
        : `cannot restore struct from: ${goKind(value)}`,
    );
  const converted: MutableJsonObject = {};
  for (const [name, field] of fields ?? []) {
    const member = ownMember(value, name);
    if (member !== undefined)
      setOwnMember(converted, name, convertMap(member, field, path === '' ? name : `${path}.${name}`));
  }
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || fields?.has(key) === true) continue;
    const { additionalProperties } = schema;
    setOwnMember(
      converted,
      key,
      additionalProperties === undefined
        ? (member as MutableJsonValue)
        : convertMap(member, additionalProperties, path === '' ? key : `${path}.${key}`),
    );
  }
  return converted;
}

function convertList(value: JsonValue, { items }: StructuralSchema, path: string): MutableJsonValue {
  if (!isArray(value)) return fail(path, `cannot restore slice from ${goKind(value)}`);
  return items === undefined
    ? (value as MutableJsonValue)
    : value.map((item, index) => convertMap(item, items, `${path}[${index}]`));
}

function convertScalar(
  value: JsonValue,
  schema: StructuralSchema,
  { decode, goType }: Scalar,
  path: string,
): MutableJsonValue {
  const kind = goKind(value);
  if (goType === 'int32' || goType === 'int64') {
    if (kind === 'float64') return fail(path, `cannot convert float64 to ${goType}`);
    if (typeof value === 'bigint') return goType === 'int32' ? Number(BigInt.asIntN(32, value)) : value;
    if (typeof value !== 'number') return fail(path, `unrecognized type: ${goType}`);
    return goType === 'int32' ? value | 0 : value;
  }
  if (goType === '[]uint8' && kind !== 'string') return fail(path, `cannot restore slice from ${kind}`);
  try {
    return decode(value);
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error;
    if (goType === '[]uint8') return fail(path, `error decoding from json: ${error.message}`);
    if (error.complete !== undefined) return fail(path, error.complete);
    if (error.goType !== undefined)
      return fail(path, `json: cannot unmarshal ${error.found} into Go value of type ${error.goType}`);
    // Go can convert integers to strings, so Kubernetes has a separate message for this failure.
    return fail(
      path,
      decode === textDecoder && kind === 'int64'
        ? `cannot convert int64 to ${goType}`
        : `unrecognized type: ${decode === textDecoder ? 'string' : goType}`,
    );
  }
}
