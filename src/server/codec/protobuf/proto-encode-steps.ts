/**
 * Encodes a large object in steps, as `proto-encode.ts` does a small one at once: it may pause at each field, item and
 * entry.
 *
 * @module
 */
import {
  encodeUtf8,
  isArray,
  isJsonObject,
  JsonTextSteps,
  keysInSteps,
  sortedSteps,
  WireType,
  type JsonObject,
  type JsonValue,
  type ProtobufWriter,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { isOmitted, isRawJson, objectOf, variantOf, writeTagged } from './proto-encode.js';
import { planOf, type FieldPlan, type MessagePlan } from './proto-plan.js';

/** Units of work of a field, and for each character of a text. */
const FIELD_UNITS = 3;
const CHARACTER_UNITS = 1 / 16;

/** Writes messages into one writer. */
export class ProtoSteps {
  readonly #writer: ProtobufWriter;
  readonly #work: Work;

  constructor(writer: ProtobufWriter, work: Work) {
    this.#writer = writer;
    this.#work = work;
  }

  /** Writes the fields of a message, last first. */
  *message(object: JsonObject, { fields }: MessagePlan): Steps<void> {
    for (let index = fields.length - 1; index >= 0; index -= 1) {
      const field = fields[index] as FieldPlan;
      const { embedded, name, number } = field;
      if (embedded !== undefined) yield* this.#nested(number, this.message(object, embedded));
      else yield* this.#field(field, (Object.hasOwn(object, name) ? object[name] : undefined) ?? undefined);
    }
  }

  *#field(field: FieldPlan, value: JsonValue | undefined): Steps<void> {
    const { cardinality, number } = field;
    if (cardinality === 'repeated') yield* this.#repeated(field, number, value);
    else if (cardinality === 'map') yield* this.#map(field, value);
    else if (cardinality === 'wrapped') {
      if (value !== undefined) yield* this.#nested(number, this.#repeated(field, 1, value));
    } else if (!isOmitted(field, value)) yield* this.#tagged(field, number, value);
  }

  *#tagged(field: FieldPlan, number: number, value: JsonValue | undefined): Steps<void> {
    const { kind, schema } = field;
    if (kind === 'message') yield* this.#nested(number, this.message(objectOf(value), planOf(schema)));
    else if (kind === 'variants') {
      const { forms, plan } = variantOf(value, schema);
      yield* this.#nested(number, this.message(forms, plan));
    } else if (isRawJson(kind) && value !== undefined) yield* this.#nested(number, this.#json(value));
    else writeTagged(this.#writer, field, number, value);
    const characters = typeof value === 'string' ? value.length : 0;
    if (this.#work.spend(FIELD_UNITS + CHARACTER_UNITS * characters)) yield;
  }

  *#json(value: JsonValue): Steps<void> {
    if (value === null) return;
    const text = new JsonTextSteps(this.#work, asWritten);
    yield* text.value(value);
    this.#writer.lengthDelimited(encodeUtf8(text.take()));
    this.#writer.tag(1, WireType.bytes);
  }

  *#repeated(field: FieldPlan, number: number, value: JsonValue | undefined): Steps<void> {
    if (!isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index -= 1) yield* this.#tagged(field, number, value[index]);
  }

  *#map(field: FieldPlan, value: JsonValue | undefined): Steps<void> {
    if (!isJsonObject(value)) return;
    const keys = yield* sortedSteps(yield* keysInSteps(value, this.#work), byCodeUnits, this.#work);
    for (let index = keys.length - 1; index >= 0; index -= 1) {
      const key = keys[index] as string;
      const member = value[key];
      if (member !== undefined) yield* this.#nested(field.number, this.#entry(field, key, member));
    }
  }

  *#entry(field: FieldPlan, key: string, value: JsonValue): Steps<void> {
    if (field.wrappedValues) yield* this.#nested(2, this.#repeated(field, 1, value));
    else yield* this.#tagged(field, 2, value);
    this.#writer.string(key);
    this.#writer.tag(1, WireType.bytes);
  }

  /** Writes a message with its length and its tag. */
  *#nested(number: number, content: Steps<void>): Steps<void> {
    const before = this.#writer.length;
    yield* content;
    this.#writer.lengthSince(before);
    this.#writer.tag(number, WireType.bytes);
  }
}

/** The order of `sort` without a function. */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const asWritten = (text: string): string => text;
