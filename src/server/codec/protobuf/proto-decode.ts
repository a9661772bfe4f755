import {
  decodeUtf8Lossy,
  encodeBase64,
  isJsonObject,
  ProtobufReader,
  setOwnMember,
  WireType,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { ProtoKind, StructuralSchema } from '../../../machinery/index.js';
import type { DecodeLimits } from '../codec.js';
import { DecodeProblem, requireMembers, tooManyContainers } from '../decode-problem.js';
import { bodySteps } from '../json/json-decode.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';
import { readSmall, UNITS_PER_FIELD } from './proto-small.js';
import { timeFromProto } from './proto-time.js';

/** Maximum nesting of messages. Schemas can be recursive, but real objects are far below. */
const MAX_DEPTH = 500;

type Fields = Record<string, JsonValue>;
type WireReader = ProtobufReader<Uint8Array>;

/** The state of decoding one body. */
export class ProtoEffort {
  readonly work: Work;
  readonly #maxContainers: number;
  #containers = 0;
  /** The number of entries of each map that is being read. */
  readonly #entries = new WeakMap<object, number>();

  constructor(work: Work, maxContainers: number) {
    this.work = work;
    this.#maxContainers = maxContainers;
  }

  /** Number of objects and lists that may follow. */
  get remainingContainers(): number {
    return this.#maxContainers - this.#containers;
  }

  /** Counts objects and lists. @throws ApiError 413 beyond the limit */
  count(containers: number): void {
    this.#containers += containers;
    if (this.#containers > this.#maxContainers) throw tooManyContainers(this.#maxContainers);
  }

  /** Counts an entry of a map. @throws ApiError 413 beyond the limit */
  entry(map: object): void {
    const count = (this.#entries.get(map) ?? 0) + 1;
    requireMembers(count);
    this.#entries.set(map, count);
  }

  /** Counts an object or list of a message, before it is made. @throws ApiError 413 beyond the limit, 429 */
  container(): void {
    if (this.#containers % RESERVED_AT_ONCE === 0) this.work.reserve(RESERVED_AT_ONCE * CONTAINER_BYTES);
    this.count(1);
  }
}

/** Memory of an object or list with its key, in bytes, and the number of them for which it is reserved together. */
const CONTAINER_BYTES = 128;
const RESERVED_AT_ONCE = 64;

/** Memory of an item of a list of numbers, in bytes. */
const ITEM_BYTES = 8;

/** Context of decoding a message. */
export interface ProtoDecodeContext {
  readonly limits: DecodeLimits;
  readonly effort: ProtoEffort;
  /** Decodes the content of a raw extension if it is an envelope. */
  readonly envelope: (bytes: Uint8Array) => Steps<JsonValue | undefined>;
  /** Nesting of the message; 1 for the outermost. */
  readonly depth: number;
}

/** Reads a value; undefined for an empty value that means absent. */
type ReadValue = (reader: WireReader) => JsonValue | undefined;

/** Reads a value that may be long; undefined for an empty value that means absent. */
type ReadSteps = (
  bytes: Uint8Array,
  schema: StructuralSchema,
  context: ProtoDecodeContext,
) => Steps<JsonValue | undefined>;

interface KindReader {
  readonly wire: number;
  readonly read: ReadValue | undefined;
  /** For a value of bytes that may be long. */
  readonly steps?: ReadSteps | undefined;
}

/** Reads a message that has no schema. */
function ofBytes(read: (bytes: Uint8Array, context: ProtoDecodeContext) => Steps<JsonValue | undefined>): KindReader {
  return { wire: WireType.bytes, read: undefined, steps: (bytes, _schema, context) => read(bytes, context) };
}

const KINDS: Readonly<Record<ProtoKind, KindReader>> = {
  string: { wire: WireType.bytes, read: (reader) => reader.string() },
  bytes: { wire: WireType.bytes, read: (reader) => encodeBase64(reader.bytes()) },
  int32: { wire: WireType.varint, read: (reader) => reader.int32() },
  int64: { wire: WireType.varint, read: (reader) => reader.exactInt64() },
  bool: { wire: WireType.varint, read: (reader) => reader.bool() },
  double: { wire: WireType.fixed64, read: readDouble },
  message: {
    wire: WireType.bytes,
    read: undefined,
    steps: (bytes, schema, context) => readMessage(bytes, planOf(schema), { ...context, depth: context.depth + 1 }),
  },
  map: { wire: WireType.bytes, read: (reader) => void reader.bytes() },
  time: ofBytes((bytes, { effort }) => readTime(bytes, false, effort.work)),
  microTime: ofBytes((bytes, { effort }) => readTime(bytes, true, effort.work)),
  quantity: ofBytes((bytes, { effort }) => readQuantity(bytes, effort.work)),
  intOrString: ofBytes((bytes, { effort }) => readIntOrString(bytes, effort.work)),
  fieldsV1: ofBytes(readRaw),
  rawExtension: ofBytes(readRaw),
  json: ofBytes(readJson),
  variants: {
    wire: WireType.bytes,
    read: undefined,
    steps: (bytes, schema, context) => readVariant(bytes, schema, { ...context, depth: context.depth + 1 }),
  },
};

/**
 * Reads a message. Skips unknown fields, as Kubernetes does. Omits empty values of fields that are not pointers: on the
 * wire they are indistinguishable from absent values.
 *
 * @throws DecodeProblem | ProtobufError when the message is malformed
 */
export function* readMessage(bytes: Uint8Array, plan: MessagePlan, context: ProtoDecodeContext): Steps<Fields> {
  if (context.depth > MAX_DEPTH) throw new DecodeProblem('proto: exceeded max depth');
  const object: Fields = {};
  context.effort.container();
  yield* readFields(object, new ProtobufReader(bytes), plan, context);
  return object;
}

/** Reads the fields of a message into an object: that of the message itself, or of the parent of an embedded one. */
function* readFields(object: Fields, reader: WireReader, plan: MessagePlan, context: ProtoDecodeContext): Steps<void> {
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    const field = plan.byNumber.get(number);
    if (context.effort.work.spend(UNITS_PER_FIELD)) yield;
    if (field === undefined) reader.skip();
    else if (field.embedded !== undefined) {
      expectWire(reader, WireType.bytes, field);
      yield* readFields(object, new ProtobufReader(reader.bytes()), field.embedded, context);
    } else yield* readField(object, reader, field, context);
  }
}

function* readField(object: Fields, reader: WireReader, field: FieldPlan, context: ProtoDecodeContext): Steps<void> {
  if (field.cardinality === 'map') {
    expectWire(reader, WireType.bytes, field);
    const entries = isJsonObject(object[field.name]) ? (object[field.name] as Fields) : {};
    yield* readEntry(entries, reader.bytes(), field, context);
    object[field.name] = entries;
  } else if (field.cardinality === 'wrapped') {
    expectWire(reader, WireType.bytes, field);
    object[field.name] = yield* readItems(reader.bytes(), field, context);
  } else if (field.cardinality === 'repeated') {
    const items = Array.isArray(object[field.name]) ? (object[field.name] as JsonValue[]) : [];
    yield* readRepeated(items, reader, field, context);
    object[field.name] = items;
  } else {
    const value = yield* readValue(reader, field, context);
    if (value === undefined || (!field.pointer && isEmptyScalar(value))) delete object[field.name];
    else object[field.name] = value;
  }
}

function isEmptyScalar(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function* readValue(reader: WireReader, field: FieldPlan, context: ProtoDecodeContext): Steps<JsonValue | undefined> {
  const { wire, read, steps } = KINDS[field.kind];
  expectWire(reader, wire, field);
  if (steps !== undefined) return yield* steps(reader.bytes(), field.schema, context);
  return read?.(reader);
}

function expectWire({ wireType }: WireReader, expected: number, field: FieldPlan): void {
  if (wireType !== expected) throw new DecodeProblem(`proto: wrong wireType = ${wireType} for field ${field.name}`);
}

/** Reads one item, or several packed numbers. */
function* readRepeated(
  items: JsonValue[],
  reader: WireReader,
  field: FieldPlan,
  context: ProtoDecodeContext,
): Steps<void> {
  if (items.length === 0) context.effort.container();
  const { wire, read } = KINDS[field.kind];
  if (reader.wireType === WireType.bytes && wire !== WireType.bytes) {
    const packed = reader.message();
    context.effort.work.reserve(packed.remaining * ITEM_BYTES);
    while (!packed.done) {
      items.push(read?.(packed) ?? null);
      if (context.effort.work.spend(1)) yield;
    }
    return;
  }
  items.push((yield* readValue(reader, field, context)) ?? null);
}

function* readItems(bytes: Uint8Array, field: FieldPlan, context: ProtoDecodeContext): Steps<JsonValue[]> {
  const items: JsonValue[] = [];
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (context.effort.work.spend(UNITS_PER_FIELD)) yield;
    if (number === 1) yield* readRepeated(items, reader, field, context);
    else reader.skip();
  }
  return items;
}

function* readEntry(entries: Fields, bytes: Uint8Array, field: FieldPlan, context: ProtoDecodeContext): Steps<void> {
  let key: Uint8Array | undefined;
  let value: JsonValue | undefined;
  const reader = new ProtobufReader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (context.effort.work.spend(UNITS_PER_FIELD)) yield;
    if (number === 1) {
      expectWire(reader, WireType.bytes, field);
      key = reader.bytes();
    } else if (number === 2) {
      value = field.wrappedValues
        ? yield* readItems(reader.bytes(), field, context)
        : yield* readValue(reader, field, context);
    } else {
      reader.skip();
    }
  }
  context.effort.entry(entries);
  setOwnMember(entries, key === undefined ? '' : decodeUtf8Lossy(key), value ?? emptyValue(field));
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

function* readTime(bytes: Uint8Array, micro: boolean, work: Work): Steps<JsonValue | undefined> {
  if (bytes.length === 0) return undefined;
  const { numbers } = yield* readSmall(bytes, work);
  const text = timeFromProto({ seconds: Number(numbers.get(1) ?? 0), nanos: Number(numbers.get(2) ?? 0) }, micro);
  if (text === undefined) throw new DecodeProblem('Time.MarshalJSON: year outside of range [0,9999]');
  return text;
}

function* readQuantity(bytes: Uint8Array, work: Work): Steps<JsonValue | undefined> {
  const amount = (yield* readSmall(bytes, work)).slices.get(1);
  return amount === undefined || amount.length === 0 ? '0' : decodeUtf8Lossy(amount);
}

function* readIntOrString(bytes: Uint8Array, work: Work): Steps<JsonValue> {
  const { numbers, slices } = yield* readSmall(bytes, work);
  if (numbers.get(1) === 1) return decodeUtf8Lossy(slices.get(3) ?? new Uint8Array());
  const number = numbers.get(2) ?? 0;
  return typeof number === 'bigint' ? Number(BigInt.asIntN(32, number)) : number | 0;
}

/** Decodes JSON, or an object in its own envelope. */
function* readRaw(bytes: Uint8Array, context: ProtoDecodeContext): Steps<JsonValue | undefined> {
  const raw = (yield* readSmall(bytes, context.effort.work)).slices.get(1);
  if (raw === undefined || raw.length === 0) return undefined;
  return (yield* context.envelope(raw)) ?? (yield* documentValue(raw, context));
}

/** Decodes JSON; undefined for null. */
function* readJson(bytes: Uint8Array, context: ProtoDecodeContext): Steps<JsonValue | undefined> {
  const raw = (yield* readSmall(bytes, context.effort.work)).slices.get(1);
  return raw === undefined || raw.length === 0 ? undefined : yield* documentValue(raw, context);
}

function* documentValue(raw: Uint8Array, { limits, effort }: ProtoDecodeContext): Steps<JsonValue> {
  const remaining = { ...limits, maxContainers: effort.remainingContainers };
  const document = yield* bodySteps(raw, remaining, effort.work, false, (containers) => effort.count(containers));
  return document.value;
}

/** Returns the value whose form the message has; false or null when it has none. */
function* readVariant(
  bytes: Uint8Array,
  { variants }: StructuralSchema,
  context: ProtoDecodeContext,
): Steps<JsonValue> {
  if (variants === undefined) throw new TypeError('a schema without variants cannot be read as one of them');
  const { message, object, list, boolean } = variants;
  const forms = yield* readMessage(bytes, planOf(message), context);
  const items = list === undefined ? undefined : forms[list];
  return items ?? forms[object] ?? (boolean === undefined ? null : forms[boolean] === true);
}

function readDouble(reader: WireReader): JsonValue {
  const value = reader.double();
  if (!Number.isFinite(value))
    throw new DecodeProblem(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  return value;
}
