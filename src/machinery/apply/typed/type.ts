/**
 * The merge facts of a schema: how each value divides into fields and items that can be owned.
 *
 * @module
 */
import { isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { isObjectMeta } from '../../schema/define/object-meta.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { zeroStruct } from '../../schema/define/zero-value.js';
import { fieldsOf as schemaFields, isOpenContainer } from '../../schema/read/readers.js';
import { fieldElement, type PathElement } from '../fieldpath/element.js';
import { ItemElementCache } from './item-element-cache.js';

/** The type of a scalar; `untyped` accepts every scalar. */
export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

/**
 * How a value is merged. A node of an unstructured part may be any of the three; the value decides.
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
  /** True when the field is written even without a value, so a new object already has it. */
  readonly always: boolean;
}

/** Fields by their names. */
export type FieldsByName = Pick<ReadonlyMap<string, Field>, 'get' | 'has'>;

/** A struct or a map. */
export interface MapType {
  /** True when one manager owns it as a whole. */
  readonly atomic: boolean;
  /** The declared fields by name; none for a map. */
  readonly fields: FieldsByName;
  /** Type of undeclared members; undefined when they are not allowed. */
  readonly element: Type | undefined;
  /** The zero value of a struct: its fields with presence `always`. */
  readonly zero: JsonObject;
}

/** Returns the zero object, which a create starts from: only the fields that its type always writes. */
export const zeroObject = (type: Type): JsonObject => type.map?.zero ?? EMPTY_OBJECT;
const EMPTY_OBJECT: JsonObject = Object.freeze({});

/** A list. */
export interface ListType {
  /** True when one manager owns it as a whole. */
  readonly atomic: boolean;
  /** Fields that identify items, sorted; empty when the value identifies an item. */
  readonly keys: readonly ListKey[];
  readonly element: Type;
  /** Cache of the elements of its items. */
  readonly elementCache: ItemElementCache | undefined;
}

/** One of the fields that identify the items of a list. */
export interface ListKey {
  readonly name: string;
  /** Default value for an item without the field. */
  readonly default: JsonValue | undefined;
}

const NO_FIELDS: ReadonlyMap<string, Field> = new Map();

/** An item of the atomic lists in unstructured parts: any value, owned as a whole. */
const UNSTRUCTURED_ITEM: Type = {
  scalar: 'untyped',
  get list(): ListType {
    return UNSTRUCTURED_LIST;
  },
  get map(): MapType {
    return UNSTRUCTURED_ITEM_MAP;
  },
};
const UNSTRUCTURED_LIST: ListType = { atomic: true, keys: [], element: UNSTRUCTURED_ITEM, elementCache: undefined };
const UNSTRUCTURED_ITEM_MAP: MapType = {
  atomic: true,
  fields: NO_FIELDS,
  element: UNSTRUCTURED_ITEM,
  zero: Object.freeze({}),
};

/** A part without a schema: keys are fields, lists are atomic. */
export const UNSTRUCTURED: Type = {
  scalar: 'untyped',
  list: UNSTRUCTURED_LIST,
  get map(): MapType {
    return UNSTRUCTURED_MAP;
  },
};
const UNSTRUCTURED_MAP: MapType = { atomic: false, fields: NO_FIELDS, element: UNSTRUCTURED, zero: Object.freeze({}) };

/**
 * The types of schemas. Each type is created once, since nodes may refer to themselves. List types cache elements, so
 * each field manager has its own types.
 */
export class Types {
  readonly #known = new Map<StructuralSchema, Type>();
  readonly #open = new Map<StructuralSchema, Type>();

  /**
   * Returns the merge facts of a schema node.
   *
   * @param isOpen true below a node that preserves unknown fields: an intent may have any fields in all that is below it
   */
  of(schema: StructuralSchema, isOpen = false): Type {
    const open = (isOpen && !isObjectMeta(schema)) || schema.preserveUnknownFields === true;
    const known = open ? this.#open : this.#known;
    let type = known.get(schema);
    if (type === undefined) known.set(schema, (type = createType(schema, { types: this, isOpen: open })));
    return type;
  }
}

/** Returns the merge facts of a schema. */
export const typeOf = (schema: StructuralSchema): Type => new Types().of(schema);

/** The context of a type: the others, and whether unknown fields are allowed in it. */
interface Surroundings {
  readonly types: Types;
  readonly isOpen: boolean;
}

function createType(schema: StructuralSchema, around: Surroundings): Type {
  switch (schema.type) {
    case 'any':
      if (!isOpenContainer(schema)) return UNSTRUCTURED;
      return { scalar: 'untyped', map: new SchemaMap(schema, around), list: new SchemaList(schema, around) };
    case 'object':
      return { scalar: undefined, map: new SchemaMap(schema, around), list: undefined };
    case 'array':
      return { scalar: undefined, map: undefined, list: new SchemaList(schema, around) };
    default:
      return { scalar: scalarOf(schema), map: undefined, list: undefined };
  }
}

