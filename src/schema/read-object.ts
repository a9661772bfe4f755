import { setOwnMember } from '../encoding/own-property.js';
import { isArray, isJsonObject, type JsonValue, type MutableJsonObject, type MutableJsonValue } from '../meta/json.js';
import { writtenNumber } from '../meta/written-number.js';
import { DecodeTypeError, ScalarError, jsonTypeName } from './decode-error.js';
import { inspect } from './inspect.js';
import { fieldsOf, readerOf, type Origin, type ReadState } from './readers.js';
import type { StructuralSchema } from './structural.js';

/** How an object is read. */
export interface ReadOptions {
  /** Whose rules hold: `user` for custom resources, which keep what they were sent. Default `user`. */
  readonly origin?: Origin;
  /**
   * `user`: keep a null for a field that is neither nullable nor has a default, so that validation refuses it. That is
   * how the production system treats the outcome of server-side apply; what a client sends it is rid of such nulls.
   * Default false.
   */
  readonly keepNulls?: boolean;
  /** `builtin`: the input holds numbers as they were written (`writtenNumber` in `meta`). Default false. */
  readonly asWritten?: boolean;
}

/** An object as it was read. */
export interface ReadResult {
  /** A copy that shares nothing with the input, its fields in the order of the schema. */
  readonly object: MutableJsonObject;
  /** Paths of the fields that were dropped because the schema does not know them, in the order of the input. */
  readonly unknownFields: readonly string[];
}

const NONE: readonly string[] = Object.freeze([]);

/**
 * Reads an object by its schema, in one walk: copies it, drops unknown fields and nulls, fills in defaults, leaves out or
 * writes empty values as the schema says, and brings times, amounts and bytes into their one form.
 *
 * A `builtin` kind refuses a value of a wrong type here, as the production system's decoder does. A `user` kind keeps it,
 * and `validateObject` with the same origin reports all of them. Metadata follows the built-in rules in both.
 *
 * The input is not changed. Fields named like members of every object (`__proto__`, `constructor`) are plain data.
 *
 * @throws DecodeTypeError for the first value, in the order of the input, that cannot be what its field is
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
    // The readers do not know where they are; the second walk finds the place again and throws.
    if (!(error instanceof ScalarError)) throw error;
    inspect(input, schema, origin);
    throw new TypeError(
      `a default in the schema of ${schema.name ?? 'an object'} does not fit its field: ${error.message}`,
    );
  }
  return { object, unknownFields: state.unknown ? inspect(input, schema, origin) : NONE };
}

/** The input with plain values in place of the numbers that were kept as written: a quantity has their text, everything else their value. */
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
 * {@link readObject} into the type that the schema is one of, for configurations, whose types are written by hand.
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
