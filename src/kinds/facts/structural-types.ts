import { templateMetaSchema, typeMetaFields, type Presence, type StructuralSchema } from '../../machinery/index.js';
import type { FactType, FieldFacts, TypeFacts, ValueFacts } from './type-facts.js';

type Node = { -readonly [Fact in keyof StructuralSchema]: StructuralSchema[Fact] };
type Facts = Partial<StructuralSchema>;

/** Schemas of the values that are not objects, lists or maps. */
const SCALARS: Readonly<Record<Exclude<FactType, 'map' | 'array' | 'ref'>, Facts & Pick<StructuralSchema, 'type'>>> = {
  string: { type: 'string', protoKind: 'string' },
  int32: { type: 'integer', format: 'int32', protoKind: 'int32' },
  int64: { type: 'integer', format: 'int64', protoKind: 'int64' },
  bool: { type: 'boolean', protoKind: 'bool' },
  double: { type: 'number', format: 'double', protoKind: 'double' },
  bytes: { type: 'string', format: 'byte', protoKind: 'bytes' },
  quantity: {
    type: 'string',
    name: 'Quantity',
    typeDescription: 'An amount with a unit, such as 100m or 1Gi.',
    format: 'quantity',
    protoKind: 'quantity',
  },
  intOrString: {
    type: 'int-or-string',
    name: 'IntOrString',
    typeDescription: 'A number or a string.',
    protoKind: 'intOrString',
  },
  time: {
    type: 'string',
    name: 'Time',
    typeDescription: 'A time with second precision, RFC 3339.',
    format: 'date-time',
    protoKind: 'time',
  },
  microTime: {
    type: 'string',
    name: 'MicroTime',
    typeDescription: 'A time with microsecond precision, RFC 3339.',
    format: 'micro-time',
    protoKind: 'microTime',
  },
  rawExtension: {
    type: 'object',
    name: 'RawExtension',
    typeDescription: 'An object of any kind.',
    preserveUnknownFields: true,
    protoKind: 'rawExtension',
  },
  fieldsV1: {
    type: 'object',
    name: 'FieldsV1',
    typeDescription: 'A set of fields, as a tree: each key names a field, an item or a value.',
    preserveUnknownFields: true,
    protoKind: 'fieldsV1',
  },
};

/** Types that Go never omits without a pointer: structs. */
const STRUCTS: ReadonlySet<FactType> = new Set([
  'ref',
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'rawExtension',
  'fieldsV1',
]);

/** Power of ten to which the quantities of resources are rounded up. */
const RESOURCE_SCALE = -3;

const OBJECT_META = 'meta.v1.ObjectMeta';

/** How a field treats its empty value. Go omits it if `omitempty` allows; a struct without a pointer is never omitted. */
function presenceOf({ type, pointer, omitempty, required }: FieldFacts): Presence {
  // Go writes null for a required pointer, in objects that are not valid: they are never stored.
  if (pointer === true && (omitempty === true || required === true)) return 'keep';
  if (omitempty !== true) return 'always';
  return STRUCTS.has(type) ? 'always' : 'omit';
}

/**
 * The object types of a release as schemas. A type is parsed and compiled when it is first needed; every use of a type
 * shares the same fields.
 */
export class StructuralTypes {
  /** The facts of each type, by its name with the package; text until the type is needed. */
  readonly #facts = new Map<string, string>();
  readonly #schemas = new Map<string, StructuralSchema>();

  /**
   * Adds the types of a package.
   *
   * @param name name of the package, such as `core.v1`
   * @param types the facts of one type in each line, as JSON
   */
  add(name: string, types: string): void {
    for (const line of types.split('\n')) {
      const end = line.indexOf('"', TYPE_START.length);
      if (line.startsWith(TYPE_START)) this.#facts.set(`${name}.${line.slice(TYPE_START.length, end)}`, line);
    }
  }

  /** Returns whether a type has been added. */
  has(name: string): boolean {
    return this.#facts.has(name);
  }

  /**
   * Returns the schema of an object type.
   *
   * @param name name with the package: `core.v1.PodSpec`
   * @throws Error when the package of the type is not loaded
   */
  type(name: string): StructuralSchema {
    if (name === OBJECT_META) return templateMetaSchema;
    const known = this.#schemas.get(name);
    if (known !== undefined) return known;
    const schema = this.#compile(name);
    this.#schemas.set(name, schema);
    return schema;
  }

