import type { JsonValue } from '../../../foundation/index.js';
import type { ValidationRule } from '../openapi/json-schema.js';

/** JSON type of a node. `any` accepts every value; `int-or-string` is a number or a string as the client wrote it. */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'any';

/**
 * The treatment of a field's empty value (`""`, `0`, `false`, `{}`, `[]`) when an object is read and written.
 *
 * - `keep`: the value stays as sent (optional pointers in Kubernetes; custom resources).
 * - `omit`: an empty value means the same as an absent one and is dropped (`omitempty` without a pointer).
 * - `always`: an absent value is written as the type's empty value (structs and scalars without `omitempty`).
 *
 * Null means the same as absent, except below `preserveUnknownFields` and where `nullable` is set.
 */
export type Presence = 'keep' | 'omit' | 'always';

/**
 * How a list is merged. `atomic` is replaced as a whole; `set` has distinct scalars; `map` has objects with distinct
 * keys.
 */
export type ListType = 'atomic' | 'set' | 'map';

/** How a map or struct is merged: field by field, or replaced as a whole. */
export type MapType = 'granular' | 'atomic';

/**
 * Scalar encodings of the protobuf form; `message` for objects, `map` for string maps. Times, quantities,
 * int-or-strings, any JSON and variants are messages with their own encodings.
 */
export type ProtoKind =
  | 'string'
  | 'bytes'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'double'
  | 'message'
  | 'map'
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'fieldsV1'
  | 'rawExtension'
  | 'json'
  | 'variants';

/**
 * A type whose values have one of several JSON types. Go decodes it by a method of its own: unknown fields below it are
 * dropped without a report. In protobuf it is a message with one field for each form.
 */
export interface Variants {
  /** The protobuf message, as an object with a field for each form. */
  readonly message: StructuralSchema;
  /** Field of the message with an object. */
  readonly object: string;
  /** Field of the message with a list that is not empty. */
  readonly list?: string | undefined;
  /** Field of the message with a boolean; true beside an object. */
  readonly boolean?: string | undefined;
}

/**
 * A node of a kind's schema. It is created once, from zod or from an OpenAPI document. Decoding, defaulting, pruning,
 * validation, merging, OpenAPI and protobuf all use it.
 *
 * The tree is immutable. The {@link StructuralSchema.properties} of a recursive type lead back to the same node:
 * compare nodes by identity, and expect cycles.
 */
export interface StructuralSchema {
  readonly type: SchemaType;
  /** Name of the type (`ObjectMeta`, `PodSpec`), for messages and as the name of an OpenAPI component. Absent on anonymous nodes. */
  readonly name?: string | undefined;
  /** Package of a named built-in type, such as `core.v1`: types of two packages may have the same name. */
  readonly package?: string | undefined;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  /** Description of the named type itself; `description` may be that of the field. */
  readonly typeDescription?: string | undefined;
  /** `type: object` with known fields. Insertion order is the order of output. */
  readonly properties?: ReadonlyMap<string, StructuralSchema> | undefined;
  /** `type: object` used as a map: the schema of every value. */
  readonly additionalProperties?: StructuralSchema | undefined;
  /** `type: array`: the schema of every item. */
  readonly items?: StructuralSchema | undefined;
  /** Required fields. */
  readonly required?: readonly string[] | undefined;
  readonly presence: Presence;
  /** True when null is a distinct value. */
  readonly nullable?: boolean | undefined;
  /** Default value of an absent field, at every level where the parent is present. */
  readonly default?: JsonValue | undefined;
  /** True when unknown fields below this node are kept and not reported. */
  readonly preserveUnknownFields?: boolean | undefined;
  /** True when the node is a whole object (apiVersion, kind, metadata). */
  readonly embeddedResource?: boolean | undefined;
  readonly enum?: readonly JsonValue[] | undefined;
  /**
   * The published enumeration. Readers accept any value; the kind's own validation refuses others with its own message.
   */
  readonly publishedEnum?: readonly string[] | undefined;
  /** The published default when it differs from `default`; null when none is published. */
  readonly publishedDefault?: JsonValue | undefined;
  /** Fields that are published as required although readers accept an object without them. */
  readonly publishedRequired?: readonly string[] | undefined;
  /** `byte`, `date-time` (second precision), `micro-time`, `int32`, `int64`, `double`, `quantity`, or any OpenAPI format. */
  readonly format?: string | undefined;
  /** Go's name for the type, with its package, when it differs from that of the JSON type. Decoding errors show it. */
  readonly goType?: string | undefined;
  /** Power of ten to whose multiple a quantity is rounded up when it is read. */
  readonly quantityScale?: number | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  /** Conditions on the value besides the node's own: it must match all, any, exactly one, or not match. */
  readonly allOf?: readonly ValueSchema[] | undefined;
  readonly anyOf?: readonly ValueSchema[] | undefined;
  readonly oneOf?: readonly ValueSchema[] | undefined;
  readonly not?: ValueSchema | undefined;
  /** Validation rules in CEL. */
  readonly validations?: readonly ValidationRule[] | undefined;
  readonly listType?: ListType | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  readonly mapType?: MapType | undefined;
  /** The map type of a field of a named type, where it is declared on the field. */
  readonly fieldMapType?: MapType | undefined;
  /** Strategic merge: `merge`, `replace`, `retainKeys`, or `merge,retainKeys`. */
  readonly patchStrategy?: string | undefined;
  readonly patchMergeKey?: string | undefined;
  /** The field that selects one of the others; published in OpenAPI. */
  readonly unionDiscriminator?: string | undefined;
  /** Field number within the parent's protobuf message. */
  readonly protoNumber?: number | undefined;
  readonly protoKind?: ProtoKind | undefined;
  /**
   * The forms of a value with several JSON types; the type is then `any`.
   *
   * @internal
   */
  readonly variants?: Variants | undefined;
  /**
   * Numbers of the embedded messages that contain the field, outermost first: each is the number of the message in its
   * parent. The field's own number applies in the last of them.
   */
  readonly protoInline?: readonly number[] | undefined;
}

/**
 * A condition on a value inside `allOf`, `anyOf`, `oneOf` or `not`: a schema that only validates. It declares no
 * fields, so it changes neither pruning nor defaults.
 */
export type ValueSchema = Partial<
  Pick<
    StructuralSchema,
    | 'type'
    | 'nullable'
    | 'required'
    | 'enum'
    | 'format'
    | 'pattern'
    | 'minLength'
    | 'maxLength'
    | 'minimum'
    | 'maximum'
    | 'exclusiveMinimum'
    | 'exclusiveMaximum'
    | 'multipleOf'
    | 'minItems'
    | 'maxItems'
    | 'uniqueItems'
    | 'minProperties'
    | 'maxProperties'
    | 'allOf'
    | 'anyOf'
    | 'oneOf'
    | 'not'
    | 'validations'
  >
> & {
  readonly properties?: ReadonlyMap<string, ValueSchema> | undefined;
  readonly additionalProperties?: ValueSchema | undefined;
  readonly items?: ValueSchema | undefined;
};
