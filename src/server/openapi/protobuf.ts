/**
 * The protobuf form of the version 2 document: the messages of `openapi.v2` in OpenAPIv2.proto of the gnostic project.
 * Command-line tools before 1.27 accept no other format; without it they skip validation or fail.
 *
 * Every message is a table of its fields: JSON name, field number, and the function that writes the value. Fields that
 * the document does not use have no entry and are omitted.
 *
 * @module
 */
import {
  definedOnly,
  inSlices,
  jsonText,
  ownMember,
  ProtobufWriter,
  SharedWork,
  stringOrEmpty,
  WireType,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../foundation/index.js';

/**
 * Writes a value as a field: at once, or in the steps that it returns. The writer works backwards, so the value is
 * written before its tag.
 */
type FieldWriter = (writer: ProtobufWriter, number: number, value: JsonValue) => Steps<void> | undefined;

/** Entries of a map that are written in one step. */
const ENTRIES_AT_ONCE = 16;

/** Fields of a message by JSON name, sorted by field number. */
type Fields = Readonly<Record<string, readonly [number: number, write: FieldWriter]>>;

const text: FieldWriter = (writer, number, value) => {
  writer.string(stringOrEmpty(value));
  writer.tag(number, WireType.bytes);
  return undefined;
};

const integer: FieldWriter = (writer, number, value) => {
  writer.varint(Number(value));
  writer.tag(number, WireType.varint);
  return undefined;
};

const double: FieldWriter = (writer, number, value) => {
  writer.double(Number(value));
  writer.tag(number, WireType.fixed64);
  return undefined;
};

/** Writes an arbitrary value as YAML, of which JSON is a subset. */
const anything: FieldWriter = (writer, number, value) =>
  delimited(writer, number, () => text(writer, 2, jsonText(value)));

function* delimited(
  writer: ProtobufWriter,
  number: number,
  content: () => Steps<void> | undefined,
): Generator<void, undefined, void> {
  const before = writer.length;
  const steps = content();
  if (steps !== undefined) yield* steps;
  writer.lengthSince(before);
  writer.tag(number, WireType.bytes);
}

/** A repeated field: one entry for each item of a list. */
const each = (write: FieldWriter): FieldWriter =>
  function* (writer, number, value) {
    for (const item of listOf(value).toReversed()) {
      const steps = write(writer, number, item);
      if (steps !== undefined) yield* steps;
    }
  };

/** A message with one field that holds the whole value. */
const wrapped =
  (inner: number, write: FieldWriter): FieldWriter =>
  (writer, number, value) =>
    delimited(writer, number, () => write(writer, inner, value));

/** A map: a repeated message of name and value. */
const named = (write: FieldWriter): FieldWriter =>
  function* (writer, number, value) {
    let open = ENTRIES_AT_ONCE;
    for (const [name, member] of Object.entries(objectOf(value)).reverse()) {
      if (member === undefined) continue;
      yield* delimited(writer, number, function* () {
        const steps = write(writer, 2, member);
        if (steps !== undefined) yield* steps;
        text(writer, 1, name);
      });
      open -= 1;
      if (open > 0) continue;
      yield;
      open = ENTRIES_AT_ONCE;
    }
  };

/** A message. `extensions` is the field number of the members that start with `x-`. */
const message =
  (fields: () => Fields, extensions?: number): FieldWriter =>
  (writer, number, value) =>
    delimited(writer, number, () => writeFields(writer, fields(), extensions, objectOf(value)));

function* writeFields(
  writer: ProtobufWriter,
  fields: Fields,
  extensions: number | undefined,
  object: JsonObject,
): Steps<void> {
  if (extensions !== undefined) {
    const extending = Object.entries(object).filter(([name]) => name.startsWith('x-'));
    const steps = named(anything)(writer, extensions, Object.fromEntries(extending));
    if (steps !== undefined) yield* steps;
  }
  for (const [name, [number, write]] of Object.entries(fields).reverse()) {
    const value = object[name];
    // In proto3, false and the empty string are the absent values.
    if (value === undefined || value === false || value === '') continue;
    const steps = write(writer, number, value);
    if (steps !== undefined) yield* steps;
  }
}

const schema: FieldWriter = message(() => SCHEMA, 31);

const additionalProperties: FieldWriter = (writer, number, value) =>
  delimited(writer, number, () => (typeof value === 'boolean' ? integer(writer, 2, value) : schema(writer, 1, value)));

const SCHEMA: Fields = {
  $ref: [1, text],
  format: [2, text],
  title: [3, text],
  description: [4, text],
  default: [5, anything],
  multipleOf: [6, double],
  maximum: [7, double],
  exclusiveMaximum: [8, integer],
  minimum: [9, double],
  exclusiveMinimum: [10, integer],
  maxLength: [11, integer],
  minLength: [12, integer],
  pattern: [13, text],
  maxItems: [14, integer],
  minItems: [15, integer],
  uniqueItems: [16, integer],
  maxProperties: [17, integer],
  minProperties: [18, integer],
  required: [19, each(text)],
  enum: [20, each(anything)],
  additionalProperties: [21, additionalProperties],
  type: [22, wrapped(1, text)],
  items: [23, wrapped(1, schema)],
  allOf: [24, each(schema)],
  properties: [25, wrapped(1, named(schema))],
};

const BODY_PARAMETER: Fields = {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, integer],
  schema: [5, schema],
};
const QUERY_PARAMETER: Fields = {
  required: [1, integer],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [6, text],
  format: [7, text],
  uniqueItems: [20, integer],
};
const PATH_PARAMETER: Fields = {
  required: [1, integer],
  in: [2, text],
  description: [3, text],
  name: [4, text],
  type: [5, text],
  format: [6, text],
  uniqueItems: [19, integer],
};

