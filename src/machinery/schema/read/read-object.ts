import {
  atOnce,
  isArray,
  isJsonObject,
  isLargeWork,
  runSteps,
  setOwnMember,
  UNBOUNDED_WORK,
  withoutRoom,
  writtenNumber,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { DecodeTypeError, ScalarError, jsonTypeName } from './decode-error.js';
import { inspect, inspectSteps } from './inspect.js';
import { ReadState } from './read-state.js';
import { fieldsOf, readerOf, type Origin } from './readers.js';

/** Options of {@link readObject}. */
export interface ReadOptions {
  /** The rules to apply; `user` for custom resources, which keep values as sent. Default `user`. */
  readonly origin?: 'builtin' | 'user' | undefined;
  /**
   * For `user`: keeps a null in a field that is not nullable and has no default, so that validation refuses it.
   * Kubernetes treats the result of a server-side apply this way, and drops these nulls from other requests. Default
   * false.
   */
  readonly keepNulls?: boolean | undefined;
  /**
   * For `builtin`: the input has numbers as they were written (`writtenNumber` in `meta`). Default false.
   *
   * @internal
   */
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
 * @throws ApiError 413 for more than 3 MiB of defaults
 */
export function readObject(input: JsonValue, schema: StructuralSchema, options: ReadOptions = {}): ReadResult {
  const { origin = 'user', asWritten = false } = options;
  requireObject(input, schema);
  if (asWritten) return atOnce(readSteps(input, schema, options, UNBOUNDED_WORK));
  const state = new ReadState(options.keepNulls === true);
  return resultOf(input, schema, origin, state);
}

/** Does the same as {@link readObject}, in steps. @throws ApiError 429 when the defaults do not fit into the memory */
export function* readSteps(
  input: JsonValue,
  schema: StructuralSchema,
  options: ReadOptions,
  work: Work,
): Steps<ReadResult> {
  const { origin = 'user' } = options;
  requireObject(input, schema);
  let value: JsonValue = input;
  if (options.asWritten === true) {
    yield* inspectSteps(input, schema, origin, work);
    value = yield* withoutWritten(input, schema, work);
  }
  const state = new ReadState(options.keepNulls === true, work);
  let object: MutableJsonObject;
  try {
    object = (yield* readerOf(schema, origin).steps(value, state)) as MutableJsonObject;
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error;
    yield* inspectSteps(value, schema, origin, work);
    throw wrongDefault(schema, error);
  }
  return { object, unknownFields: state.unknown ? yield* inspectSteps(value, schema, origin, work, true) : NONE };
}

/**
 * Does the same as {@link readObject}: in the slices of a request when the value or its defaults are large, at once
 * when they are small, as most are.
 *
 * @throws what readObject does; a promise rejects with it. ApiError 429 when the defaults do not fit into the memory
 */
export function readInSlices(
  input: JsonValue,
  schema: StructuralSchema,
  options: ReadOptions,
  work: Work,
): ReadResult | Promise<ReadResult> {
  if (options.asWritten !== true && !isLargeWork(work, input, true)) {
    requireObject(input, schema);
    const state = new ReadState(
      options.keepNulls === true,
      UNBOUNDED_WORK,
      FEW_DEFAULT_BYTES,
      () => new ManyDefaults(),
    );
    try {
      return resultOf(input, schema, options.origin ?? 'user', state);
    } catch (error) {
      if (!(error instanceof ManyDefaults)) throw error;
    }
  }
  return runSteps(work, readSteps(input, schema, options, work), 'decode');
}

/** Bytes of defaults that are filled in without slices: about a millisecond of work. */
const FEW_DEFAULT_BYTES = 64 * 1024;

/** Ends a read without slices when it turns out to need them. */
class ManyDefaults extends Error {}

/** @throws DecodeTypeError for another value than an object */
function requireObject(input: JsonValue, { name }: StructuralSchema): asserts input is JsonObject {
  if (isJsonObject(input)) return;
  const wanted = name === undefined ? 'interface {}' : `v1.${name}`;
  throw new DecodeTypeError('', `json: cannot unmarshal ${jsonTypeName(input)} into Go value of type ${wanted}`);
}

/** Reads an object without slices. */
function resultOf(input: JsonObject, schema: StructuralSchema, origin: Origin, state: ReadState): ReadResult {
  let object: MutableJsonObject;
  try {
    object = readerOf(schema, origin).read(input, state) as MutableJsonObject;
  } catch (error) {
    // The readers do not track paths; the second walk finds the value again and throws.
    if (!(error instanceof ScalarError)) throw error;
    inspect(input, schema, origin);
    throw wrongDefault(schema, error);
  }
  return { object, unknownFields: state.unknown ? inspect(input, schema, origin, true) : NONE };
}

const wrongDefault = ({ name }: StructuralSchema, { message }: ScalarError): TypeError =>
  new TypeError(`a default in the schema of ${name ?? 'an object'} does not fit its field: ${message}`);

/** Units of work to look at a value. */
const VALUE_UNITS = 4;

/** Returns the input with plain values instead of numbers as written: the text for a quantity, the value otherwise. */
function* withoutWritten(value: JsonValue, schema: StructuralSchema | undefined, work: Work): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return plainNumber(value, schema);
  if (isArray(value)) {
    const copy: JsonValue[] = [];
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      const isScalar = typeof item !== 'object';
      copy.push(isScalar ? plainNumber(item, schema?.items) : yield* withoutWritten(item, schema?.items, work));
    }
    return withoutRoom(copy);
  }
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (work.spend(VALUE_UNITS)) yield;
    const field = fields?.get(key) ?? schema?.additionalProperties;
    setOwnMember(
      copy,
      key,
      typeof member === 'object' ? yield* withoutWritten(member, field, work) : plainNumber(member, field),
    );
  }
  return copy;
}

function plainNumber(value: JsonValue, schema: StructuralSchema | undefined): JsonValue {
  const written = writtenNumber(value);
  if (written === undefined) return value;
  return schema?.format === 'quantity' ? written : Number(written);
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
