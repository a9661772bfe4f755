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
  discriminator: [26, text],
  readOnly: [27, integer],
  externalDocs: [28, message(() => EXTERNAL_DOCS, 3)],
  example: [29, anything],
};

const EXTERNAL_DOCS: Fields = { description: [1, text], url: [2, text] };
const REFERENCE: Fields = { $ref: [1, text], description: [2, text] };

/** The fields of a value that is not an object, which several messages have in the same order. @param from the first one */
const valueFields = (from: number): Fields => ({
  type: [from, text],
  format: [from + 1, text],
  items: [from + 2, message(() => valueFields(1), 18)],
  collectionFormat: [from + 3, text],
  default: [from + 4, anything],
  maximum: [from + 5, double],
  exclusiveMaximum: [from + 6, integer],
  minimum: [from + 7, double],
  exclusiveMinimum: [from + 8, integer],
  maxLength: [from + 9, integer],
  minLength: [from + 10, integer],
  pattern: [from + 11, text],
  maxItems: [from + 12, integer],
  minItems: [from + 13, integer],
  uniqueItems: [from + 14, integer],
  enum: [from + 15, each(anything)],
  multipleOf: [from + 16, double],
});

const BODY_PARAMETER: Fields = {
  description: [1, text],
  name: [2, text],
  in: [3, text],
  required: [4, integer],
  schema: [5, schema],
};
/** The first fields of every parameter that is not a body. */
const PARAMETER_HEAD: Fields = { required: [1, integer], in: [2, text], description: [3, text], name: [4, text] };
/** Parameters in the query and in forms. */
const QUERY_PARAMETER: Fields = { ...PARAMETER_HEAD, allowEmptyValue: [5, integer], ...valueFields(6) };
/** Parameters in the path and in header fields. */
const PATH_PARAMETER: Fields = { ...PARAMETER_HEAD, ...valueFields(5) };

const queryParameter = message(() => QUERY_PARAMETER, 23);
const pathParameter = message(() => PATH_PARAMETER, 22);

/** Parameter messages, by the parameter's location, inside their enclosing messages. */
const PARAMETERS: Readonly<Record<string, FieldWriter>> = {
  body: wrapped(
    1,
    message(() => BODY_PARAMETER, 6),
  ),
  header: wrapped(2, wrapped(1, pathParameter)),
  formData: wrapped(2, wrapped(2, queryParameter)),
  query: wrapped(2, wrapped(3, queryParameter)),
  path: wrapped(2, wrapped(4, pathParameter)),
};

const parameter: FieldWriter = (writer, number, value) =>
  ownMember(PARAMETERS, stringOrEmpty(objectOf(value)['in']))?.(writer, number, value);

const reference = message(() => REFERENCE);

/** A part, or a reference to one among the named parts of the document. */
const partOrReference =
  (part: FieldWriter): FieldWriter =>
  (writer, number, value) =>
    (typeof objectOf(value)['$ref'] === 'string' ? wrapped(2, reference) : wrapped(1, part))(writer, number, value);

/** As in the lists of operations. One whose location is unknown is left out. */
const listedParameter: FieldWriter = (writer, number, value) => {
  const { $ref, in: location } = objectOf(value);
  const isKnown = typeof $ref === 'string' || Object.hasOwn(PARAMETERS, stringOrEmpty(location));
  return isKnown ? partOrReference(parameter)(writer, number, value) : undefined;
};

const HEADER: Fields = { ...valueFields(1), description: [18, text] };

const RESPONSE: Fields = {
  description: [1, text],
  schema: [2, wrapped(1, schema)],
  headers: [3, wrapped(1, named(message(() => HEADER, 19)))],
  examples: [4, wrapped(1, named(anything))],
};

const response = message(() => RESPONSE, 5);

/** The requirements of a list, each with the scopes of the methods that it names. */
const requirements = each(
  wrapped(
    1,
    named((writer, number, scopes) => delimited(writer, number, () => each(text)(writer, 1, scopes))),
  ),
);

const OPERATION: Fields = {
  tags: [1, each(text)],
  summary: [2, text],
  description: [3, text],
  externalDocs: [4, message(() => EXTERNAL_DOCS, 3)],
  operationId: [5, text],
  produces: [6, each(text)],
  consumes: [7, each(text)],
  parameters: [8, each(listedParameter)],
  responses: [9, wrapped(1, named(partOrReference(response)))],
  schemes: [10, each(text)],
  deprecated: [11, integer],
  security: [12, requirements],
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
  parameters: [9, each(listedParameter)],
};

const pathItem: FieldWriter = message(() => PATH_ITEM, 10);

const API_KEY: Fields = { type: [1, text], name: [2, text], in: [3, text], description: [4, text] };

/** The fields besides the paths (8) and the definitions (9), which are long. */
const DOCUMENT: Fields = {
  swagger: [1, text],
  info: [2, message(() => ({ title: [1, text], version: [2, text] }))],
  parameters: [10, wrapped(1, named(parameter))],
  responses: [11, wrapped(1, named(response))],
  security: [12, requirements],
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
