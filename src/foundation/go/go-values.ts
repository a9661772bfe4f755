/**
 * JSON values and numbers as Go prints them. Text and Go syntax are in `go-text.ts`.
 *
 * @module
 */
import { compareText } from '../encoding/code-points.js';
import { isArray, type JsonValue } from '../json/json.js';

/** Integers from this size on are doubles in Go. */
const INT64_LIMIT = 2 ** 63;

/** Formats a number of JSON with `%v`: integers of 64 bits with all digits, others as {@link goFloat} does. */
export const goNumber = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < INT64_LIMIT ? String(value) : goFloat(value);

/** Formats a finite double as `FormatFloat(value, 'g', -1, 64)` does: with an exponent below 1e-4 and from 1e6. */
export function goFloat(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a JSON value with `%v`: `map[a:1 b:[x y]]`, with sorted keys. */
export function goValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  if (isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `map[${keys
    .sort(compareText)
    .map((key) => `${key}:${goValue(value[key] ?? null)}`)
    .join(' ')}]`;
}

/** Returns the Go type of a JSON value, as `%T` prints it: `map[string]interface {}`, `int64`; `<nil>` for null. */
export function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
