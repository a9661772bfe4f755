import {
  canonicalBase64,
  canonicalQuantity,
  ownMember,
  quantityError,
  quantityErrors,
  roundUpQuantity,
  type JsonValue,
  type MutableJsonValue,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { ScalarError, jsonTypeName } from './decode-error.js';
import { readMicroTime, readTime } from './time-text.js';

/**
 * Decodes one scalar and returns its canonical form.
 *
 * @param written the text of a number as it was written, if known
 * @throws {@link ScalarError} for a value of another type or format
 */
export type ScalarDecoder = (value: JsonValue, written?: string) => MutableJsonValue;

/** Names a value in errors. Go's decoder shows the value of a number that its field does not allow. */
const numberName = (value: JsonValue, written: string | undefined): string =>
  typeof value === 'number' || typeof value === 'bigint' ? `number ${written ?? value}` : jsonTypeName(value);

/** Returns true when a number was written as an integer in Go: without a point or exponent. */
const isInteger = (value: number, written: string | undefined): boolean =>
  written === undefined ? Number.isInteger(value) : /^-?[0-9]+$/.test(written);

/** Decodes a plain text. */
export const textDecoder: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw new ScalarError(jsonTypeName(value));
  return value;
};

const boolean: ScalarDecoder = (value) => {
  if (typeof value !== 'boolean') throw new ScalarError(jsonTypeName(value));
  return value;
};

const number: ScalarDecoder = (value) => {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number') throw new ScalarError(jsonTypeName(value));
  return value;
};

const INT64_BOUND = 2 ** 63;

/** Decodes a 64-bit integer; minus zero becomes zero. */
const int64: ScalarDecoder = (value, written) => {
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  if (typeof value !== 'number' || !isInteger(value, written) || value >= INT64_BOUND || value < -INT64_BOUND)
    throw new ScalarError(numberName(value, written));
  // A number of an in-process client may be beyond what it holds exactly.
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
};

const int32: ScalarDecoder = (value, written) => {
  // The conversion changes every number that is not a 32-bit integer.
  if (typeof value !== 'number' || (value | 0) !== value || !isInteger(value, written))
    throw new ScalarError(numberName(value, written));
  return value + 0;
};

const bytes: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw new ScalarError(jsonTypeName(value));
  const canonical = canonicalBase64(value);
  if (typeof canonical === 'number') throw new ScalarError('string', `illegal base64 data at input byte ${canonical}`);
  return canonical;
};

/** Returns the error of a type that decodes itself from another Go type. Go's decoder adds the path and stops. */
const selfDecoded = (found: string, goType: string): ScalarError => new ScalarError(found, undefined, goType);

const time: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw selfDecoded(jsonTypeName(value), 'string');
  return readTime(value);
};

const microTime: ScalarDecoder = (value) => {
  if (typeof value !== 'string') throw selfDecoded(jsonTypeName(value), 'string');
  return readMicroTime(value);
};

const intOrString: ScalarDecoder = (value, written) => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || (value | 0) !== value || !isInteger(value, written))
    throw selfDecoded(numberName(value, written), 'int32');
  return value + 0;
};

/**
 * The white space that Go trims from a quantity in JSON. Other white space must be escaped in JSON, and Go does not
 * trim it.
 */
const BLANK = /[ \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANK.test(text.charAt(start))) start += 1;
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const quantity: ScalarDecoder = (value, written) => {
  const text =
    typeof value === 'string'
      ? value
      : (written ?? (typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''));
  const canonical = canonicalQuantity(text) ?? canonicalQuantity(trimBlanks(text));
  if (canonical === undefined)
    throw new ScalarError(jsonTypeName(value), quantityError(trimBlanks(text)) ?? quantityErrors.format);
  return canonical;
};

const roundedQuantity =
  (scale: number): ScalarDecoder =>
  (value, written) =>
    roundUpQuantity(quantity(value, written) as string, scale);

const BY_FORMAT: Readonly<Record<string, ScalarDecoder>> = {
  byte: bytes,
  'date-time': time,
  'micro-time': microTime,
  quantity,
};

/** A decoder with the Go type that errors of the Kubernetes decoder name. */
export interface Scalar {
  readonly decode: ScalarDecoder;
  readonly goType: string;
  /** The value that is written for an absent required value, or for a null list item or map value. */
  readonly zero: MutableJsonValue;
}

/** Returns the decoder of a built-in kind's scalar; undefined for objects, lists and values of any type. */
export function scalarOf(schema: StructuralSchema): Scalar | undefined {
  const { type, format = '' } = schema;
  if (type === 'string') {
    const own =
      schema.quantityScale === undefined ? ownMember(BY_FORMAT, format) : roundedQuantity(schema.quantityScale);
    if (own === undefined) return { decode: textDecoder, goType: schema.goType ?? 'string', zero: '' };
    const isTime = own === time || own === microTime;
    return {
      decode: own,
      goType: own === bytes ? '[]uint8' : 'string',
      zero: isTime ? null : format === 'quantity' ? '0' : '',
    };
  }
  if (type === 'integer')
    return format === 'int32'
      ? { decode: int32, goType: 'int32', zero: 0 }
      : { decode: int64, goType: 'int64', zero: 0 };
  if (type === 'number') return { decode: number, goType: 'float64', zero: 0 };
  if (type === 'boolean') return { decode: boolean, goType: 'bool', zero: false };
  if (type === 'int-or-string') return { decode: intOrString, goType: 'intstr.IntOrString', zero: 0 };
  return undefined;
}
