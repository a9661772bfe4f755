import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import type { ProtoKind, StructuralSchema } from '../schema/structural.js';
import { encodeJson } from './json.js';
import { timeToProto } from './proto-time.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';
import { WIRE_BYTES, WIRE_FIXED64, WIRE_VARINT } from './proto-reader.js';
import type { ProtoWriter } from './proto-writer.js';
import { encodeUtf8 } from './utf8.js';

/** Writes a value with its length, without a tag. */
type WriteValue = (writer: ProtoWriter, value: JsonValue | undefined, schema: StructuralSchema) => void;

/** How a kind of value is written, and its wire type. Absent values are written as the type's empty value. */
const KINDS: Readonly<Record<ProtoKind, { readonly wire: number; readonly write: WriteValue }>> = {
  string: { wire: WIRE_BYTES, write: (writer, value) => writer.string(stringOf(value)) },
  bytes: { wire: WIRE_BYTES, write: (writer, value) => writer.lengthDelimited(bytesOf(value)) },
  int32: { wire: WIRE_VARINT, write: (writer, value) => writer.varint(integerOf(value)) },
  int64: { wire: WIRE_VARINT, write: (writer, value) => writer.varint(integerOf(value)) },
  bool: { wire: WIRE_VARINT, write: (writer, value) => writer.varint(value === true ? 1 : 0) },
  double: { wire: WIRE_FIXED64, write: (writer, value) => writer.double(typeof value === 'number' ? value : 0) },
  message: {
    wire: WIRE_BYTES,
    write: (writer, value, schema) => nested(writer, () => writeMessage(writer, objectOf(value), planOf(schema))),
  },
  map: { wire: WIRE_BYTES, write: () => undefined },
  time: { wire: WIRE_BYTES, write: (writer, value) => writeTime(writer, value, false) },
  microTime: { wire: WIRE_BYTES, write: (writer, value) => writeTime(writer, value, true) },
  quantity: {
    wire: WIRE_BYTES,
    write: (writer, value) =>
      nested(writer, () =>
        single(writer, 1, (inner) => inner.string(typeof value === 'number' ? String(value) : stringOf(value))),
      ),
  },
  intOrString: { wire: WIRE_BYTES, write: (writer, value) => nested(writer, () => writeIntOrString(writer, value)) },
  fieldsV1: { wire: WIRE_BYTES, write: writeRawJson },
  rawExtension: { wire: WIRE_BYTES, write: writeRawJson },
};

/** Writes the fields of a message, last first. */
export function writeMessage(writer: ProtoWriter, object: JsonObject, plan: MessagePlan): void {
  const { fields } = plan;
  for (let index = fields.length - 1; index >= 0; index -= 1) {
    const field = fields[index] as FieldPlan;
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    writeField(writer, field, value ?? undefined);
  }
}

function writeField(writer: ProtoWriter, field: FieldPlan, value: JsonValue | undefined): void {
  if (field.cardinality === 'repeated') return writeRepeated(writer, field, field.number, value);
  if (field.cardinality === 'map') return writeMap(writer, field, value);
  if (field.cardinality === 'wrapped')
    return value === undefined ? undefined : writeWrapped(writer, field, field.number, value);
  if (value === undefined && (field.pointer || isNilable(field.kind))) return;
  if (!field.pointer && field.kind === 'bytes' && value === '') return;
  writeTagged(writer, field, field.number, value);
}

/** Kinds that are slices in the production system, and left out when there is nothing. */
function isNilable(kind: ProtoKind): boolean {
  return kind === 'bytes';
}

function writeTagged(writer: ProtoWriter, field: FieldPlan, number: number, value: JsonValue | undefined): void {
  const { wire, write } = KINDS[field.kind];
  write(writer, value, field.schema);
  writer.tag(number, wire);
}

function writeRepeated(writer: ProtoWriter, field: FieldPlan, number: number, value: JsonValue | undefined): void {
  if (!isArray(value)) return;
  for (let index = value.length - 1; index >= 0; index -= 1) writeTagged(writer, field, number, value[index]);
}

function writeWrapped(writer: ProtoWriter, field: FieldPlan, number: number, value: JsonValue): void {
  nested(writer, () => writeRepeated(writer, field, 1, value));
  writer.tag(number, WIRE_BYTES);
}

/** Entries `{key = 1, value = 2}`, sorted by key. */
function writeMap(writer: ProtoWriter, field: FieldPlan, value: JsonValue | undefined): void {
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
    writer.tag(field.number, WIRE_BYTES);
  }
}

function nested(writer: ProtoWriter, write: () => void): void {
  const before = writer.length;
  write();
  writer.lengthSince(before);
}

function single(writer: ProtoWriter, number: number, write: (writer: ProtoWriter) => void): void {
  write(writer);
  writer.tag(number, WIRE_BYTES);
}

/** `{seconds = 1, nanos = 2}`; no time at all is an empty message. */
function writeTime(writer: ProtoWriter, value: JsonValue | undefined, micro: boolean): void {
  nested(writer, () => {
    const time = typeof value === 'string' ? timeToProto(value, micro) : undefined;
    if (time === undefined) return;
    writer.varint(time.nanos);
    writer.tag(2, WIRE_VARINT);
    writer.varint(time.seconds);
    writer.tag(1, WIRE_VARINT);
  });
}

/** `{type = 1, intVal = 2, strVal = 3}`, all three always. */
function writeIntOrString(writer: ProtoWriter, value: JsonValue | undefined): void {
  single(writer, 3, (inner) => inner.string(typeof value === 'string' ? value : ''));
  writer.varint(typeof value === 'number' ? value : 0);
  writer.tag(2, WIRE_VARINT);
  writer.varint(typeof value === 'string' ? 1 : 0);
  writer.tag(1, WIRE_VARINT);
}

/** `{raw = 1}` with the value's JSON; without a value an empty message. */
function writeRawJson(writer: ProtoWriter, value: JsonValue | undefined): void {
  nested(writer, () => {
    if (value === undefined) return;
    const text = isJsonObject(value) ? encodeJson(value) : JSON.stringify(value);
    writer.lengthDelimited(encodeUtf8(text));
    writer.tag(1, WIRE_BYTES);
  });
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function integerOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? Math.trunc(value) : 0;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function bytesOf(value: JsonValue | undefined): Uint8Array {
  return typeof value === 'string'
    ? Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
    : new Uint8Array();
}