/** Parameter messages, by the parameter's location, inside their enclosing messages. */
const PARAMETERS: Readonly<Record<string, FieldWriter>> = {
  body: wrapped(
    1,
    wrapped(
      1,
      message(() => BODY_PARAMETER, 6),
    ),
  ),
  query: wrapped(
    1,
    wrapped(
      2,
      wrapped(
        3,
        message(() => QUERY_PARAMETER, 23),
      ),
    ),
  ),
  path: wrapped(
    1,
    wrapped(
      2,
      wrapped(
        4,
        message(() => PATH_PARAMETER, 22),
      ),
    ),
  ),
};

const parameter: FieldWriter = (writer, number, value) =>
  ownMember(PARAMETERS, stringOrEmpty(objectOf(value)['in']))?.(writer, number, value);

const RESPONSE: Fields = { description: [1, text], schema: [2, wrapped(1, schema)] };

const OPERATION: Fields = {
  tags: [1, each(text)],
  description: [3, text],
  operationId: [5, text],
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(parameter)],
  responses: [
    9,
    wrapped(
      1,
      named(
        wrapped(
          1,
          message(() => RESPONSE, 5),
        ),
      ),
    ),
  ],
  schemes: [10, each(text)],
};

const operation: FieldWriter = message(() => OPERATION, 13);

const PATH_ITEM: Fields = {
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, each(parameter)],
};

const pathItem: FieldWriter = message(() => PATH_ITEM, 10);

const API_KEY: Fields = { type: [1, text], name: [2, text], in: [3, text], description: [4, text] };

/** The fields besides the paths (8) and the definitions (9), which are long. */
const DOCUMENT: Fields = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  security: [
    12,
    each(
      wrapped(
        1,
        named((writer, number, scopes) => delimited(writer, number, () => each(text)(writer, 1, scopes))),
      ),
    ),
  ],
  securityDefinitions: [
    13,
    wrapped(
      1,
      named(
        wrapped(
          2,
          message(() => API_KEY, 5),
        ),
      ),
    ),
  ],
};

/** Encodes a version 2 document as the message `openapi.v2.Document`, in steps that leave the event loop free. */
export async function encodeVersion2(document: JsonObject): Promise<Uint8Array> {
  const writer = new ProtobufWriter();
  await inSlices(new SharedWork(), documentSteps(writer, document));
  return writer.finish();
}

function* documentSteps(writer: ProtobufWriter, document: JsonObject): Steps<void> {
  // The last fields first: see ProtobufWriter.
  const { paths, definitions, swagger, info, ...last } = document;
  yield* writeFields(writer, DOCUMENT, 16, last);
  if (definitions !== undefined) yield* delimited(writer, 9, () => named(schema)(writer, 1, definitions));
  if (paths !== undefined) yield* delimited(writer, 8, () => named(pathItem)(writer, 2, paths));
  yield* writeFields(writer, DOCUMENT, undefined, definedOnly({ swagger, info }));
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function objectOf(value: JsonValue): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
