import type { ProtoKind, StructuralSchema } from '../schema/structural.js';
import { objectMetaSchema } from './meta-schemas.js';

/**
 * How the values of a field are carried: once, repeated, as the entries of a map, as a list inside a message `{items = 1}`, or
 * as an embedded message whose fields JSON writes among those of the parent (a Go struct with `json:",inline"`).
 */
export type Cardinality = 'one' | 'repeated' | 'map' | 'wrapped' | 'embedded';

/** How one field of a message is carried. */
export interface FieldPlan {
  readonly name: string;
  readonly number: number;
  /** Kind of the value, of an item, or of a map's value. */
  readonly kind: ProtoKind;
  readonly cardinality: Cardinality;
  /** Whether the value is a list again, carried as a message `{items = 1}`; only in maps. */
  readonly wrappedValues: boolean;
  /** A pointer in the production system: written only when the field is present. Others are written always. */
  readonly pointer: boolean;
  /** Schema of the value, item or map value, for messages. */
  readonly schema: StructuralSchema;
  /** The fields of an embedded message; undefined for every other field. */
  readonly embedded?: MessagePlan | undefined;
}

/** How a message is carried: its fields, in ascending order of their numbers, and by number. */
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

/** The plan of a struct's message. Made once for each schema node. */
export function planOf(schema: StructuralSchema): MessagePlan {
  let plan = plans.get(schema);
  if (plan === undefined) {
    plan = makePlan(schema, false);
    plans.set(schema, plan);
  }
  return plan;
}

/**
 * The plan of a whole kind. `apiVersion` and `kind` are not part of the message (the envelope has them), and `metadata` is
 * field 1 with the metadata that every kind has, unless the schema says otherwise.
 */
export function rootPlanOf(schema: StructuralSchema): MessagePlan {
  let plan = rootPlans.get(schema);
  if (plan === undefined) {
    plan = makePlan(schema, true);
    rootPlans.set(schema, plan);
  }
  return plan;
}

/**
 * Whether a kind can be carried in protobuf: one of its own fields has a number. A kind without fields besides its metadata
 * cannot be told from one that nobody numbered, and counts as carried when its metadata is numbered.
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

function makePlan(schema: StructuralSchema, root: boolean): MessagePlan {
  const fields: FieldPlan[] = [];
  const embedded = new Map<number, FieldPlan[]>();
  for (const [name, property] of schema.properties ?? []) {
    if (root && (name === 'apiVersion' || name === 'kind')) continue;
    if (root && name === 'metadata' && property.protoNumber === undefined) continue;
    // A whole object within another, as in a list, leaves its apiVersion and kind out: they have the number 0, which is none.
    if (property.protoNumber === undefined || property.protoNumber === 0) continue;
    const field = fieldPlan(name, property.protoNumber, property);
    const message = property.protoInline;
    if (message === undefined) fields.push(field);
    else embedded.set(message, [...(embedded.get(message) ?? []), field]);
  }
  for (const [number, members] of embedded) fields.push(embeddedPlan(number, members, schema));
  if (root && !fields.some((field) => field.number === 1)) fields.push(fieldPlan('metadata', 1, objectMetaSchema));
  return messagePlan(fields);
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
  const byFormat = schema.format === undefined ? undefined : FORMATS[schema.format];
  if (byFormat !== undefined) return byFormat;
  // An object of unknown fields travels as the JSON it is.
  if (schema.type === 'object' && schema.properties === undefined) return 'rawExtension';
  return TYPES[schema.type];
}
