/**
 * The facts of a release about object types, as `scripts/make-facts.js` writes them.
 *
 * @module
 */
import type { JsonValue } from '../../foundation/index.js';

/** Types of values; `ref` is an object type. */
export type FactType =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'double'
  | 'bytes'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'rawExtension'
  | 'fieldsV1'
  | 'map'
  | 'array'
  | 'ref';

/** A value: a field, an item of a list, a value of a map. */
export interface ValueFacts {
  readonly type: FactType;
  /** Name of an object type with its package: `core.v1.PodSpec`. */
  readonly ref?: string | undefined;
  readonly items?: ValueFacts | undefined;
  readonly values?: ValueFacts | undefined;
  /** Values of a closed set. */
  readonly enum?: readonly string[] | undefined;
}

/** A field of an object type. */
export interface FieldFacts extends ValueFacts {
  /** Absent for an inlined field. */
  readonly name?: string | undefined;
  /** Go's pointer: an absent value differs from an empty one. */
  readonly pointer?: boolean | undefined;
  /** JSON omits an empty value. */
  readonly omitempty?: boolean | undefined;
  readonly required?: boolean | undefined;
  /** JSON writes null for an absent value. */
  readonly nullable?: boolean | undefined;
  /** Protobuf field number. */
  readonly number: number;
  /** The fields of the referenced type are fields of the parent in JSON, and a message of their own in protobuf. */
  readonly inline?: boolean | undefined;
  readonly default?: JsonValue | undefined;
  readonly publishedDefault?: JsonValue | undefined;
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  readonly mapType?: 'granular' | 'atomic' | undefined;
  readonly patchStrategy?: string | undefined;
  readonly patchMergeKey?: string | undefined;
  /** Quantities by resource name, which are rounded up to thousandths. */
  readonly resourceList?: boolean | undefined;
  readonly goType?: string | undefined;
}

/** An object type. */
export interface TypeFacts {
  readonly name: string;
  /** The type is embedded in others and has a kind and an apiVersion there, in JSON only. */
  readonly typeMeta?: boolean | undefined;
  readonly fields: readonly FieldFacts[];
  readonly mapType?: 'granular' | 'atomic' | undefined;
  /** The field that selects one of the others. */
  readonly union?: string | undefined;
  /** Order of the keys in JSON, where it differs from that of the fields. */
  readonly order?: readonly string[] | undefined;
}
