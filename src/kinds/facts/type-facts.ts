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
  readonly ref?: string;
  readonly items?: ValueFacts;
  readonly values?: ValueFacts;
  /** Values of a closed set. */
  readonly enum?: readonly string[];
}

/** A field of an object type. */
export interface FieldFacts extends ValueFacts {
  /** Absent for an inlined field. */
  readonly name?: string;
  /** Go's pointer: an absent value differs from an empty one. */
  readonly pointer?: boolean;
  /** JSON omits an empty value. */
  readonly omitempty?: boolean;
  readonly required?: boolean;
  /** JSON writes null for an absent value. */
  readonly nullable?: boolean;
  /** Protobuf field number. */
  readonly number: number;
  /** The fields of the referenced type are fields of the parent in JSON, and a message of their own in protobuf. */
  readonly inline?: boolean;
  readonly default?: JsonValue;
  readonly publishedDefault?: JsonValue;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'granular' | 'atomic';
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /** Quantities by resource name, which are rounded up to thousandths. */
  readonly resourceList?: boolean;
  readonly goType?: string;
}

/** An object type. */
export interface TypeFacts {
  readonly name: string;
  /** The type is embedded in others and has a kind and an apiVersion there, in JSON only. */
  readonly typeMeta?: boolean;
  readonly fields: readonly FieldFacts[];
  readonly mapType?: 'granular' | 'atomic';
  /** The field that selects one of the others. */
  readonly union?: string;
  /** Order of the keys in JSON, where it differs from that of the fields. */
  readonly order?: readonly string[];
}
