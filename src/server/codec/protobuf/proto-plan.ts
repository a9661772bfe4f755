import { ownMember } from '../../../foundation/index.js';
import type { ProtoKind, StructuralSchema } from '../../../machinery/index.js';
import { objectMetaSchema } from '../meta-schemas.js';

/**
 * How the values of a field are encoded: once, repeated, as the entries of a map, as a list inside a message `{items = 1}`, or
 * as an embedded message whose fields JSON writes among those of the parent (a Go struct with `json:",inline"`).
 */
export type Cardinality = 'one' | 'repeated' | 'map' | 'wrapped' | 'embedded';

/** Encoding of one field of a message. */
export interface FieldPlan {
  readonly name: string;
  readonly number: number;
  /** Kind of the value, of an item, or of a map's value. */
  readonly kind: ProtoKind;
  readonly cardinality: Cardinality;
  /** True when the map values are lists, encoded as a message `{items = 1}`. */
  readonly wrappedValues: boolean;
  /** True when the field is a pointer in Kubernetes: pointers are written only when set, other fields always. */
  readonly pointer: boolean;
  /** Schema of the value, item or map value, for messages. */
  readonly schema: StructuralSchema;
  /** The fields of an embedded message; undefined for every other field. */
  readonly embedded?: MessagePlan | undefined;
}

/** Encoding of a message: its fields, sorted by number and indexed by number. */
export interface MessagePlan {
  readonly fields: readonly FieldPlan[];
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
}

const FORMATS: Readonly<Record<string, ProtoKind>> = {
  byte: 'bytes',
  'date-time': 'time',
  'micro-time': 'microTime',
  quantity: 'quantity',
  int32: 'int32',
  int64: 'int64',
  double: 'double',
};
const TYPES: Readonly<Record<StructuralSchema['type'], ProtoKind>> = {
  object: 'message',
  array: 'message',
  string: 'string',
  integer: 'int64',
  number: 'double',
  boolean: 'bool',
  'int-or-string': 'intOrString',
  any: 'rawExtension',
};

const plans = new WeakMap<StructuralSchema, MessagePlan>();
const rootPlans = new WeakMap<StructuralSchema, MessagePlan>();

/** Returns the plan of a message. Cached for each schema node. */
export const planOf = (schema: StructuralSchema): MessagePlan => cachedPlan(plans, schema, false);

/**
 * Returns the plan of a kind. `apiVersion` and `kind` are in the envelope, not in the message. `metadata` is field 1
 * with the common object metadata, unless the schema defines it.
 */
export const rootPlanOf = (schema: StructuralSchema): MessagePlan => cachedPlan(rootPlans, schema, true);

function cachedPlan(
  cache: WeakMap<StructuralSchema, MessagePlan>,
  schema: StructuralSchema,
  root: boolean,
): MessagePlan {
  let plan = cache.get(schema);
  if (plan === undefined) cache.set(schema, (plan = createPlan(schema, root)));
  return plan;
}

/**
 * Returns true when a kind supports protobuf: at least one of its fields has a number. A kind with no fields except
 * metadata supports protobuf if its metadata has a number.
 */
export function isNumbered(schema: StructuralSchema | undefined): schema is StructuralSchema {
  if (schema?.properties === undefined) return false;
  let fields = 0;
  for (const [name, property] of schema.properties) {
    if (name === 'apiVersion' || name === 'kind' || name === 'metadata') continue;
    if (property.protoNumber !== undefined) return true;
    fields += 1;
  }
  return fields === 0 && schema.properties.get('metadata')?.protoNumber !== undefined;
}

function createPlan(schema: StructuralSchema, root: boolean): MessagePlan {
  const message = new PlannedMessage(schema);
  for (const [name, property] of schema.properties ?? []) {
    if (root && (name === 'apiVersion' || name === 'kind')) continue;
    if (root && name === 'metadata' && property.protoNumber === undefined) continue;
    // Number 0 means no number: apiVersion and kind of an object nested in another, such as a list item.
    if (property.protoNumber === undefined || property.protoNumber === 0) continue;
    message.add(fieldPlan(name, property.protoNumber, property), property.protoInline ?? []);
  }
  const fields = message.fields();
  if (root && !fields.some((field) => field.number === 1)) fields.push(fieldPlan('metadata', 1, objectMetaSchema));
  return messagePlan(fields);
}

/** The fields of a message while it is planned, with those of the messages embedded in it. */
class PlannedMessage {
  readonly #schema: StructuralSchema;
  readonly #own: FieldPlan[] = [];
  readonly #embedded = new Map<number, PlannedMessage>();

  constructor(schema: StructuralSchema) {
    this.#schema = schema;
  }

  /** Adds a field to this message, or to the embedded message at a path of numbers. */
  add(field: FieldPlan, [number, ...rest]: readonly number[]): void {
    if (number === undefined) return void this.#own.push(field);
    let message = this.#embedded.get(number);
    if (message === undefined) this.#embedded.set(number, (message = new PlannedMessage(this.#schema)));
    message.add(field, rest);
  }

  fields(): FieldPlan[] {
    const embedded = [...this.#embedded].map(([number, message]) =>
      embeddedPlan(number, message.fields(), this.#schema),
    );
    return [...this.#own, ...embedded];
  }
}

function messagePlan(fields: readonly FieldPlan[]): MessagePlan {
  const sorted = [...fields].sort((a, b) => a.number - b.number);
  return { fields: sorted, byNumber: new Map(sorted.map((field) => [field.number, field])) };
}

/** An embedded message. Its Go type is a struct and no pointer: it is written even when it is empty. */
function embeddedPlan(number: number, members: readonly FieldPlan[], schema: StructuralSchema): FieldPlan {
  const embedded = messagePlan(members);
  return {
    name: '',
    number,
    kind: 'message',
    cardinality: 'embedded',
    wrappedValues: false,
    pointer: false,
    schema,
    embedded,
  };
}

function fieldPlan(name: string, number: number, schema: StructuralSchema): FieldPlan {
  const pointer = schema.presence === 'keep';
  const base = { name, number, pointer, wrappedValues: false };
  if (schema.type === 'array') {
    const items = schema.items ?? { type: 'any', presence: 'keep' };
    return {
      ...base,
      cardinality: schema.protoKind === 'message' ? 'wrapped' : 'repeated',
      kind: kindOf(items),
      schema: items,
    };
  }
  if (isMap(schema)) {
    const value = schema.additionalProperties ?? { type: 'string', presence: 'omit' };
    const wrappedValues = value.type === 'array';
    const leaf = wrappedValues ? (value.items ?? { type: 'string', presence: 'omit' }) : value;
    return { ...base, cardinality: 'map', kind: kindOf(leaf), schema: leaf, wrappedValues };
  }
  return { ...base, cardinality: 'one', kind: kindOf(schema), schema };
}

function isMap(schema: StructuralSchema): boolean {
  if (schema.protoKind !== undefined) return schema.protoKind === 'map';
  return schema.type === 'object' && schema.additionalProperties !== undefined && schema.properties === undefined;
}

function kindOf(schema: StructuralSchema): ProtoKind {
  if (schema.protoKind !== undefined) return schema.protoKind;
  const byFormat = schema.format === undefined ? undefined : ownMember(FORMATS, schema.format);
  if (byFormat !== undefined) return byFormat;
  // An object with unknown fields is encoded as JSON.
  if (schema.type === 'object' && schema.properties === undefined) return 'rawExtension';
  return TYPES[schema.type];
}
