import { ownMember, setOwnMember } from '../encoding/own-property.js';
import {
  cloneJson,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../meta/json.js';
import { BOOLEAN_OR_OBJECT, ScalarError, jsonTypeName } from './decode-error.js';
import { embeddedFields, isObjectMeta } from './object-meta.js';
import { scalarOf, textDecoder, type Scalar } from './scalars.js';
import type { StructuralSchema, Variants } from './structural.js';

/**
 * The rules for reading an object: `builtin` decodes into typed structs, like built-in kinds of Kubernetes; `user`
 * keeps every value as sent, like custom resources. Both read metadata by the built-in rules.
 */
export type Origin = 'builtin' | 'user';

/** State of one read. */
export interface ReadState {
  /** True when an unknown field was found. A second walk names it. */
  unknown: boolean;
  /** For `user`: keeps a null in a field that is not nullable and has no default, so that validation refuses it. */
  readonly keepNulls: boolean;
}

/**
 * Copies one value by its schema. A reader is created once per schema and origin, and used for every object.
 */
export abstract class Reader {
  /** Returns the value that is written when a required value is absent. */
  abstract zero(state: ReadState): MutableJsonValue;
  /** Returns a copy of the value, which is not null. */
  abstract read(value: JsonValue, state: ReadState): MutableJsonValue;
}

/** Copies a scalar, or a value of any type. */
class LeafReader extends Reader {
  readonly #copy: (value: JsonValue, state: ReadState) => MutableJsonValue;
  readonly #empty: MutableJsonValue;

  constructor(copy: (value: JsonValue, state: ReadState) => MutableJsonValue, empty: MutableJsonValue) {
    super();
    this.#copy = copy;
    this.#empty = empty;
  }
  override zero(): MutableJsonValue {
    return this.#empty;
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    return this.#copy(value, state);
  }
}

/** Prunes a value whose shape differs from its schema: its fields are unknown, and its lists keep their items. */
function pruned(value: JsonValue, state: ReadState): MutableJsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => pruned(item, state));
  for (const key in value as JsonObject) if ((value as JsonObject)[key] !== undefined) state.unknown = true;
  return {};
}

/** Reads a value with one of several JSON types. Null takes the place of a value with none of them. */
class VariantsReader extends Reader {
  object: Reader = anyReader;
  list: Reader | undefined;
  readonly #allowsBoolean: boolean;

  constructor(allowsBoolean: boolean) {
    super();
    this.#allowsBoolean = allowsBoolean;
  }
  override zero(): MutableJsonValue {
    return null;
  }
  override read(value: JsonValue, { keepNulls }: ReadState): MutableJsonValue {
    const unreported: ReadState = { unknown: false, keepNulls };
    if (Array.isArray(value))
      return this.list === undefined ? this.#otherwise() : nullIfEmpty(this.list.read(value, unreported));
    if (typeof value === 'object') return this.object.read(value, unreported);
    return typeof value === 'boolean' && this.#allowsBoolean ? value : this.#otherwise();
  }
  #otherwise(): null {
    if (this.#allowsBoolean) throw new ScalarError('', BOOLEAN_OR_OBJECT);
    return null;
  }
}

const nullIfEmpty = (value: MutableJsonValue): MutableJsonValue =>
  Array.isArray(value) && value.length === 0 ? null : value;

/** Reads objects and lists. */
abstract class ContainerReader extends Reader {
  /** True for a built-in kind, whose values must have the shape of their schema. */
  readonly typed: boolean;
  /** True when a value of another shape is kept. */
  preserves = false;

  constructor(typed: boolean) {
    super();
    this.typed = typed;
  }

  /** Reads a value of another shape. @throws ScalarError for a built-in kind */
  readOther(value: JsonValue, state: ReadState): MutableJsonValue {
    if (this.typed) throw new ScalarError(jsonTypeName(value));
    return this.preserves ? cloneJson(value) : pruned(value, state);
  }
}

class ListReader extends ContainerReader {
  items: Reader = anyReader;
  itemDefault: JsonValue | undefined;
  itemNullable = false;

  override zero(): MutableJsonValue {
    return [];
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (!Array.isArray(value)) return this.readOther(value, state);
    const input: readonly JsonValue[] = value;
    const { items } = this;
    const copy: MutableJsonValue[] = [];
    for (let index = 0; index < input.length; index += 1) {
      const item = input[index] as JsonValue;
      copy.push(item === null ? this.#replacement(state) : items.read(item, state));
    }
    return copy;
  }
  /** Returns the replacement of a null item, which cannot be dropped without moving the others. */
  #replacement(state: ReadState): MutableJsonValue {
    if (this.itemNullable) return null;
    if (this.itemDefault !== undefined) return this.items.read(this.itemDefault, state);
    return this.typed ? this.items.zero(state) : null;
  }
}

