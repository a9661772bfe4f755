import {
  decodeBase64,
  encodeUtf8,
  isArray,
  isJsonObject,
  jsonText,
  stringOrEmpty,
  WireType,
  type JsonObject,
  type JsonValue,
  type ProtobufWriter,
} from '../../../foundation/index.js';
import type { ProtoKind, StructuralSchema } from '../../../machinery/index.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';
import { timeToProto } from './proto-time.js';

/** Writes a value with its length, without a tag. */
type WriteValue = (writer: ProtobufWriter, value: JsonValue | undefined, schema: StructuralSchema) => void;

/** Wire type and writer of each kind. Absent values are written as the empty value of the type. */
const KINDS: Readonly<Record<ProtoKind, { readonly wire: number; readonly write: WriteValue }>> = {
  string: { wire: WireType.bytes, write: (writer, value) => writer.string(stringOrEmpty(value)) },
  bytes: { wire: WireType.bytes, write: (writer, value) => writer.lengthDelimited(bytesOf(value)) },
  int32: { wire: WireType.varint, write: (writer, value) => writer.varint(integerOf(value)) },
  int64: { wire: WireType.varint, write: (writer, value) => writer.varint(integerOf(value)) },
  bool: { wire: WireType.varint, write: (writer, value) => writer.varint(value === true ? 1 : 0) },
  double: { wire: WireType.fixed64, write: (writer, value) => writer.double(doubleOf(value)) },
  message: {
    wire: WireType.bytes,
    write: (writer, value, schema) => nested(writer, () => writeMessage(writer, objectOf(value), planOf(schema))),
  },
  map: { wire: WireType.bytes, write: () => undefined },
  time: { wire: WireType.bytes, write: (writer, value) => writeTime(writer, value, false) },
  microTime: { wire: WireType.bytes, write: (writer, value) => writeTime(writer, value, true) },
  quantity: {
    wire: WireType.bytes,
    write: (writer, value) =>
      nested(writer, () =>
        single(writer, 1, (inner) => inner.string(isNumber(value) ? String(value) : stringOrEmpty(value))),
      ),
  },
  intOrString: {
    wire: WireType.bytes,
    write: (writer, value) => nested(writer, () => writeIntOrString(writer, value)),
  },
  fieldsV1: { wire: WireType.bytes, write: writeRawJson },
  rawExtension: { wire: WireType.bytes, write: writeRawJson },
  json: { wire: WireType.bytes, write: writeRawJson },
  variants: { wire: WireType.bytes, write: writeVariant },
};

/** Writes the fields of a message, last first. */
export function writeMessage(writer: ProtobufWriter, object: JsonObject, plan: MessagePlan): void {
  const { fields } = plan;
  for (let index = fields.length - 1; index >= 0; index -= 1) {
    const field = fields[index] as FieldPlan;
    const { embedded } = field;
    if (embedded !== undefined) {
      nested(writer, () => writeMessage(writer, object, embedded));
      writer.tag(field.number, WireType.bytes);
      continue;
    }
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    writeField(writer, field, value ?? undefined);
  }
}

function writeField(writer: ProtobufWriter, field: FieldPlan, value: JsonValue | undefined): void {
  if (field.cardinality === 'repeated') return writeRepeated(writer, field, field.number, value);
  if (field.cardinality === 'map') return writeMap(writer, field, value);
  if (field.cardinality === 'wrapped')
    return value === undefined ? undefined : writeWrapped(writer, field, field.number, value);
  if (!isOmitted(field, value)) writeTagged(writer, field, field.number, value);
}

/** Returns whether a field is not written. Bytes are a slice in Kubernetes, which is omitted when it is absent. */
export function isOmitted({ pointer, kind }: FieldPlan, value: JsonValue | undefined): boolean {
  if (value === undefined) return pointer || kind === 'bytes';
  return !pointer && kind === 'bytes' && value === '';
}

export function writeTagged(
  writer: ProtobufWriter,
  field: FieldPlan,
  number: number,
  value: JsonValue | undefined,
): void {
  const { wire, write } = KINDS[field.kind];
  write(writer, value, field.schema);
  writer.tag(number, wire);
}

function writeRepeated(writer: ProtobufWriter, field: FieldPlan, number: number, value: JsonValue | undefined): void {
  if (!isArray(value)) return;
  for (let index = value.length - 1; index >= 0; index -= 1) writeTagged(writer, field, number, value[index]);
}

