/**
 * Quantities: exact decimal numbers with a unit prefix, as in `500m`, `1.5Gi`, `12e6`.
 *
 * @module
 */
import {
  BINARY_SUFFIXES,
  DECIMAL_SUFFIXES,
  quantityErrors,
  scanQuantity,
  type QuantityFormat,
  type QuantityText,
} from './quantity-scan.js';

/** The exact value `unscaled · 10^scale`, and its notation. The scale is never below -9. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The original string, when Kubernetes stores it instead of the canonical form. */
  readonly originalText?: string | undefined;
}

const NANO = -9;
const EXA = 18;
/** Maximum number of decimal digits that Kubernetes reads without arbitrary precision. */
const NARROW_DIGITS = 18;
const NARROW_BINARY_DIGITS = 15;
const ONE_IN_NANO = 1_000_000_000n;
const MAX_BINARY = 9_223_372_036_854_775_807n;
const SUFFIX_OF_POWER: ReadonlyMap<number, string> = new Map(
  [...DECIMAL_SUFFIXES].map(([suffix, power]) => [power, suffix]),
);
const SUFFIX_OF_BINARY_POWER: ReadonlyMap<number, string> = new Map(
  [['', 0] as const, ...BINARY_SUFFIXES].map(([suffix, power]) => [power, suffix]),
);

/** Parses a quantity; undefined for an invalid string ({@link quantityError} returns the reason). */
export function parseQuantity(text: string): Quantity | undefined {
  const scanned = readQuantity(text);
  return typeof scanned === 'string' ? undefined : scanned;
}

/** Returns the problem of a quantity's text, with the message of Kubernetes; undefined for a valid text. */
export function quantityError(text: string): string | undefined {
  const scanned = readQuantity(text);
  return typeof scanned === 'string' ? scanned : undefined;
}

/**
 * Returns a quantity as it is stored and sent: the result of {@link formatQuantity}, or the string itself when Kubernetes
 * considers it canonical (`1.500`, `+5`). Undefined when the string is not a quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  if (isPlainlyCanonical(text)) return text;
  const quantity = parseQuantity(text);
  return quantity && (quantity.originalText ?? formatQuantity(quantity));
}

/** Suffixes of ordinary quantities. */
const PLAIN_SUFFIXES = new Set(['', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi']);
/** Maximum digits of the number of an ordinary quantity. */
const PLAIN_DIGITS = 6;

/**
 * Returns where the suffix of an ordinary quantity starts: a whole number above zero and a suffix, far from the limits.
 * Zero for any other text.
 */
function plainSuffix(text: string): number {
  if (text.charCodeAt(0) === 0x30) return 0;
  const end = digitsEnd(text);
  return end <= PLAIN_DIGITS && PLAIN_SUFFIXES.has(text.slice(end)) ? end : 0;
}

function digitsEnd(text: string): number {
  let index = 0;
  while (index < text.length && text.charCodeAt(index) >= 0x30 && text.charCodeAt(index) <= 0x39) index += 1;
  return index;
}

/**
 * Returns true for an obviously canonical text: a whole number that no greater suffix can shorten. Most texts are, and
 * full parsing costs more than the rest of an object.
 */
function isPlainlyCanonical(text: string): boolean {
  const end = plainSuffix(text);
  return end > 0 && Number(text.slice(0, end)) % (text.endsWith('i') ? 1024 : 1000) !== 0;
}

/** Without these characters, a canonical text has no part below a thousandth. */
const MAY_BE_FINE = /[.nueE]/;

/**
 * Returns the canonical text of a quantity rounded up, away from zero, to a multiple of `10^scale`; the text itself
 * when it is a multiple.
 *
 * @param scale -3 for thousandths, 0 for whole units
 */
export function roundUpQuantity(text: string, scale: number): string {
  if (scale <= -3 && !MAY_BE_FINE.test(text)) return text;
  const quantity = parseQuantity(text);
  if (quantity === undefined || quantity.scale >= scale) return text;
  return formatQuantity({
    unscaled: rescale(quantity.unscaled, quantity.scale, scale),
    scale,
    format: quantity.format,
  });
}

/**
 * Returns the canonical form of a value in its format: no fraction, no trailing zeros, the greatest possible suffix.
 */
export function formatQuantity({ unscaled, scale, format }: Quantity): string {
  if (unscaled === 0n) return '0';
  if (format === 'BinarySI') {
    const whole = wholeValue(unscaled, scale);
    // Small and fractional values would lose precision in powers of two, and are written in powers of ten.
    if (whole !== undefined && magnitude(whole) >= 1024n) return formatBinary(whole);
  }
  return formatDecimal(unscaled, scale, format);
}

/**
 * Compares two ordinary quantities of one suffix by their numbers; undefined for others. Requests and limits mostly
 * have one suffix.
 */
function comparePlain(a: string, b: string): number | undefined {
  const left = plainSuffix(a);
  const right = plainSuffix(b);
  if (left === 0 || right === 0 || a.slice(left) !== b.slice(right)) return undefined;
  return Number(a.slice(0, left)) - Number(b.slice(0, right));
}

/**
 * Compares the values of two quantities.
 *
 * @returns a negative number, zero or a positive number; undefined when a string is not a quantity
 */
export function compareQuantity(a: string, b: string): number | undefined {
  const plain = comparePlain(a, b);
  if (plain !== undefined) return plain;
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return left && right && compareQuantities(left, right);
}

/** Compares two values: a negative number, zero or a positive number. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = sign(a.unscaled) - sign(b.unscaled);
  if (signs !== 0 || a.unscaled === 0n) return signs;
  if (a.scale === b.scale) return a.unscaled < b.unscaled ? -1 : a.unscaled > b.unscaled ? 1 : 0;
  // Numbers of different length are compared without expanding them, since they may be very long.
  const lengths = digitCount(a) - digitCount(b);
  if (lengths !== 0) return lengths * sign(a.unscaled);
  const scale = Math.min(a.scale, b.scale);
  return sign(a.unscaled * powerOfTen(a.scale - scale) - b.unscaled * powerOfTen(b.scale - scale));
}

/** Returns the value as a double. Precision may be lost, and a value out of range is infinite. */
export function quantityToNumber(text: string): number | undefined {
  const quantity = parseQuantity(text);
  return quantity && Number(`${quantity.unscaled}e${quantity.scale}`);
}

/**
 * Returns the value in multiples of `10^scale`, rounded away from zero: 0 for whole units, -3 for thousandths.
 *
 * @returns undefined when the string is not a quantity, or the value has more than 1,000 digits
 */
export function quantityToBigInt(text: string, scale = 0): bigint | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined || digitCount(quantity) - scale > 1000) return undefined;
  return rescale(quantity.unscaled, quantity.scale, scale);
}