class MapReader extends ContainerReader {
  values: Reader = anyReader;
  valueDefault: JsonValue | undefined;
  valueNullable = false;
  texts = false;

  override zero(): MutableJsonValue {
    return {};
  }
  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (typeof value !== 'object' || Array.isArray(value)) return this.readOther(value, state);
    const copy: MutableJsonObject = {};
    for (const key in value as JsonObject) this.member(value as JsonObject, key, copy, state);
    return copy;
  }
  /** Copies one entry. */
  member(input: JsonObject, key: string, copy: MutableJsonObject, state: ReadState): void {
    const member = input[key];
    if (member === undefined) return;
    // Most maps hold texts, which need no copy.
    const read =
      typeof member === 'string' && this.texts
        ? member
        : member === null
          ? this.#replacement(state)
          : this.values.read(member, state);
    if (read === undefined) return;
    if (key === '__proto__') setOwnMember(copy, key, read);
    else copy[key] = read;
  }
  #replacement(state: ReadState): MutableJsonValue | undefined {
    if (this.valueNullable) return null;
    if (this.valueDefault !== undefined) return this.values.read(this.valueDefault, state);
    if (this.typed) return this.values.zero(state);
    return state.keepNulls ? null : undefined;
  }
}

/** One field of a struct, with all decisions that its schema allows. */
class Field {
  readonly omits: boolean;
  readonly always: boolean;
  /** True when a value may be written although the client sent none. */
  readonly fills: boolean;
  /** True when every object inherits a member of this name, so that only an own member counts. */
  readonly inherited: boolean;
  readonly text: boolean;

  readonly name: string;
  readonly #schema: StructuralSchema;
  readonly reader: Reader;
  readonly #typed: boolean;

  constructor(name: string, schema: StructuralSchema, reader: Reader, typed: boolean) {
    this.name = name;
    this.#schema = schema;
    this.reader = reader;
    this.#typed = typed;
    this.omits = schema.presence === 'omit';
    this.always = schema.presence === 'always';
    this.fills = this.always || schema.default !== undefined;
    this.inherited = name in Object.prototype;
    this.text = isText(schema);
  }

  /** Returns the value of a field that is absent, or empty when that means the same. */
  missing(state: ReadState): MutableJsonValue | undefined {
    if (this.#schema.default !== undefined) return this.reader.read(this.#schema.default, state);
    if (!this.always) return undefined;
    return this.#schema.nullable === true ? null : this.reader.zero(state);
  }

  /** Returns the value of a field that the client set to null. */
  null(state: ReadState): MutableJsonValue | undefined {
    const { nullable, default: fallback } = this.#schema;
    // In a built-in kind null means that there is no value: the default applies.
    if (nullable === true && !(this.#typed && fallback !== undefined)) return null;
    if (this.fills) return this.missing(state);
    return !this.#typed && state.keepNulls ? null : undefined;
  }
}

/** Returns true for an empty value, which means the same as an absent one. */
function isEmpty(value: MutableJsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}

class StructReader extends ContainerReader {
  fields: readonly Field[] = [];
  names: ReadonlySet<string> = new Set();
  /** Reads undeclared fields when the schema has a type for them. */
  rest: MapReader | undefined;

  override zero(state: ReadState): MutableJsonValue {
    return this.read({}, state);
  }

  override read(value: JsonValue, state: ReadState): MutableJsonValue {
    if (typeof value !== 'object' || Array.isArray(value)) return this.readOther(value, state);
    const input = value as JsonObject;
    const copy: MutableJsonObject = {};
    let left = 0;
    for (const key in input) if (input[key] !== undefined) left += 1;
    const { fields } = this;
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] as Field;
      const { name } = field;
      const member = field.inherited ? ownMember(input, name) : input[name];
      if (member === undefined) {
        if (field.fills) write(copy, field, field.missing(state));
        continue;
      }
      left -= 1;
      if (typeof member === 'string' && member !== '' && field.text && !field.inherited) copy[name] = member;
      else this.#known(copy, field, member, state);
    }
    // Every member that remains is unknown.
    if (left !== 0) {
      if (this.rest === undefined && !this.preserves) state.unknown = true;
      else this.#unknown(input, copy, state);
    }
    return copy;
  }

  #known(copy: MutableJsonObject, field: Field, member: JsonValue, state: ReadState): void {
    if (member === null) return write(copy, field, field.null(state));
    const read = field.reader.read(member, state);
    if (field.omits && isEmpty(read)) return write(copy, field, field.missing(state));
    write(copy, field, read);
  }

