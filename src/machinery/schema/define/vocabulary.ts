/**
 * The vocabulary that defines a kind: zod types, annotated with facts that zod does not have.
 *
 * A plain zod schema already defines a kind. These functions add facts that built-in kinds of Kubernetes have besides
 * types: the treatment of empty values, the merging of lists, and protobuf field numbers.
 *
 * @module
 */
import * as z from 'zod';
import {
  aBoolean,
  aName,
  aText,
  checkArgument,
  listOf,
  matching,
  nested,
  oneOf,
  type JsonValue,
  type OptionChecks,
} from '../../../foundation/index.js';
import type { ValidationRule } from '../openapi/json-schema.js';
import type { StructuralSchema } from './structural.js';

/** Facts of a field or type that zod does not have. */
export interface FieldMetadata extends Partial<
  Pick<
    StructuralSchema,
    | 'name'
    | 'description'
    | 'typeDescription'
    | 'presence'
    | 'listType'
    | 'listMapKeys'
    | 'mapType'
    | 'patchStrategy'
    | 'patchMergeKey'
    | 'publishedDefault'
    | 'publishedEnum'
    | 'publishedRequired'
    | 'protoNumber'
    | 'protoKind'
    | 'protoInline'
    | 'format'
    | 'goType'
    | 'quantityScale'
    | 'preserveUnknownFields'
    | 'embeddedResource'
    | 'nullable'
    | 'unionDiscriminator'
    | 'type'
    | 'validations'
  >
> {
  /** Default value of an absent field. */
  readonly default?: JsonValue | undefined;
}

/** The facts by type. A fact on a wrapper (optional, default) overrides the same fact on the wrapped type. */
const registry = new WeakMap<object, FieldMetadata>();

/** Zod's link to the parent of a type derived with `min`, `describe` and similar methods. */
interface Derived {
  readonly _zod?: { readonly parent?: object | undefined } | undefined;
}

/**
 * Returns the facts of a type; empty when it has none. A derived type (`int32().min(0)`) also has the facts of its
 * parent.
 */
export function metadataOf(schema: object): FieldMetadata {
  const own = registry.get(schema);
  const parent = (schema as Derived)._zod?.parent;
  if (parent === undefined) return own ?? {};
  return { ...metadataOf(parent), ...own };
}

/** Adds facts to a type and returns the type. Existing facts stay unless they are given again. */
export function annotate<Schema extends object>(schema: Schema, metadata: FieldMetadata): Schema {
  registry.set(schema, { ...registry.get(schema), ...metadata });
  return schema;
}

const ruleChecks: OptionChecks<ValidationRule> = {
  rule: aName,
  message: matching(
    'a string of one line',
    (value) => typeof value === 'string' && value !== '' && !value.includes('\n'),
  ),
  messageExpression: aName,
  reason: oneOf('FieldValueInvalid', 'FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate'),
  fieldPath: aText,
  optionalOldSelf: aBoolean,
};
const aListOfRules = listOf(
  nested(ruleChecks, ['rule']),
  'a list of rules, such as [{ rule: "self.min <= self.max" }]',
);

/**
 * Returns a copy of a type whose values must meet rules in CEL, as in custom resource definitions. Rules of several
 * calls add up.
 *
 * ```
 * rules(z.object({ min: z.number(), max: z.number() }), [{ rule: 'self.min <= self.max', message: 'min exceeds max' }]);
 * ```
 *
 * @throws TypeError for a rule that is not an object with a string `rule`. Expressions are compiled when the first object
 *   is written
 */
export function rules<Schema extends z.ZodType>(schema: Schema, validations: readonly ValidationRule[]): Schema {
  checkArgument('rules', 'validations', validations, aListOfRules);
  const facts = metadataOf(schema);
  return annotate(schema.clone(), { ...facts, validations: [...(facts.validations ?? []), ...validations] });
}

/** Returns an object type with a name. Unknown fields are pruned and reported. */
export function struct<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  metadata: FieldMetadata = {},
): z.ZodObject<Shape> {
  return annotate(z.object(shape), { name, ...metadata });
}

/**
 * Declares an optional field whose value is written as sent, even when it is empty (a Go pointer, `optional` in protobuf).
 *
 * @param number protobuf field number
 */
export function optional<Schema extends z.ZodType>(
  number: number,
  schema: Schema,
  metadata: FieldMetadata = {},
): z.ZodOptional<Schema> {
  return annotate(schema.optional(), { ...metadata, presence: 'keep', protoNumber: number });
}

/**
 * Returns an optional field whose empty value means the same as an absent one. `number` is its protobuf field number.
 */
