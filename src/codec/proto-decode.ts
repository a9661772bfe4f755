import { encodeBase64 } from '../encoding/base64.js';
import { setOwnMember } from '../encoding/own-property.js';
import { ProtobufReader, WireType } from '../encoding/protobuf-reader.js';
import { decodeUtf8Lossy } from '../encoding/utf8.js';
import { isJsonObject, type JsonValue } from '../meta/json.js';
import type { ProtoKind, StructuralSchema } from '../schema/structural.js';
import type { DecodeLimits } from './codec.js';
import { DecodeProblem } from './decode-problem.js';
import { parseJson } from './json.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';
import { timeFromProto } from './proto-time.js';

/** Maximum nesting of messages. Schemas can be recursive, but real objects are far below. */
const MAX_DEPTH = 500;

type Fields = Record<string, JsonValue>;
type WireReader = ProtobufReader<Uint8Array>;

/** Context of decoding a message. */
export interface ProtoDecodeContext {
  readonly limits: DecodeLimits;
  /** Decodes the content of a raw extension if it is an envelope. */
  readonly envelope: (bytes: Uint8Array) => JsonValue | undefined;
  /** Nesting of the message; 1 for the outermost. */
  readonly depth: number;
}

/** Reads a value; undefined for an empty value that means absent. */
type ReadValue = (reader: WireReader, schema: StructuralSchema, context: ProtoDecodeContext) => JsonValue | undefined;

const KINDS: Readonly<Record<ProtoKind, { readonly wire: number; readonly read: ReadValue }>> = {
  string: { wire: WireType.bytes, read: (reader) => reader.string() },
  bytes: { wire: WireType.bytes, read: (reader) => encodeBase64(reader.bytes()) },
  int32: { wire: WireType.varint, read: (reader) => reader.int32() },
  int64: { wire: WireType.varint, read: (reader) => reader.int64() },
  bool: { wire: WireType.varint, read: (reader) => reader.bool() },
  double: { wire: WireType.fixed64, read: readDouble },
  message: {
    wire: WireType.bytes,
    read: (reader, schema, context) =>
      readMessage(reader.bytes(), planOf(schema), { ...context, depth: context.depth + 1 }),
  },
  map: { wire: WireType.bytes, read: (reader) => void reader.bytes() },
  time: { wire: WireType.bytes, read: (reader) => readTime(reader.bytes(), false) },
  microTime: { wire: WireType.bytes, read: (reader) => readTime(reader.bytes(), true) },
  quantity: { wire: WireType.bytes, read: (reader) => readQuantity(reader.bytes()) },
  intOrString: { wire: WireType.bytes, read: (reader) => readIntOrString(reader.bytes()) },
  fieldsV1: { wire: WireType.bytes, read: (reader, _schema, context) => readRaw(reader.bytes(), context) },
  rawExtension: { wire: WireType.bytes, read: (reader, _schema, context) => readRaw(reader.bytes(), context) },
  json: { wire: WireType.bytes, read: (reader, _schema, { limits }) => readJson(reader.bytes(), limits) },
  variants: {
    wire: WireType.bytes,
    read: (reader, schema, context) => readVariant(reader.bytes(), schema, { ...context, depth: context.depth + 1 }),
  },
};

/**
 * Reads a message. Skips unknown fields, as Kubernetes does. Omits empty values of fields that are not pointers: on the
 * wire they are indistinguishable from absent values.
 *
 * @throws DecodeProblem | ProtobufError when the message is malformed
 */
export function readMessage(bytes: Uint8Array, plan: MessagePlan, context: ProtoDecodeContext): Fields {
  if (context.depth > MAX_DEPTH) throw new DecodeProblem('proto: exceeded max depth');
  const object: Fields = {};
  readFields(object, new ProtobufReader(bytes), plan, context);
  return object;
}

/** Reads the fields of a message into an object: that of the message itself, or of the parent of an embedded one. */
function readFields(object: Fields, reader: WireReader, plan: MessagePlan, context: ProtoDecodeContext): void {
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    const field = plan.byNumber.get(number);
    if (field === undefined) reader.skip();
    else if (field.embedded !== undefined) {
      expectWire(reader, WireType.bytes, field);
      readFields(object, new ProtobufReader(reader.bytes()), field.embedded, context);
    } else readField(object, reader, field, context);
  }
}

function readField(object: Fields, reader: WireReader, field: FieldPlan, context: ProtoDecodeContext): void {
  if (field.cardinality === 'map') {
    expectWire(reader, WireType.bytes, field);
    const entries = isJsonObject(object[field.name]) ? (object[field.name] as Fields) : {};
    readEntry(entries, reader.bytes(), field, context);
    object[field.name] = entries;
  } else if (field.cardinality === 'wrapped') {
    expectWire(reader, WireType.bytes, field);
    object[field.name] = readItems(reader.bytes(), field, context);
  } else if (field.cardinality === 'repeated') {
    const items = Array.isArray(object[field.name]) ? (object[field.name] as JsonValue[]) : [];
    readRepeated(items, reader, field, context);
    object[field.name] = items;
  } else {
    const value = readValue(reader, field, context);
    if (value === undefined || (!field.pointer && isEmptyScalar(value))) delete object[field.name];
    else object[field.name] = value;
  }
}

