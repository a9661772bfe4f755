import { setOwnMember } from '../encoding/own-property.js';
import { isArray, isJsonObject, type JsonValue, type MutableJsonObject, type MutableJsonValue } from '../meta/json.js';
import { writtenNumber } from '../meta/written-number.js';
import { DecodeTypeError, ScalarError, jsonTypeName } from './decode-error.js';
import { inspect } from './inspect.js';
import { fieldsOf, readerOf, type Origin, type ReadState } from './readers.js';
import type { StructuralSchema } from './structural.js';

/** Options of {@link readObject}. */
export interface ReadOptions {
  /** The rules to apply; `user` for custom resources, which keep values as sent. Default `user`. */
  readonly origin?: Origin | undefined;
  /**
   * For `user`: keeps a null in a field that is not nullable and has no default, so that validation refuses it.
   * Kubernetes treats the result of a server-side apply this way, and drops these nulls from other requests. Default
   * false.
   */
  readonly keepNulls?: boolean | undefined;
  /** For `builtin`: the input has numbers as they were written (`writtenNumber` in `meta`). Default false. */
  readonly asWritten?: boolean | undefined;
}

/** The result of {@link readObject}. */
export interface ReadResult {
  /** A copy that shares nothing with the input, with its fields in the order of the schema. */
  readonly object: MutableJsonObject;
  /** Paths of the unknown fields that were dropped, in the order of the input. */
  readonly unknownFields: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * Reads an object by its schema in one walk: copies it, drops unknown fields and nulls, fills in defaults, omits or
 * writes empty values as the schema requires, and canonicalises times, quantities and bytes.
 *
 * A `builtin` kind refuses a value of a wrong type here, as the Kubernetes decoder does. A `user` kind keeps the value,
 * and `validateObject` with the same origin reports it. Metadata follows the built-in rules in both.
 *
 * The input is not changed. Fields named like members of every object (`__proto__`, `constructor`) are plain data.
 *
 * @throws DecodeTypeError for the first value, in the order of the input, that its field does not allow
 */
export function readObject(input: JsonValue, schema: StructuralSchema, options: ReadOptions = {}): ReadResult {
  const { origin = 'user' } = options;
  if (!isJsonObject(input)) {
    const wanted = schema.name === undefined ? 'interface {}' : `v1.${schema.name}`;
    throw new DecodeTypeError('', `json: cannot unmarshal ${jsonTypeName(input)} into Go value of type ${wanted}`);
  }
  if (options.asWritten === true) {
    inspect(input, schema, origin);
    input = withoutWritten(input, schema);
  }
  const state: ReadState = { unknown: false, keepNulls: options.keepNulls === true };
  let object: MutableJsonObject;
  try {
    object = readerOf(schema, origin).read(input, state) as MutableJsonObject;
  } catch (error) {
    // The readers do not track paths; the second walk finds the value again and throws.
    if (!(error instanceof ScalarError)) throw error;
    inspect(input, schema, origin);
    throw new TypeError(
      `a default in the schema of ${schema.name ?? 'an object'} does not fit its field: ${error.message}`,
    );
  }
  return { object, unknownFields: state.unknown ? inspect(input, schema, origin, true) : NONE };
}

/** Returns the input with plain values instead of numbers as written: the text for a quantity, the value otherwise. */
function withoutWritten(value: JsonValue, schema: StructuralSchema | undefined): JsonValue {
  const written = writtenNumber(value);
  if (written !== undefined) return schema?.format === 'quantity' ? written : Number(written);
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item) => withoutWritten(item, schema?.items));
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const copy: MutableJsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined)
      setOwnMember(
        copy,
        key,
        withoutWritten(member, fields?.get(key) ?? schema?.additionalProperties) as MutableJsonValue,
      );
  }
  return copy;
}

/**
 * Calls {@link readObject} and returns the TypeScript type of the schema, for configurations with types written by
 * hand.
 *
 * @throws DecodeTypeError as readObject does
 */
export function readAs<Type>(
  input: JsonValue,
  schema: StructuralSchema,
  options: ReadOptions = {},
): { readonly object: Type; readonly unknownFields: readonly string[] } {
  const { object, unknownFields } = readObject(input, schema, options);
  return { object: object as Type, unknownFields };
}
