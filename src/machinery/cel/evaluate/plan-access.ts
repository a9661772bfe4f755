/**
 * Fields and indices of maps, lists and optional values. Access to an absent optional value is absent.
 *
 * @module
 */
import type { CelResult } from '../types/declarations.js';
import { CelCostError, CelEvaluationError, CelFailure, failure, noSuchOverload } from './failures.js';
import { CelList, CelMap, CelOptional, CelUint, typeNameOf, type CelValue } from './values.js';

/** Formats a key for messages. */
const keyText = (key: CelValue): string =>
  key instanceof CelUint ? String(key.value) : typeof key === 'object' ? typeNameOf(key) : String(key);

/** Returns the value of a key, which may be null. */
function entryOf(map: CelMap, key: CelValue): CelResult {
  const value = readEntry(map, key);
  return value === undefined ? failure(`no such key: ${keyText(key)}`) : value;
}

/** Returns the value of a key, undefined when it is absent, or the failure of a value that cannot be read. */
function readEntry(map: CelMap, key: CelValue): CelResult | undefined {
  try {
    return map.get(key);
  } catch (error) {
    if (error instanceof CelEvaluationError && !(error instanceof CelCostError)) return failure(error.message);
    throw error;
  }
}

/** `value.field`. */
export function selectFrom(value: CelResult, field: string): CelResult {
  if (value instanceof CelMap) return entryOf(value, field);
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalSelect(value, field);
  return value instanceof CelFailure ? value : noSuchOverload();
}

/** `has(value.field)`. */
export function hasField(value: CelResult, field: string): CelResult {
  if (value instanceof CelMap) return value.get(field) !== undefined;
  if (value instanceof CelOptional) return value.value !== undefined && hasField(value.value, field);
  return value instanceof CelFailure ? value : noSuchOverload();
}

/** `value.?field`. */
export function optionalSelect(value: CelResult, field: string): CelResult {
  if (value instanceof CelMap) return CelOptional.of(value.get(field));
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalSelect(value.value, field);
  return value instanceof CelFailure ? value : noSuchOverload();
}

/** Returns the integer of an index; undefined for an invalid index. */
function integerIndex(index: CelValue): bigint | undefined {
  if (index instanceof CelUint) return index.value;
  if (typeof index === 'number') return Number.isInteger(index) ? BigInt(index) : undefined;
  return typeof index === 'bigint' ? index : undefined;
}

/** `value[index]`. */
export function indexInto(value: CelValue, index: CelValue): CelResult {
  if (value instanceof CelMap) return entryOf(value, index);
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalIndex(value.value, index);
  if (!(value instanceof CelList)) return noSuchOverload();
  const integer = integerIndex(index);
  if (integer === undefined) return failure('unsupported index type');
  return integer < 0n || integer >= BigInt(value.size)
    ? failure(`index out of bounds: ${String(integer)}`)
    : value.at(Number(integer));
}

/** `value[?index]`. */
export function optionalIndex(value: CelValue, index: CelValue): CelResult {
  if (value instanceof CelMap) return CelOptional.of(value.get(index));
  if (value instanceof CelOptional) return value.value === undefined ? value : optionalIndex(value.value, index);
  if (!(value instanceof CelList)) return noSuchOverload();
  const integer = integerIndex(index);
  return CelOptional.of(
    integer === undefined || integer < 0n || integer >= BigInt(value.size) ? undefined : value.at(Number(integer)),
  );
}