  #factsOf(name: string): TypeFacts {
    const line = this.#facts.get(name);
    if (line === undefined) throw new Error(`the package of the type ${name} is not loaded`);
    return JSON.parse(line) as TypeFacts;
  }

  #compile(fullName: string): StructuralSchema {
    const { name, fields, mapType, union, order, typeMeta } = this.#factsOf(fullName);
    const own = this.#properties(fields, order);
    const properties = typeMeta === true ? new Map([...typeMetaFields, ...own]) : own;
    const required = this.#required(fields);
    const schema: Node = {
      type: 'object',
      name,
      package: fullName.slice(0, -name.length - 1),
      presence: 'keep',
      protoKind: 'message',
      properties,
    };
    if (required.length > 0) schema.publishedRequired = required;
    if (mapType !== undefined) schema.mapType = mapType;
    if (union !== undefined) schema.unionDiscriminator = union;
    return Object.freeze(schema);
  }

  /** Returns the required fields, with those of the inlined types. */
  #required(fields: readonly FieldFacts[]): string[] {
    return fields.flatMap(({ name, inline, ref, required }) => {
      if (inline === true && ref !== undefined) return this.type(ref).publishedRequired ?? [];
      return required === true && name !== undefined ? name : [];
    });
  }

  #properties(fields: readonly FieldFacts[], order: readonly string[] | undefined): Map<string, StructuralSchema> {
    const properties = new Map<string, StructuralSchema>();
    for (const field of fields) {
      const { name, inline, ref, number } = field;
      if (inline === true && ref !== undefined) {
        for (const [inner, schema] of this.type(ref).properties ?? [])
          properties.set(inner, Object.freeze({ ...schema, protoInline: [number, ...(schema.protoInline ?? [])] }));
      } else if (name !== undefined) properties.set(name, this.#field(field));
    }
    return order === undefined ? properties : ordered(properties, order);
  }

  #field(field: FieldFacts): StructuralSchema {
    const { number, nullable, default: fallback, publishedDefault, goType } = field;
    const node: Node = { ...this.#value(field, field), presence: presenceOf(field), protoNumber: number };
    // Other fields of the type are described otherwise.
    if (field.type === 'ref') delete node.description;
    if (goType !== undefined && field.type !== 'array' && field.type !== 'map') node.goType = goType;
    // Go has a type for maps of quantities by resource.
    if (field.resourceList === true) node.goType = 'v1.ResourceList';
    // An object of any kind that is absent is written as null.
    if (nullable === true || (field.type === 'rawExtension' && field.pointer !== true)) node.nullable = true;
    if (fallback !== undefined) node.default = fallback;
    if (publishedDefault !== undefined) node.publishedDefault = publishedDefault;
    else if (fallback !== undefined) node.publishedDefault = null;
    if (field.listType !== undefined) node.listType = field.listType;
    if (field.listMapKeys !== undefined) node.listMapKeys = field.listMapKeys;
    if (field.mapType !== undefined) node.mapType = field.mapType;
    if (field.mapType !== undefined && field.type === 'ref') node.fieldMapType = field.mapType;
    if (field.patchStrategy !== undefined) node.patchStrategy = field.patchStrategy;
    if (field.patchMergeKey !== undefined) node.patchMergeKey = field.patchMergeKey;
    return Object.freeze(node);
  }

  #value(value: ValueFacts, { goType, resourceList }: Pick<FieldFacts, 'goType' | 'resourceList'> = {}): Node {
    const { type, ref, items, values, enum: closed } = value;
    const inner = goType === undefined ? {} : { goType };
    if (type === 'ref') return { ...this.type(ref ?? '') };
    if (type === 'array') {
      const item = Object.freeze({ ...this.#value(items ?? { type: 'string' }), ...inner });
      return { type: 'array', presence: 'keep', items: item };
    }
    if (type === 'map') {
      const scale = resourceList === true ? { quantityScale: RESOURCE_SCALE } : {};
      const member = Object.freeze({ ...this.#value(values ?? { type: 'string' }), ...inner, ...scale });
      return { type: 'object', presence: 'keep', protoKind: 'map', additionalProperties: member };
    }
    return { ...SCALARS[type], presence: 'keep', ...(closed === undefined ? {} : { publishedEnum: closed }) };
  }
}

const TYPE_START = '{"name":"';

/** Returns fields in an order of keys. */
function ordered(
  properties: ReadonlyMap<string, StructuralSchema>,
  order: readonly string[],
): Map<string, StructuralSchema> {
  const sorted = new Map<string, StructuralSchema>();
  for (const key of order) {
    const schema = properties.get(key);
    if (schema !== undefined) sorted.set(key, schema);
  }
  return sorted;
}
