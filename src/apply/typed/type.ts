/**
 * The merge facts of a schema: how each value is taken apart into fields and items that can be owned.
 *
 * @module
 */
import { isArray, type JsonObject, type JsonValue } from '../../meta/json.js';
import { fieldsOf as schemaFields } from '../../schema/readers.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { fieldElement, type PathElement } from '../fieldpath/element.js';
import { SeenItems } from './seen-items.js';

/** What a scalar may be; `untyped` takes every scalar. */
export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

/**
 * How a value is merged. A node of an unstructured part may be any of the three, and the value decides.
 */
export interface Type {
  readonly scalar: ScalarType | undefined;
  readonly map: MapType | undefined;
  readonly list: ListType | undefined;
}

/** A declared field of a struct. */
export interface Field {
  readonly name: string;
  readonly element: PathElement;
  readonly type: Type;
  /** Written even when nobody set it, so that an object that has just come to be has it already. */
  readonly always: boolean;
}

/** A struct or a map. */
export interface MapType {
  /** Owned as a whole. */
  readonly atomic: boolean;
  /** The declared fields; none in a map. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Type of what is not declared; undefined when nothing else may be there. */
  readonly element: Type | undefined;
  /** The value of a struct of this type that nobody has written to: its fields of presence `always`. */
  readonly zero: JsonObject;
}

/** A list. */
export interface ListType {
  /** Owned as a whole. */
  readonly atomic: boolean;
  /** Fields that tell items apart, sorted; empty when items are told apart by their value. */
  readonly keys: readonly ListKey[];
  readonly element: Type;
  /** Elements of its items, remembered. */
  readonly seen: SeenItems | undefined;
}

/** One of the fields that tell the items of a list apart. */
export interface ListKey {
  readonly name: string;
  /** Value of an item that does not have the field. */
  readonly default: JsonValue | undefined;
}

const NO_FIELDS: ReadonlyMap<string, Field> = new Map();

/** What is in the lists of unstructured parts, which are atomic: anything, owned as a whole. */
const UNSTRUCTURED_ITEM: Type = {
  scalar: 'untyped',
  get list(): ListType {
    return UNSTRUCTURED_LIST;
  },
  get map(): MapType {
    return UNSTRUCTURED_ITEM_MAP;
  },
};
const UNSTRUCTURED_LIST: ListType = { atomic: true, keys: [], element: UNSTRUCTURED_ITEM, seen: undefined };
const UNSTRUCTURED_ITEM_MAP: MapType = {
  atomic: true,
  fields: NO_FIELDS,
  element: UNSTRUCTURED_ITEM,
  zero: Object.freeze({}),
};

/** A part without schema: keys are fields, lists are atomic. */
export const UNSTRUCTURED: Type = {
  scalar: 'untyped',
  list: UNSTRUCTURED_LIST,
  get map(): MapType {
    return UNSTRUCTURED_MAP;
  },
};
const UNSTRUCTURED_MAP: MapType = { atomic: false, fields: NO_FIELDS, element: UNSTRUCTURED, zero: Object.freeze({}) };

/** The types of schemas, each made once, since nodes may refer to themselves. Lists remember items that they met, so that types belong to whom they work for. */
export class Types {
  readonly #known = new Map<StructuralSchema, Type>();

  /** The merge facts of a schema node. */
  of(schema: StructuralSchema): Type {
    let type = this.#known.get(schema);
    if (type === undefined) this.#known.set(schema, (type = makeType(schema, this)));
    return type;
  }
}

/** The merge facts of a schema. */
export const typeOf = (schema: StructuralSchema): Type => new Types().of(schema);

function makeType(schema: StructuralSchema, types: Types): Type {
  switch (schema.type) {
    case 'any':
      return UNSTRUCTURED;
    case 'object':
      return { scalar: undefined, map: new SchemaMap(schema, types), list: undefined };
    case 'array':
      return { scalar: undefined, map: undefined, list: new SchemaList(schema, types) };
    default:
      return { scalar: scalarOf(schema), map: undefined, list: undefined };
  }
}

function scalarOf(schema: StructuralSchema): ScalarType {
  if (schema.type === 'integer' || schema.type === 'number') return 'numeric';
  if (schema.type === 'boolean') return 'boolean';
  // Quantities come as numbers or text, and times as whatever their parser takes.
  return schema.type === 'string' &&
    schema.format !== 'date-time' &&
    schema.format !== 'micro-time' &&
    schema.format !== 'quantity'
    ? 'string'
    : 'untyped';
}