export function omitted<Schema extends z.ZodType>(
  number: number,
  schema: Schema,
  metadata: FieldMetadata = {},
): z.ZodOptional<Schema> {
  return annotate(schema.optional(), { ...metadata, presence: 'omit', protoNumber: number });
}

/**
 * Returns a field that is always written; an absent value becomes the type's empty value. `number` is its protobuf
 * field number.
 */
export function always<Schema extends z.ZodType>(number: number, schema: Schema, metadata: FieldMetadata = {}): Schema {
  // Cloned, so that two fields of one type do not share facts.
  const { name, description } = metadataOf(schema);
  const typeFacts = name === undefined || description === undefined ? {} : { typeDescription: description };
  return annotate(schema.clone(), {
    ...metadataOf(schema),
    ...typeFacts,
    ...metadata,
    presence: 'always',
    protoNumber: number,
  });
}

/** Like {@link always} for an optional struct, such as `spec` or `status`. */
export function alwaysStruct<Schema extends z.ZodObject>(
  number: number,
  schema: Schema,
  metadata: FieldMetadata = {},
): z.ZodOptional<Schema> {
  return annotate(schema.optional(), { ...metadata, presence: 'always', protoNumber: number });
}

/** A 32-bit integer. */
export const int32 = (): z.ZodNumber =>
  annotate(z.number().int(), { type: 'integer', format: 'int32', protoKind: 'int32' });
/** A 64-bit integer within the exact range of a double. */
export const int64 = (): z.ZodNumber =>
  annotate(z.number().int(), { type: 'integer', format: 'int64', protoKind: 'int64' });
/** Bytes, as a base64 string. */
export const bytes = (): z.ZodString => annotate(z.string(), { format: 'byte', protoKind: 'bytes' });
/** A time with second precision, RFC 3339. */
export const time = (): z.ZodString =>
  annotate(z.string(), {
    name: 'Time',
    typeDescription: 'A time with second precision, RFC 3339.',
    format: 'date-time',
    protoKind: 'time',
  });
/** A time with microsecond precision, RFC 3339. */
export const microTime = (): z.ZodString =>
  annotate(z.string(), {
    name: 'MicroTime',
    typeDescription: 'A time with microsecond precision, RFC 3339.',
    format: 'micro-time',
    protoKind: 'microTime',
  });
/** A quantity: a string such as `100m` or `1Gi`, or a number, which is read as it is written. Written in canonical form. */
export const quantity = (): z.ZodString =>
  annotate(z.string(), {
    name: 'Quantity',
    typeDescription: 'An amount with a unit, such as 100m or 1Gi.',
    format: 'quantity',
    protoKind: 'quantity',
  });
/**
 * A string of a published enumeration. Readers accept any string; the kind's validation refuses others with its own
 * message.
 */
export const enumOf = (...values: readonly string[]): z.ZodString =>
  annotate(z.string(), { publishedEnum: [...values].sort() });
/** A type with a name in Go, which decoding errors show with its package (`v1.RestartPolicy`). */
export const goNamed = <Schema extends z.ZodType>(goType: string, schema: Schema): Schema =>
  annotate(schema, { goType });
/** A number or a string, kept as sent. */
export const intOrString = (): z.ZodUnion<[z.ZodNumber, z.ZodString]> =>
  annotate(z.union([z.number().int(), z.string()]), {
    name: 'IntOrString',
    typeDescription: 'A number or a string.',
    type: 'int-or-string',
    protoKind: 'intOrString',
  });
/** A map with values of one type. */
export const mapOf = <Value extends z.ZodType>(
  value: Value,
  metadata: FieldMetadata = {},
): z.ZodRecord<z.ZodString, Value> => annotate(z.record(z.string(), value), { protoKind: 'map', ...metadata });
/** A list that is replaced as a whole. */
export const atomicList = <Item extends z.ZodType>(item: Item, metadata: FieldMetadata = {}): z.ZodArray<Item> =>
  annotate(z.array(item), { listType: 'atomic', ...metadata });
/** A list of distinct scalars, merged by value. */
export const setList = <Item extends z.ZodType>(item: Item, metadata: FieldMetadata = {}): z.ZodArray<Item> =>
  annotate(z.array(item), { listType: 'set', patchStrategy: 'merge', ...metadata });
/** A list of objects with distinct keys. Strategic merge uses `patchMergeKey`, by default the first key. */
export const mapList = <Item extends z.ZodType>(
  item: Item,
  keys: readonly [string, ...string[]],
  metadata: FieldMetadata = {},
): z.ZodArray<Item> =>
  annotate(z.array(item), {
    listType: 'map',
    listMapKeys: keys,
    patchStrategy: 'merge',
    patchMergeKey: keys[0],
    ...metadata,
  });
