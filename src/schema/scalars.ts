import type { JsonValue, MutableJsonValue } from '../meta/json.js';
import { canonicalQuantity } from '../meta/quantity.js';
import { canonicalBase64 } from './base64.js';
import { ScalarError, jsonTypeName } from './decode-error.js';
import type { StructuralSchema } from './structural.js';
import { readMicroTime, readTime } from './time-text.js';

/** Reads one scalar: the value in its one form. Throws {@link ScalarError} for a value that is none. */
export type ScalarDecoder = (value: JsonValue) => MutableJsonValue;

/** The production decoder shows a number with its type, when it is a number and still does not fit. */
const numberName = (value: JsonValue): string => (typeof value === 'number' ? `number ${value}` : jsonTypeName(value));

/** Reads a text that is its own one form. */
export const textDecoder: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw new ScalarError(jsonTypeName(value));
  return value;
};

const boolean: ScalarDecoder = (value) => {
  if (typeof value !== 'boolean') throw new ScalarError(jsonTypeName(value));
  return value;
};

const number: ScalarDecoder = (value) => {
  if (typeof value !== 'number') throw new ScalarError(jsonTypeName(value));
  return value;
};

const int64: ScalarDecoder = (value) => {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new ScalarError(numberName(value));
  return value;
};

const int32: ScalarDecoder = (value) => {
  // The conversion keeps exactly the 32-bit integers.
  if (typeof value !== 'number' || (value | 0) !== value) throw new ScalarError(numberName(value));
  return value;
};

const bytes: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw new ScalarError(jsonTypeName(value));
  return canonicalBase64(value);
};

/** Types that decode themselves say what they want, and not where. */
const selfDecoded = (value: JsonValue, type: string): ScalarError =>
  new ScalarError(jsonTypeName(value), `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${type}`);

const time: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw selfDecoded(value, 'string');
  return readTime(value);
};

const microTime: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw selfDecoded(value, 'string');
  return readMicroTime(value);
};

const intOrString: ScalarDecoder = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') throw selfDecoded(value, 'int32');
  if ((value | 0) !== value) throw new ScalarError('number', `json: cannot unmarshal number ${value} into Go value of type int32`);
  return value;
};

const QUANTITY_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const quantity: ScalarDecoder = (value) => {
  const canonical = typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(String(value)) : undefined;
  if (canonical === undefined) throw new ScalarError(jsonTypeName(value), QUANTITY_FORM);
  return canonical;
};

const BY_FORMAT: Readonly<Record<string, ScalarDecoder>> = {
  byte: bytes,
  'date-time': time,
  'micro-time': microTime,
  quantity,
};

/** A decoder, and the Go type that the production decoder calls the field's in its errors. */
export interface Scalar {
  readonly decode: ScalarDecoder;
  readonly goType: string;
  /** What stands for an absent value where one must be written, in a list item or map value that is null too. */
  readonly zero: MutableJsonValue;
}

/** How a built-in kind's scalar is read; undefined for objects, lists and values of any type. */
export function scalarOf(schema: StructuralSchema): Scalar | undefined {
  const { type, format = '' } = schema;
  if (type === 'string') {
    const own = BY_FORMAT[format];
    if (own === undefined) return { decode: textDecoder, goType: 'string', zero: '' };
    const isTime = own === time || own === microTime;
    return { decode: own, goType: own === bytes ? '[]uint8' : 'string', zero: isTime ? null : own === quantity ? '0' : '' };
  }
  if (type === 'integer') return format === 'int32' ? { decode: int32, goType: 'int32', zero: 0 } : { decode: int64, goType: 'int64', zero: 0 };
  if (type === 'number') return { decode: number, goType: 'float64', zero: 0 };
  if (type === 'boolean') return { decode: boolean, goType: 'bool', zero: false };
  if (type === 'int-or-string') return { decode: intOrString, goType: 'intstr.IntOrString', zero: 0 };
  return undefined;
}