function scalarOf(schema: StructuralSchema): ScalarType {
  if (schema.type === 'integer' || schema.type === 'number') return 'numeric';
  if (schema.type === 'boolean') return 'boolean';
  // Quantities are numbers or text, and times are whatever their parser accepts.
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
  readonly #around: Surroundings;
  #fields: FieldsByName | undefined;
  #element: Type | null | undefined;
  #zero: JsonObject | undefined;

  constructor(schema: StructuralSchema, around: Surroundings) {
    this.#schema = schema;
    this.#around = around;
    this.atomic = schema.mapType === 'atomic';
  }

  get fields(): FieldsByName {
    return (this.#fields ??= fieldsOf(this.#schema, this.#around));
  }

  get element(): Type | undefined {
    if (this.#element === undefined) this.#element = elementOfMap(this.#schema, this.#around) ?? null;
    return this.#element ?? undefined;
  }

  get zero(): JsonObject {
    return (this.#zero ??= zeroStruct(this.#schema));
  }
}

function fieldsOf(schema: StructuralSchema, around: Surroundings): FieldsByName {
  const properties = schemaFields(schema);
  return properties === undefined ? NO_FIELDS : new SchemaMapFields(properties, around);
}

/** The fields of a struct. Each is made when an object first has it: a schema may have many more than any object. */
class SchemaMapFields implements FieldsByName {
  readonly #properties: ReadonlyMap<string, StructuralSchema>;
  readonly #around: Surroundings;
  readonly #made = new Map<string, Field>();

  constructor(properties: ReadonlyMap<string, StructuralSchema>, around: Surroundings) {
    this.#properties = properties;
    this.#around = around;
  }

  has(name: string): boolean {
    return this.#properties.has(name);
  }

  get(name: string): Field | undefined {
    return this.#made.get(name) ?? this.#make(name);
  }

  #make(name: string): Field | undefined {
    const property = this.#properties.get(name);
    if (property === undefined) return undefined;
    const { types, isOpen } = this.#around;
    const field: Field = {
      name,
      element: fieldElement(name),
      type: types.of(property, isOpen),
      always: property.presence === 'always',
    };
    this.#made.set(name, field);
    return field;
  }
}

function elementOfMap(schema: StructuralSchema, { types, isOpen }: Surroundings): Type | undefined {
  if (schema.additionalProperties !== undefined) return types.of(schema.additionalProperties, isOpen);
  // As in Kubernetes, an object without declared fields has any fields.
  return isOpen || schema.properties === undefined || schema.properties.size === 0 ? UNSTRUCTURED : undefined;
}

class SchemaList implements ListType {
  readonly atomic: boolean;
  readonly keys: readonly ListKey[];
  readonly elementCache = new ItemElementCache();
  readonly #schema: StructuralSchema;
  readonly #around: Surroundings;
  #element: Type | undefined;

  constructor(schema: StructuralSchema, around: Surroundings) {
    this.#schema = schema;
    this.#around = around;
    const { atomic, keys } = relationship(schema);
    this.atomic = atomic;
    this.keys = [...keys].sort().map((name) => ({ name, default: schema.items?.properties?.get(name)?.default }));
  }

  get element(): Type {
    return (this.#element ??=
      this.#schema.items === undefined ? UNSTRUCTURED : this.#around.types.of(this.#schema.items, this.#around.isOpen));
  }
}

/** Returns how the items of a list are merged. Without a list type, the strategic merge facts decide. */
function relationship(schema: StructuralSchema): { atomic: boolean; keys: readonly string[] } {
  if (schema.listType === 'map') return { atomic: false, keys: schema.listMapKeys ?? [] };
  if (schema.listType === 'set') return { atomic: false, keys: [] };
  if (schema.listType === 'atomic' || schema.patchStrategy?.split(',').includes('merge') !== true)
    return { atomic: true, keys: [] };
  return { atomic: false, keys: schema.patchMergeKey === undefined ? [] : [schema.patchMergeKey] };
}

/** The form of a type that applies to a value. */
export type Shape = 'map' | 'scalar' | 'list';

/** Returns the value's form when its type allows it; otherwise the type's first form, which the value then violates. */
export function shapeOf(type: Type, value: JsonValue): Shape {
  if (typeof value !== 'object') {
    if (type.scalar !== undefined) return 'scalar';
  } else if (isArray(value)) {
    if (type.list !== undefined) return 'list';
  } else if (value !== null && type.map !== undefined) return 'map';
  if (type.map !== undefined) return 'map';
  return type.scalar !== undefined ? 'scalar' : 'list';
}
