import { cloneJson } from '../meta/json.js';
import { embeddedFields, isObjectMeta } from './object-meta.js';
import { scalarOf, type Scalar } from './scalars.js';
import { Field, isText, StructReader } from './struct-reader.js';
import type { StructuralSchema, Variants } from './structural.js';
import { anyReader, LeafReader, ListReader, MapReader, pruned, VariantsReader, type Reader } from './value-readers.js';

/**
 * The rules for reading an object: `builtin` decodes into typed structs, like built-in kinds of Kubernetes; `user`
 * keeps every value as sent, like custom resources. Both read metadata by the built-in rules.
 */
export type Origin = 'builtin' | 'user';

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