function writeWrapped(writer: ProtobufWriter, field: FieldPlan, number: number, value: JsonValue): void {
  nested(writer, () => writeRepeated(writer, field, 1, value));
  writer.tag(number, WireType.bytes);
}

/** Writes the entries `{key = 1, value = 2}`, sorted by key. */
function writeMap(writer: ProtobufWriter, field: FieldPlan, value: JsonValue | undefined): void {
  if (!isJsonObject(value)) return;
  const keys = Object.keys(value).sort();
  for (let index = keys.length - 1; index >= 0; index -= 1) {
    const key = keys[index] as string;
    const member = value[key];
    if (member === undefined) continue;
    nested(writer, () => {
      if (field.wrappedValues) writeWrapped(writer, field, 2, member);
      else writeTagged(writer, field, 2, member);
      single(writer, 1, (inner) => inner.string(key));
    });
    writer.tag(field.number, WireType.bytes);
  }
}

function nested(writer: ProtobufWriter, write: () => void): void {
  const before = writer.length;
  write();
  writer.lengthSince(before);
}

function single(writer: ProtobufWriter, number: number, write: (writer: ProtobufWriter) => void): void {
  write(writer);
  writer.tag(number, WireType.bytes);
}

/** Writes `{seconds = 1, nanos = 2}`; an empty message without a time. */
function writeTime(writer: ProtobufWriter, value: JsonValue | undefined, micro: boolean): void {
  nested(writer, () => {
    const time = typeof value === 'string' ? timeToProto(value, micro) : undefined;
    if (time === undefined) return;
    writer.varint(time.nanos);
    writer.tag(2, WireType.varint);
    writer.varint(time.seconds);
    writer.tag(1, WireType.varint);
  });
}

/** Writes `{type = 1, intVal = 2, strVal = 3}`, always all three. */
function writeIntOrString(writer: ProtobufWriter, value: JsonValue | undefined): void {
  single(writer, 3, (inner) => inner.string(stringOrEmpty(value)));
  writer.varint(typeof value === 'number' ? value : 0);
  writer.tag(2, WireType.varint);
  writer.varint(typeof value === 'string' ? 1 : 0);
  writer.tag(1, WireType.varint);
}

/** Writes `{raw = 1}` with the value's JSON; an empty message without a value. */
function writeRawJson(writer: ProtobufWriter, value: JsonValue | undefined): void {
  nested(writer, () => {
    if (value === undefined || value === null) return;
    const text = jsonText(value);
    writer.lengthDelimited(encodeUtf8(text));
    writer.tag(1, WireType.bytes);
  });
}

const RAW_JSON: ReadonlySet<ProtoKind> = new Set(['fieldsV1', 'rawExtension', 'json']);

/** Returns whether values of a kind are written as JSON. */
export const isRawJson = (kind: ProtoKind): boolean => RAW_JSON.has(kind);

/** Writes the message with the form of the value. */
function writeVariant(writer: ProtobufWriter, value: JsonValue | undefined, schema: StructuralSchema): void {
  const { forms, plan } = variantOf(value, schema);
  nested(writer, () => writeMessage(writer, forms, plan));
}

/** Returns the message with the form of a value, and its plan. */
export function variantOf(
  value: JsonValue | undefined,
  { variants }: StructuralSchema,
): { readonly forms: JsonObject; readonly plan: MessagePlan } {
  if (variants === undefined) throw new TypeError('a schema without variants cannot be written as one of them');
  const { message, object, list, boolean } = variants;
  const forms = {
    ...(isArray(value) && list !== undefined ? { [list]: value } : {}),
    ...(isJsonObject(value) ? { [object]: value } : {}),
    ...(boolean === undefined ? {} : { [boolean]: value === true || isJsonObject(value) }),
  };
  return { forms, plan: planOf(message) };
}

const isNumber = (value: JsonValue | undefined): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const doubleOf = (value: JsonValue | undefined): number => (isNumber(value) ? Number(value) : 0);

function integerOf(value: JsonValue | undefined): number | bigint {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' ? Math.trunc(value) : 0;
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function bytesOf(value: JsonValue | undefined): Uint8Array {
  if (typeof value !== 'string') return new Uint8Array();
  const bytes = decodeBase64(value);
  if (bytes === undefined) throw new TypeError('a field of bytes is not base64');
  return bytes;
}