function readQuantity(text: string): Quantity | string {
  const parts = scanQuantity(text);
  if (typeof parts === 'string') return parts;
  const digits = BigInt(parts.whole + parts.fraction);
  if (digits === 0n) return { unscaled: 0n, scale: 0, format: parts.format };
  if (parts.format === 'BinarySI') return readBinary(parts, digits, text);
  const scale = parts.exponent - parts.fraction.length;
  const signed = parts.negative ? -digits : digits;
  if (scale < NANO) return { unscaled: rescale(signed, scale, NANO), scale: NANO, format: parts.format };
  const originalText = keepsDecimalText(parts, scale) ? text : undefined;
  return { unscaled: signed, scale, format: parts.format, originalText };
}

function readBinary(parts: QuantityText, digits: bigint, text: string): Quantity {
  const { fraction, exponent, negative } = parts;
  const exact = digits << BigInt(exponent);
  const scale = fraction.length === 0 ? 0 : NANO;
  const positive = scale === 0 ? exact : rescale(exact, -fraction.length, scale);
  const cap = scale === 0 ? MAX_BINARY : MAX_BINARY * powerOfTen(-scale);
  const capped = positive > cap ? cap : positive;
  const originalText = keepsBinaryText(parts, digits) ? text : undefined;
  // A part of one is kept in powers of ten, also when more is added to it.
  const format = scale === NANO && capped < ONE_IN_NANO ? 'DecimalSI' : 'BinarySI';
  return { unscaled: negative ? -capped : capped, scale, format, originalText };
}

/** Returns true when the quick check of Kubernetes considers a text canonical; a full check would sometimes differ. */
function keepsDecimalText({ whole, fraction }: QuantityText, scale: number): boolean {
  const digits = whole + fraction;
  return digits.length <= NARROW_DIGITS && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function keepsBinaryText({ whole, fraction, exponent }: QuantityText, digits: bigint): boolean {
  const fits = NARROW_BINARY_DIGITS - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
  return fits && fraction === '' && (digits & 7n) !== 0n;
}

function formatDecimal(unscaled: bigint, scale: number, format: QuantityFormat): string {
  let number = unscaled;
  let power = scale;
  while (number % 10n === 0n) {
    number /= 10n;
    power += 1;
  }
  const step = ((power % 3) + 3) % 3;
  number *= powerOfTen(step);
  power -= step;
  if (format === 'DecimalExponent') return power === 0 ? `${number}` : `${number}e${power}`;
  // No suffix exists above exa: greater values have more digits.
  if (power > EXA) return `${number * powerOfTen(power - EXA)}E`;
  return `${number}${SUFFIX_OF_POWER.get(power) ?? ''}`;
}

function formatBinary(whole: bigint): string {
  let number = whole;
  let power = 0;
  while (number % 1024n === 0n && power < 60) {
    number /= 1024n;
    power += 10;
  }
  return `${number}${SUFFIX_OF_BINARY_POWER.get(power) ?? ''}`;
}

/** Returns `value · 10^from` in multiples of `10^to`, rounded away from zero. */
function rescale(value: bigint, from: number, to: number): bigint {
  if (from >= to) return value * powerOfTen(from - to);
  // All digits are cut off: the rounded value is one unit.
  if (to - from > value.toString().length) return BigInt(sign(value));
  const divisor = powerOfTen(to - from);
  const quotient = value / divisor;
  return value % divisor === 0n ? quotient : quotient + BigInt(sign(value));
}

function wholeValue(unscaled: bigint, scale: number): bigint | undefined {
  if (scale >= 0) return unscaled * powerOfTen(scale);
  const divisor = powerOfTen(-scale);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

/** Returns the number of digits before the point, which is negative for small fractions. */
function digitCount({ unscaled, scale }: Quantity): number {
  return magnitude(unscaled).toString().length + scale;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function sign(value: bigint): number {
  return value > 0n ? 1 : value < 0n ? -1 : 0;
}

function powerOfTen(power: number): bigint {
  return 10n ** BigInt(power);
}

export { quantityErrors, type QuantityFormat };
