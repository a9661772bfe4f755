/**
 * JSON values and numbers as Go prints them. Text and Go syntax are in `go-text.ts`.
 *
 * @module
 */
import { compareText } from '../encoding/code-points.js';
import { isArray, type JsonValue } from './json.js';

/** Formats a double with its shortest digits; below 1e-4 and from `10^limit`, with an exponent of at least two digits. */
function shortestDigits(value: number, limit: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < limit) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a finite number with `%v`: with an exponent below 1e-4 and from 1e21. */
export const goNumber = (value: number): string => shortestDigits(value, 21);

/** Formats a finite double as `FormatFloat(value, 'g', -1, 64)` does: with an exponent below 1e-4 and from 1e6. */
export const goFloat = (value: number): string => shortestDigits(value, 6);

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
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
