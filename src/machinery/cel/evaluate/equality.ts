/**
 * Equality and order across types: numbers are compared by value, values of different types are unequal, and lists and
 * maps are compared item by item (cel-spec, "Equality" and "Ordering").
 *
 * @module
 */
import { atOnce, compareBytes, compareText, equalBytes, type Steps } from '../../../foundation/index.js';
import type { Meter } from '../cost/meter.js';
import { CelDuration, CelTimestamp } from './time-values.js';
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from './values.js';

/** Work of comparing an item. */
const ITEM_WORK = 1;
/** Lengths that the host compares in a unit of work. */
const LONG_TEXT = 500;
const LONG_BYTES = 64;

/** Returns true when two values are equal. */
export function equalValues(a: CelValue, b: CelValue, meter: Meter): boolean {
  return equalScalars(a, b, meter) ?? atOnce(equalWholes(a, b, meter));
}

/** {@link equalValues} in steps: it may pause between the parts of lists and maps. */
export function* equalInSteps(a: CelValue, b: CelValue, meter: Meter): Steps<boolean> {
  return equalScalars(a, b, meter) ?? (yield* equalWholes(a, b, meter));
}

/** Returns true when a list has a value, in steps. */
export function* hasItem(list: CelList, value: CelValue, meter: Meter): Steps<boolean> {
  for (const item of list) {
    if (meter.step(ITEM_WORK)) yield;
    if (equalScalars(item, value, meter) ?? (yield* equalWholes(item, value, meter))) return true;
  }
  return false;
}

/** Returns true for a value whose comparison can take long. */
export const hasParts = (value: CelValue): boolean =>
  value instanceof CelList || value instanceof CelMap || value instanceof CelOptional;

/** Returns whether two values are equal; undefined when both have parts. */
function equalScalars(a: CelValue, b: CelValue, meter: Meter): boolean | undefined {
  if (typeof a === 'string') return typeof b === 'string' && equalText(a, b, meter);
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (hasParts(a)) return hasParts(b) ? undefined : false;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalByteStrings(a, b, meter);
  if (a instanceof CelOpaque) return b instanceof CelOpaque && a.equals(b);
  return a === b;
}

/** Compares two values with parts. */
function* equalWholes(a: CelValue, b: CelValue, meter: Meter): Steps<boolean> {
  if (a instanceof CelList) return b instanceof CelList && (yield* equalLists(a, b, meter));
  if (a instanceof CelMap) return b instanceof CelMap && (yield* equalMaps(a, b, meter));
  if (!(a instanceof CelOptional && b instanceof CelOptional)) return false;
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return yield* equalInSteps(a.value, b.value, meter);
}

/** Compares two texts. Only long texts of equal length take time. */
function equalText(a: string, b: string, meter: Meter): boolean {
  if (a.length !== b.length) return false;
  if (a.length > LONG_TEXT) meter.work(a.length / LONG_TEXT);
  return a === b;
}

/** Compares two byte strings. Only long ones of equal length take time. */
function equalByteStrings(a: Uint8Array, b: Uint8Array, meter: Meter): boolean {
  if (a.length === b.length && a.length > LONG_BYTES) meter.work(a.length / LONG_BYTES);
  return equalBytes(a, b);
}

/** Returns the comparison of parts of a value, each at a cost. */
const equalParts = (meter: Meter) =>
  function* (a: CelValue, b: CelValue): Steps<boolean> {
    if (meter.step(ITEM_WORK)) yield;
    return yield* equalInSteps(a, b, meter);
  };

function* equalLists(a: CelList, b: CelList, meter: Meter): Steps<boolean> {
  if (a.size !== b.size) return false;
  if (a.equals !== undefined) {
    meter.work(a.size);
    return yield* a.equals(b, equalParts(meter), (units) => meter.step(units));
  }
  for (let index = 0; index < a.size; index += 1) {
    if (meter.step(ITEM_WORK)) yield;
    const [left, right] = [a.at(index), b.at(index)];
    if (!(equalScalars(left, right, meter) ?? (yield* equalWholes(left, right, meter)))) return false;
  }
  return true;
}

function* equalMaps(a: CelMap, b: CelMap, meter: Meter): Steps<boolean> {
  if (a.size !== b.size) return false;
  if (a.equals !== undefined) return yield* a.equals(b, equalParts(meter), (units) => meter.step(units));
  for (const key of a.keys()) {
    if (meter.step(ITEM_WORK)) yield;
    const [left, right] = [a.get(key), b.get(key)];
    if (left === undefined || right === undefined) return false;
    if (!(equalScalars(left, right, meter) ?? (yield* equalWholes(left, right, meter)))) return false;
  }
  return true;
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
