import type { JsonValue } from '../meta/json.js';

/** JSON type of a node. `any` takes everything; `int-or-string` is a number or a string as the client wrote it. */
export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'any';

/**
 * What happens to a field's empty value (`""`, `0`, `false`, `{}`, `[]`) when an object is read and written.
 *
 * - `keep`: what the client sent stays (optional pointers of the production system; custom resources).
 * - `omit`: an empty value is as good as none and is dropped (`omitempty` without a pointer).
 * - `always`: written even when the client sent none, as the type's empty value (structs and scalars without `omitempty`).
 *
 * Null is always as good as absent, except below `preserveUnknownFields` and where `nullable` is set.
 */
export type Presence = 'keep' | 'omit' | 'always';

/** How a list is merged. `atomic` is replaced whole; `set` holds distinct scalars; `map` holds objects told apart by keys. */
export type ListType = 'atomic' | 'set' | 'map';

/** How a map or struct is merged: field by field, or replaced whole. */
export type MapType = 'granular' | 'atomic';

/** Scalar encodings of the protobuf form; `message` for objects, `map` for string maps. Times, quantities and int-or-strings are messages with forms of their own. */
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
  | 'rawExtension';

/**
 * A node of a kind's schema. It is made once, from zod or from an OpenAPI document, and everything that the server knows
 * about fields is read from it: decoding, defaulting, pruning, validation, merging, OpenAPI and protobuf.
 *
 * The tree is immutable. A recursive type refers to itself through {@link StructuralSchema.properties} getters of the same
 * node: compare nodes by identity, and expect cycles.
 */
export interface StructuralSchema {
  readonly type: SchemaType;
  /** Name of the type (`ObjectMeta`, `PodSpec`), for messages and as the name of an OpenAPI component. Absent on anonymous nodes. */
  readonly name?: string;
  readonly description?: string;
  /** Description of the named type itself; `description` may be that of the field. */
  readonly typeDescription?: string;
  /** `type: object` with known fields. Insertion order is the order of output. */
  readonly properties?: ReadonlyMap<string, StructuralSchema>;
  /** `type: object` used as a map: the schema of every value. */
  readonly additionalProperties?: StructuralSchema;
  /** `type: array`: the schema of every item. */
  readonly items?: StructuralSchema;
  /** Fields that must be there. */
  readonly required?: readonly string[];
  readonly presence: Presence;
  /** Null is a value of its own. */
  readonly nullable?: boolean;
  /** Filled in where the field is absent, at every level where the parent is present. */
  readonly default?: JsonValue;
  /** Unknown fields below this node are kept, and not reported. */
  readonly preserveUnknownFields?: boolean;
  /** The node holds a whole object (apiVersion, kind, metadata). */
  readonly embeddedResource?: boolean;
  readonly enum?: readonly JsonValue[];
  /** The closed set of values that documents publish. Readers take any value; the kind's own validation refuses others, in its own words. */
  readonly publishedEnum?: readonly string[];
  /** The default that documents publish where it is not `default`; null: they publish none. */
  readonly publishedDefault?: JsonValue;
  /** Fields that documents say must be there, although readers take an object without them. */
  readonly publishedRequired?: readonly string[];
  /** `byte`, `date-time` (second precision), `micro-time`, `int32`, `int64`, `double`, `quantity`, or any OpenAPI format. */
  readonly format?: string;
  /** Go's name for the type, with its package, where it is not that of the JSON type: errors of decoding name it. */
  readonly goType?: string;
  /** A quantity is rounded up to a multiple of this power of ten when it is read. */
  readonly quantityScale?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly listType?: ListType;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: MapType;
  /** Strategic merge: `merge`, `replace`, `retainKeys`, or `merge,retainKeys`. */
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /** The field that says which one of the others counts; documents publish it. */
  readonly unionDiscriminator?: string;
  /** Field number within the parent's protobuf message. */
  readonly protoNumber?: number;
  readonly protoKind?: ProtoKind;
  /** Number, within the parent, of the embedded message that holds the field; the field's own number counts within that message. */
  readonly protoInline?: number;
}
