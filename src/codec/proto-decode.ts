import { isJsonObject, type JsonValue } from '../meta/json.js';
import type { ProtoKind, StructuralSchema } from '../schema/structural.js';
import type { DecodeLimits } from './codec.js';
import { DecodeProblem } from './decode-problem.js';
import { parseJson } from './json.js';
import { setOwn } from './own.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';
import { ProtoReader, WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './proto-reader.js';
import { timeFromProto } from './proto-time.js';

/** Messages nested deeper than this are refused; the deepest schema is recursive, but no real object comes near. */
const MAX_DEPTH = 500;

type Fields = Record<string, JsonValue>;

/** What reading a message needs besides its bytes. */
export interface ProtoDecodeContext {
  readonly limits: DecodeLimits;
  /** Reads what a raw extension holds when that is an envelope again. */
  readonly envelope: (bytes: Uint8Array) => JsonValue | undefined;
}

/** Reads a value; undefined is an empty one that stands for none. */
type ReadValue = (
  reader: ProtoReader,
  schema: StructuralSchema,
  context: ProtoDecodeContext,
  depth: number,
) => JsonValue | undefined;

const KINDS: Readonly<Record<ProtoKind, { readonly wire: number; readonly read: ReadValue }>> = {
  string: { wire: WIRE_BYTES, read: (reader) => reader.string() },
  bytes: { wire: WIRE_BYTES, read: (reader) => base64(reader.slice()) },
  int32: { wire: WIRE_VARINT, read: (reader) => reader.int32() },
  int64: { wire: WIRE_VARINT, read: (reader) => reader.int64() },
  bool: { wire: WIRE_VARINT, read: (reader) => reader.varint() !== 0n },
  double: { wire: WIRE_FIXED64, read: readDouble },
  message: {
    wire: WIRE_BYTES,
    read: (reader, schema, context, depth) => readMessage(reader.slice(), planOf(schema), context, depth),
  },
  map: { wire: WIRE_BYTES, read: (reader) => void reader.slice() },
  time: { wire: WIRE_BYTES, read: (reader) => readTime(reader.slice(), false) },
  microTime: { wire: WIRE_BYTES, read: (reader) => readTime(reader.slice(), true) },
  quantity: { wire: WIRE_BYTES, read: (reader) => readQuantity(reader.slice()) },
  intOrString: { wire: WIRE_BYTES, read: (reader) => readIntOrString(reader.slice()) },
  fieldsV1: { wire: WIRE_BYTES, read: (reader, _schema, context) => readRaw(reader.slice(), context) },
  rawExtension: { wire: WIRE_BYTES, read: (reader, _schema, context) => readRaw(reader.slice(), context) },
};

/**
 * Reads a message. Unknown fields are passed over, as in the production system. Empty values of fields that are not
 * pointers are left out: on the wire they cannot be told from absent ones.
 *
 * @throws DecodeProblem for what is not well-formed
 */
export function readMessage(bytes: Uint8Array, plan: MessagePlan, context: ProtoDecodeContext, depth = 1): Fields {
  if (depth > MAX_DEPTH) throw new DecodeProblem('proto: exceeded max depth');
  const object: Fields = {};
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    const wire = tag % 8;
    const field = plan.byNumber.get(Math.floor(tag / 8));
    if (field === undefined) reader.skip(wire);
    else readField(object, reader, wire, field, context, depth);
  }
  return object;
}

function readField(
  object: Fields,
  reader: ProtoReader,
  wire: number,
  field: FieldPlan,
  context: ProtoDecodeContext,
  depth: number,
): void {
  if (field.cardinality === 'map') {
    expectWire(wire, WIRE_BYTES, field);
    const entries = isJsonObject(object[field.name]) ? (object[field.name] as Fields) : {};
    readEntry(entries, reader.slice(), field, context, depth);
    object[field.name] = entries;
  } else if (field.cardinality === 'wrapped') {
    expectWire(wire, WIRE_BYTES, field);
    object[field.name] = readItems(reader.slice(), field, context, depth);
  } else if (field.cardinality === 'repeated') {
    const items = Array.isArray(object[field.name]) ? (object[field.name] as JsonValue[]) : [];
    readRepeated(items, reader, wire, field, context, depth);
    object[field.name] = items;
  } else {
    const value = readValue(reader, wire, field, context, depth);
    if (value === undefined || (!field.pointer && isEmptyScalar(value))) delete object[field.name];
    else object[field.name] = value;
  }
}