class SchemaMap implements MapType {
  readonly atomic: boolean;
  readonly #schema: StructuralSchema;
  readonly #types: Types;
  #fields: ReadonlyMap<string, Field> | undefined;
  #element: Type | null | undefined;
  #zero: JsonObject | undefined;

  constructor(schema: StructuralSchema, types: Types) {
    this.#schema = schema;
    this.#types = types;
    this.atomic = schema.mapType === 'atomic';
  }

  get fields(): ReadonlyMap<string, Field> {
    return (this.#fields ??= fieldsOf(this.#schema, this.#types));
  }

  get element(): Type | undefined {
    if (this.#element === undefined) this.#element = elementOfMap(this.#schema, this.#types) ?? null;
    return this.#element ?? undefined;
  }

  get zero(): JsonObject {
    return (this.#zero ??= zeroOf(this.#schema));
  }
}

function fieldsOf(schema: StructuralSchema, types: Types): ReadonlyMap<string, Field> {
  const properties = schemaFields(schema);
  if (properties === undefined) return NO_FIELDS;
  const fields = new Map<string, Field>();
  for (const [name, property] of properties) {
    fields.set(name, {
      name,
      element: fieldElement(name),
      type: types.of(property),
      always: property.presence === 'always',
    });
  }
  return fields;
}

function elementOfMap(schema: StructuralSchema, types: Types): Type | undefined {
  if (schema.additionalProperties !== undefined) return types.of(schema.additionalProperties);
  return schema.preserveUnknownFields === true ? UNSTRUCTURED : undefined;
}

function zeroOf(schema: StructuralSchema): JsonObject {
  const zero: Record<string, JsonValue> = {};
  for (const [name, property] of schema.properties ?? [])
    if (property.presence === 'always') zero[name] = zeroValue(property);
  return Object.freeze(zero);
}

/** The value of a field that is always written and that nobody has set. */
function zeroValue(schema: StructuralSchema): JsonValue {
  if (schema.nullable === true) return null;
  if (schema.type === 'object') return schema.properties === undefined ? null : zeroOf(schema);
  if (schema.format === 'quantity') return '0';
  // Bytes and times are written as null.
  if (schema.type === 'string') return schema.format === undefined ? '' : null;
  if (schema.type === 'boolean') return false;
  return schema.type === 'array' || schema.type === 'any' ? null : 0;
}

class SchemaList implements ListType {
  readonly atomic: boolean;
  readonly keys: readonly ListKey[];
  readonly seen = new SeenItems();
  readonly #schema: StructuralSchema;
  readonly #types: Types;
  #element: Type | undefined;

  constructor(schema: StructuralSchema, types: Types) {
    this.#schema = schema;
    this.#types = types;
    const { atomic, keys } = relationship(schema);
    this.atomic = atomic;
    this.keys = [...keys].sort().map((name) => ({ name, default: schema.items?.properties?.get(name)?.default }));
  }

  get element(): Type {
    return (this.#element ??= this.#schema.items === undefined ? UNSTRUCTURED : this.#types.of(this.#schema.items));
  }
}

/** What the schema says of a list; where it names no list type, the strategic merge facts count. */
function relationship(schema: StructuralSchema): { atomic: boolean; keys: readonly string[] } {
  if (schema.listType === 'map') return { atomic: false, keys: schema.listMapKeys ?? [] };
  if (schema.listType === 'set') return { atomic: false, keys: [] };
  if (schema.listType === 'atomic' || schema.patchStrategy?.split(',').includes('merge') !== true)
    return { atomic: true, keys: [] };
  return { atomic: false, keys: schema.patchMergeKey === undefined ? [] : [schema.patchMergeKey] };
}

/** Which of a type's forms counts for a value. */
export type Shape = 'map' | 'scalar' | 'list';

/** The form that the value has, if its type has it too; else the type's first, which the value then fails. */
export function shapeOf(type: Type, value: JsonValue): Shape {
  if (typeof value !== 'object') {
    if (type.scalar !== undefined) return 'scalar';
  } else if (isArray(value)) {
    if (type.list !== undefined) return 'list';
  } else if (value !== null && type.map !== undefined) return 'map';
  if (type.map !== undefined) return 'map';
  return type.scalar !== undefined ? 'scalar' : 'list';
}
