/**
 * Equality and order across types: numbers are compared by value, values of different types are unequal, and lists and
 * maps are compared item by item (cel-spec, "Equality" and "Ordering").
 *
 * @module
 */
import { compareBytes, equalBytes } from '../encoding/bytes.js';
import { compareText } from '../encoding/code-points.js';
import type { Meter } from './meter.js';
import { CelDuration, CelTimestamp } from './time-values.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from './values.js';

/** Each compared item costs as much as a character; otherwise comparing nested values would be free. */
const ITEM_COST = 0.1;
/** Lengths that the host compares in the time of one step. */
const LONG_TEXT = 10_000;
const LONG_BYTES = 1000;

/** Returns true when two values are equal. */
export function equalValues(a: CelValue, b: CelValue, meter: Meter): boolean {
  if (typeof a === 'string') return typeof b === 'string' && equalText(a, b, meter);
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b, meter);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b, meter);
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalByteStrings(a, b, meter);
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.equals(b);
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b, meter);
  return a === b;
}

/** Compares two texts. Only long texts of equal length take time. */
function equalText(a: string, b: string, meter: Meter): boolean {
  if (a.length !== b.length) return false;
  if (a.length > LONG_TEXT) meter.charge(a.length / LONG_TEXT);
  return a === b;
}

/** Compares two byte strings. Only long ones of equal length take time. */
function equalByteStrings(a: Uint8Array, b: Uint8Array, meter: Meter): boolean {
  if (a.length === b.length && a.length > LONG_BYTES) meter.charge(a.length / LONG_BYTES);
  return equalBytes(a, b);
}

/** Returns the comparison of parts of a value, each at a cost. */
const equalParts =
  (meter: Meter) =>
  (a: CelValue, b: CelValue): boolean => {
    meter.charge(ITEM_COST);
    return equalValues(a, b, meter);
  };

function equalLists(a: CelList, b: CelList, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  if (a.equals !== undefined) {
    meter.charge(ITEM_COST * a.size);
    return a.equals(b, equalParts(meter));
  }
  for (let index = 0; index < a.size; index += 1) {
    meter.charge(ITEM_COST);
    if (!equalValues(a.at(index), b.at(index), meter)) return false;
  }
  return true;
}

function equalMaps(a: CelMap, b: CelMap, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  if (a.equals !== undefined) return a.equals(b, equalParts(meter));
  for (const key of a.keys()) {
    meter.charge(ITEM_COST);
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined || !equalValues(left, right, meter)) return false;
  }
  return true;
}

function equalOptionals(a: CelOptional, b: CelOptional, meter: Meter): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalValues(a.value, b.value, meter);
}

type CelNumber = bigint | number | CelUint;

const isNumber = (value: CelValue): value is CelNumber =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof CelUint;

/**
 * Compares two values.
 *
 * @returns negative, zero or positive; NaN when they are unordered; undefined when their types have no order
 */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  if (isNumber(a)) return isNumber(b) ? compareNumbers(a, b) : undefined;
  if (typeof a === 'string') return typeof b === 'string' ? compareText(a, b) : undefined;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : undefined;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp ? compareIntegers(a.nanos, b.nanos) : undefined;
  if (a instanceof CelDuration) return b instanceof CelDuration ? compareIntegers(a.nanos, b.nanos) : undefined;
  return undefined;
}

const compareIntegers = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** As in Kubernetes, a double beyond 64 bits is larger than every integer, and 2^63 equals the largest integer. */
function compareNumbers(a: CelNumber, b: CelNumber): number {
  const [left, right] = [a instanceof CelUint ? a.value : a, b instanceof CelUint ? b.value : b];
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  if (typeof left === 'bigint' && typeof right === 'bigint') return compareIntegers(left, right);
  const [x, y] = [Number(left), Number(right)];
  return x < y ? -1 : x > y ? 1 : 0;
}