function isEmptyScalar(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function readValue(
  reader: ProtoReader,
  wire: number,
  field: FieldPlan,
  context: ProtoDecodeContext,
  depth: number,
): JsonValue | undefined {
  const kind = KINDS[field.kind];
  expectWire(wire, kind.wire, field);
  return kind.read(reader, field.schema, context, depth + 1);
}

function expectWire(wire: number, expected: number, field: FieldPlan): void {
  if (wire !== expected) throw new DecodeProblem(`proto: wrong wireType = ${wire} for field ${field.name}`);
}

/** One item, or several packed numbers. */
function readRepeated(
  items: JsonValue[],
  reader: ProtoReader,
  wire: number,
  field: FieldPlan,
  context: ProtoDecodeContext,
  depth: number,
): void {
  const expected = KINDS[field.kind].wire;
  if (wire === WIRE_BYTES && expected !== WIRE_BYTES) {
    const packed = new ProtoReader(reader.slice());
    while (!packed.done) items.push(readValue(packed, expected, field, context, depth) ?? null);
    return;
  }
  items.push(readValue(reader, wire, field, context, depth) ?? null);
}

function readItems(bytes: Uint8Array, field: FieldPlan, context: ProtoDecodeContext, depth: number): JsonValue[] {
  const items: JsonValue[] = [];
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    if (Math.floor(tag / 8) === 1) readRepeated(items, reader, tag % 8, field, context, depth);
    else reader.skip(tag % 8);
  }
  return items;
}

function readEntry(
  entries: Fields,
  bytes: Uint8Array,
  field: FieldPlan,
  context: ProtoDecodeContext,
  depth: number,
): void {
  let key = '';
  let value: JsonValue | undefined;
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    const number = Math.floor(tag / 8);
    if (number === 1) {
      expectWire(tag % 8, WIRE_BYTES, field);
      key = reader.string();
    } else if (number === 2) {
      value = field.wrappedValues
        ? readItems(reader.slice(), field, context, depth)
        : readValue(reader, tag % 8, field, context, depth);
    } else {
      reader.skip(tag % 8);
    }
  }
  setOwn(entries, key, value ?? emptyValue(field));
}

/** What a map's entry without a value holds. */
function emptyValue(field: FieldPlan): JsonValue {
  if (field.wrappedValues) return [];
  const { wire } = KINDS[field.kind];
  if (field.kind === 'bool') return false;
  if (wire !== WIRE_BYTES) return 0;
  return field.kind === 'message' ? {} : field.kind === 'rawExtension' || field.kind === 'fieldsV1' ? null : '';
}

/** Numbers and texts of the small fixed messages, by field number. */
function readSmall(bytes: Uint8Array): { numbers: Map<number, number>; slices: Map<number, Uint8Array> } {
  const numbers = new Map<number, number>();
  const slices = new Map<number, Uint8Array>();
  const reader = new ProtoReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    const number = Math.floor(tag / 8);
    if (tag % 8 === WIRE_VARINT) numbers.set(number, reader.int64());
    else if (tag % 8 === WIRE_BYTES) slices.set(number, reader.slice());
    else reader.skip(tag % 8);
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

const textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });

function readQuantity(bytes: Uint8Array): JsonValue | undefined {
  const amount = readSmall(bytes).slices.get(1);
  return amount === undefined || amount.length === 0 ? '0' : textDecoder.decode(amount);
}

function readIntOrString(bytes: Uint8Array): JsonValue {
  const { numbers, slices } = readSmall(bytes);
  return numbers.get(1) === 1 ? textDecoder.decode(slices.get(3) ?? new Uint8Array()) : (numbers.get(2) ?? 0) | 0;
}

/** The bytes are JSON, or an object in its own envelope. */
function readRaw(bytes: Uint8Array, context: ProtoDecodeContext): JsonValue | undefined {
  const raw = readSmall(bytes).slices.get(1);
  if (raw === undefined || raw.length === 0) return undefined;
  return context.envelope(raw) ?? parseJson(raw, context.limits).value;
}

function readDouble(reader: ProtoReader): JsonValue {
  const value = reader.double();
  if (!Number.isFinite(value))
    throw new DecodeProblem(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  return value;
}

/** How many bytes are turned to characters at once: a call has only so many arguments. */
const CHUNK = 8192;

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}