function isEmptyScalar(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function readValue(reader: WireReader, field: FieldPlan, context: ProtoDecodeContext): JsonValue | undefined {
  const kind = KINDS[field.kind];
  expectWire(reader, kind.wire, field);
  return kind.read(reader, field.schema, context);
}

function expectWire({ wireType }: WireReader, expected: number, field: FieldPlan): void {
  if (wireType !== expected) throw new DecodeProblem(`proto: wrong wireType = ${wireType} for field ${field.name}`);
}

/** Reads one item, or several packed numbers. */
function readRepeated(items: JsonValue[], reader: WireReader, field: FieldPlan, context: ProtoDecodeContext): void {
  const { wire, read } = KINDS[field.kind];
  if (reader.wireType === WireType.bytes && wire !== WireType.bytes) {
    const packed = reader.message();
    while (!packed.done) items.push(read(packed, field.schema, context) ?? null);
    return;
  }
  items.push(readValue(reader, field, context) ?? null);
}

function readItems(bytes: Uint8Array, field: FieldPlan, context: ProtoDecodeContext): JsonValue[] {
  const items: JsonValue[] = [];
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) readRepeated(items, reader, field, context);
    else reader.skip();
  }
  return items;
}

function readEntry(entries: Fields, bytes: Uint8Array, field: FieldPlan, context: ProtoDecodeContext): void {
  let key = '';
  let value: JsonValue | undefined;
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) {
      expectWire(reader, WireType.bytes, field);
      key = reader.string();
    } else if (number === 2) {
      value = field.wrappedValues ? readItems(reader.bytes(), field, context) : readValue(reader, field, context);
    } else {
      reader.skip();
    }
  }
  setOwnMember(entries, key, value ?? emptyValue(field));
}

/** Kinds without an empty value of their own. */
const NULL_KINDS: ReadonlySet<ProtoKind> = new Set(['rawExtension', 'fieldsV1', 'json', 'variants']);

/** Returns the value of a map entry without a value. */
function emptyValue(field: FieldPlan): JsonValue {
  if (field.wrappedValues) return [];
  const { wire } = KINDS[field.kind];
  if (field.kind === 'bool') return false;
  if (wire !== WireType.bytes) return 0;
  if (field.kind === 'message') return {};
  return NULL_KINDS.has(field.kind) ? null : '';
}

/** Reads the numbers and texts of a small fixed message, by field number. */
function readSmall(bytes: Uint8Array): { numbers: Map<number, number>; slices: Map<number, Uint8Array> } {
  const numbers = new Map<number, number>();
  const slices = new Map<number, Uint8Array>();
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (reader.wireType === WireType.varint) numbers.set(number, reader.int64());
    else if (reader.wireType === WireType.bytes) slices.set(number, reader.bytes());
    else reader.skip();
  }
  return { numbers, slices };
}

function readTime(bytes: Uint8Array, micro: boolean): JsonValue | undefined {
  if (bytes.length === 0) return undefined;
  const { numbers } = readSmall(bytes);
  const text = timeFromProto({ seconds: numbers.get(1) ?? 0, nanos: numbers.get(2) ?? 0 }, micro);
  if (text === undefined) throw new DecodeProblem('Time.MarshalJSON: year outside of range [0,9999]');
  return text;
}

function readQuantity(bytes: Uint8Array): JsonValue | undefined {
  const amount = readSmall(bytes).slices.get(1);
  return amount === undefined || amount.length === 0 ? '0' : decodeUtf8Lossy(amount);
}

function readIntOrString(bytes: Uint8Array): JsonValue {
  const { numbers, slices } = readSmall(bytes);
  return numbers.get(1) === 1 ? decodeUtf8Lossy(slices.get(3) ?? new Uint8Array()) : (numbers.get(2) ?? 0) | 0;
}

/** Decodes JSON, or an object in its own envelope. */
function readRaw(bytes: Uint8Array, context: ProtoDecodeContext): JsonValue | undefined {
  const raw = readSmall(bytes).slices.get(1);
  if (raw === undefined || raw.length === 0) return undefined;
  return context.envelope(raw) ?? parseJson(raw, context.limits).value;
}

/** Decodes JSON; undefined for null. */
function readJson(bytes: Uint8Array, limits: DecodeLimits): JsonValue | undefined {
  const raw = readSmall(bytes).slices.get(1);
  return raw === undefined || raw.length === 0 ? undefined : parseJson(raw, limits).value;
}

/** Returns the value whose form the message has; false or null when it has none. */
function readVariant(bytes: Uint8Array, { variants }: StructuralSchema, context: ProtoDecodeContext): JsonValue {
  if (variants === undefined) throw new TypeError('a schema without variants cannot be read as one of them');
  const { message, object, list, boolean } = variants;
  const forms = readMessage(bytes, planOf(message), context);
  const items = list === undefined ? undefined : forms[list];
  return items ?? forms[object] ?? (boolean === undefined ? null : forms[boolean] === true);
}

function readDouble(reader: WireReader): JsonValue {
  const value = reader.double();
  if (!Number.isFinite(value))
    throw new DecodeProblem(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  return value;
}