  #unknown(input: JsonObject, copy: MutableJsonObject, state: ReadState): void {
    for (const key in input) {
      const member = input[key];
      if (member === undefined || this.names.has(key)) continue;
      if (this.rest !== undefined) this.rest.member(input, key, copy, state);
      else setOwnMember(copy, key, cloneJson(member));
    }
  }
}

function write(copy: MutableJsonObject, field: Field, value: MutableJsonValue | undefined): void {
  if (value === undefined) return;
  if (field.inherited) setOwnMember(copy, field.name, value);
  else copy[field.name] = value;
}

const anyReader = new LeafReader(cloneJson, null);

const readers: Readonly<Record<Origin, WeakMap<StructuralSchema, Reader>>> = {
  builtin: new WeakMap(),
  user: new WeakMap(),
};

/** Returns the fields of an object type, including those of an embedded object. */
export function fieldsOf(schema: StructuralSchema): ReadonlyMap<string, StructuralSchema> | undefined {
  if (schema.embeddedResource !== true) return schema.properties;
  return new Map([...embeddedFields, ...(schema.properties ?? [])]);
}

/** Returns the reader of a schema, created on first use. A recursive schema has a recursive reader. */
export function readerOf(schema: StructuralSchema, kindOrigin: Origin): Reader {
  const origin = isObjectMeta(schema) ? 'builtin' : kindOrigin;
  const known = readers[origin].get(schema);
  if (known !== undefined) return known;
  const typed = origin === 'builtin';
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return remember(schema, origin, scalarReader(scalar, schema, typed));
  if (schema.type === 'array') return fillList(remember(schema, origin, new ListReader(typed)), schema, origin);
  if (schema.variants !== undefined)
    return fillVariants(
      remember(schema, origin, new VariantsReader(schema.variants.boolean !== undefined)),
      schema.variants,
      origin,
    );
  if (schema.type !== 'object') return remember(schema, origin, anyReader);
  const fields = fieldsOf(schema);
  if (fields === undefined && schema.additionalProperties !== undefined) {
    const reader = remember(schema, origin, new MapReader(typed));
    reader.preserves = schema.preserveUnknownFields === true;
    return fillMap(reader, schema.additionalProperties, origin);
  }
  return fillStruct(
    remember(schema, origin, new StructReader(typed)),
    schema,
    fields ?? new Map<string, StructuralSchema>(),
    origin,
  );
}

function scalarReader({ decode, zero }: Scalar, schema: StructuralSchema, typed: boolean): Reader {
  if (typed) return new LeafReader((value) => decode(value), zero);
  // As structural schemas prune, an object in place of a scalar becomes empty, and a list keeps its items.
  return new LeafReader(schema.preserveUnknownFields === true ? cloneJson : pruned, zero);
}

/** Returns true for plain texts, which no format changes. */
const isText = (schema: StructuralSchema): boolean =>
  schema.type === 'string' && scalarOf(schema)?.decode === textDecoder;

function remember<Kind extends Reader>(schema: StructuralSchema, origin: Origin, reader: Kind): Kind {
  readers[origin].set(schema, reader);
  return reader;
}

function fillVariants(reader: VariantsReader, { message, object, list }: Variants, origin: Origin): Reader {
  const readerOfForm = (field: string): Reader => {
    const form = message.properties?.get(field);
    if (form === undefined) throw new TypeError(`the message of a variant has no field ${field}`);
    return readerOf(form, origin);
  };
  reader.object = readerOfForm(object);
  if (list !== undefined) reader.list = readerOfForm(list);
  return reader;
}

function fillList(reader: ListReader, schema: StructuralSchema, origin: Origin): Reader {
  reader.preserves = schema.preserveUnknownFields === true;
  if (schema.items === undefined) return reader;
  reader.items = readerOf(schema.items, origin);
  reader.itemDefault = schema.items.default;
  reader.itemNullable = schema.items.nullable === true;
  return reader;
}

function fillMap(reader: MapReader, values: StructuralSchema, origin: Origin): MapReader {
  reader.values = readerOf(values, origin);
  reader.valueDefault = values.default;
  reader.valueNullable = values.nullable === true;
  reader.texts = isText(values);
  return reader;
}

function fillStruct(
  reader: StructReader,
  schema: StructuralSchema,
  fields: ReadonlyMap<string, StructuralSchema>,
  origin: Origin,
): Reader {
  const typed = origin === 'builtin';
  reader.fields = [...fields].map(
    ([name, field]) => new Field(name, field, readerOf(field, origin), typed || isObjectMeta(field)),
  );
  reader.names = new Set(fields.keys());
  reader.preserves = schema.preserveUnknownFields === true;
  if (schema.additionalProperties !== undefined)
    reader.rest = fillMap(new MapReader(typed), schema.additionalProperties, origin);
  return reader;
}
