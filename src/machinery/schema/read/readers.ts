import { cloneJson, type Steps, type Work } from '../../../foundation/index.js';
import { embeddedFieldsOf, isObjectMeta } from '../define/object-meta.js';
import type { StructuralSchema, Variants } from '../define/structural.js';
import { scalarOf, type Scalar } from './scalars.js';
import { Field, isText, StructReader } from './struct-reader.js';
import {
  anyReader,
  LeafReader,
  ListReader,
  MapReader,
  OpenReader,
  pruned,
  VariantsReader,
  type Reader,
} from './value-readers.js';

/**
 * The rules for reading an object: `builtin` decodes into typed structs, like built-in kinds of Kubernetes; `user`
 * keeps every value as sent, like custom resources. Both read metadata by the built-in rules.
 */
export type Origin = 'builtin' | 'user';

type Readers = Readonly<Record<Origin, WeakMap<StructuralSchema, Reader>>>;

const readers: Readers = { builtin: new WeakMap(), user: new WeakMap() };

/** The readers of the items of lists that preserve unknown fields. */
const preservingReaders: Readers = { builtin: new WeakMap(), user: new WeakMap() };

/** Returns the fields of an object type, including those of an embedded object. */
export function fieldsOf(schema: StructuralSchema): ReadonlyMap<string, StructuralSchema> | undefined {
  return schema.embeddedResource === true ? embeddedFieldsOf(schema) : schema.properties;
}

/**
 * Returns whether unknown fields of a value are kept: by its own schema, or by that of a list around it. As in
 * Kubernetes, declared fields end what a list preserves, but a list in the list does not.
 */
export const preservesUnknown = (schema: StructuralSchema, inPreservingList: boolean): boolean =>
  inPreservingList || schema.preserveUnknownFields === true;

/** Returns whether values of any type are read by the schemas of their members: unknown fields are kept, others are read. */
export const isOpenContainer = ({ type, properties, additionalProperties, items }: StructuralSchema): boolean =>
  type === 'any' && (properties !== undefined || additionalProperties !== undefined || items !== undefined);

/**
 * Returns the reader of a schema, created on first use. A recursive schema has a recursive reader.
 *
 * @param inPreservingList true for the items of a list that preserves unknown fields
 */
export function readerOf(schema: StructuralSchema, kindOrigin: Origin, inPreservingList = false): Reader {
  const origin = isObjectMeta(schema) ? 'builtin' : kindOrigin;
  const preserves = preservesUnknown(schema, inPreservingList);
  const cache = (inPreservingList ? preservingReaders : readers)[origin];
  const known = cache.get(schema);
  if (known !== undefined) return known;
  const typed = origin === 'builtin';
  const remember = <Kind extends Reader>(reader: Kind): Kind => {
    cache.set(schema, reader);
    return reader;
  };
  const scalar = scalarOf(schema);
  if (scalar !== undefined) return remember(scalarReader(scalar, preserves, typed));
  if (schema.type === 'array') return fillList(remember(new ListReader(typed, preserves)), schema, origin);
  if (schema.variants !== undefined)
    return fillVariants(remember(new VariantsReader(schema.variants.boolean !== undefined)), schema.variants, origin);
  if (isOpenContainer(schema) && !typed) {
    const reader = remember(new OpenReader());
    reader.list = fillList(new ListReader(typed, true), schema, origin);
    reader.object = objectReader(schema, origin, true, (made) => made);
    return reader;
  }
  return schema.type === 'object' ? objectReader(schema, origin, preserves, remember) : remember(anyReader);
}

/** Returns the reader of an object; it is remembered before it is filled, since its schema may be recursive. */
function objectReader(
  schema: StructuralSchema,
  origin: Origin,
  preserves: boolean,
  remember: <Kind extends Reader>(reader: Kind) => Kind,
): Reader {
  const typed = origin === 'builtin';
  const fields = fieldsOf(schema);
  if (fields === undefined && schema.additionalProperties !== undefined)
    return fillMap(remember(new MapReader(typed, preserves)), schema.additionalProperties, origin);
  return fillStruct(remember(new StructReader(typed, preserves)), schema, fields ?? NO_FIELDS, origin);
}

const NO_FIELDS: ReadonlyMap<string, StructuralSchema> = new Map();

function scalarReader({ decode, zero }: Scalar, preserves: boolean, typed: boolean): Reader {
  if (typed) return new LeafReader((value) => decode(value), zero);
  // As structural schemas prune, an object in place of a scalar becomes empty, and a list keeps its items.
  return new LeafReader(preserves ? cloneJson : pruned, zero);
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

function fillList(reader: ListReader, schema: StructuralSchema, origin: Origin): ListReader {
  if (schema.items === undefined) return reader;
  reader.items = readerOf(schema.items, origin, reader.preserves);
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

const fieldOf = (name: string, schema: StructuralSchema, origin: Origin): Field =>
  new Field(name, schema, readerOf(schema, origin), origin === 'builtin' || isObjectMeta(schema));

/** Units of work to make the reader of a field. */
const FIELD_UNITS = 20;

/** Makes the reader of a schema as {@link readerOf} does, with a pause between two fields of a large object. */
export function* readerInSteps(schema: StructuralSchema, origin: Origin, work: Work): Steps<void> {
  const cache = readers[origin];
  const { properties, type } = schema;
  const isPlain = type === 'object' && schema.variants === undefined && schema.embeddedResource !== true;
  if (cache.has(schema) || properties === undefined || !isPlain || isObjectMeta(schema)) {
    readerOf(schema, origin);
    return;
  }
  const fields: Field[] = [];
  for (const [name, field] of properties) {
    if (work.spend(FIELD_UNITS)) yield;
    fields.push(fieldOf(name, field, origin));
  }
  const reader = fillStruct(
    new StructReader(origin === 'builtin', preservesUnknown(schema, false)),
    schema,
    NO_FIELDS,
    origin,
  );
  reader.fields = fields;
  reader.names = properties;
  cache.set(schema, reader);
}

function fillStruct(
  reader: StructReader,
  schema: StructuralSchema,
  fields: ReadonlyMap<string, StructuralSchema>,
  origin: Origin,
): StructReader {
  reader.fields = [...fields].map(([name, field]) => fieldOf(name, field, origin));
  reader.names = fields;
  if (schema.additionalProperties !== undefined)
    reader.rest = fillMap(new MapReader(origin === 'builtin', reader.preserves), schema.additionalProperties, origin);
  return reader;
}
