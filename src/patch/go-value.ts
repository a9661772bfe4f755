import { isArray, type JsonValue } from '../meta/json.js';

/** Formats a JSON value as Go does with `%v`: `map[a:1 b:[x y]]`, with sorted keys. */
export function goValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  if (isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${members.map(([key, member]) => `${key}:${goValue(member ?? null)}`).join(' ')}]`;
}

/**
 * Returns the Go type of a value: `map[string]interface {}`, `[]interface {}`, `string`, `int64`, `float64`, `bool`;
 * the text that Go prints for null, which has no type.
 */
export function goType(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** Returns the name of a value's type in Go's JSON decoder: `object`, `array`, `string`, `number`, `bool`, `null`. */
export function goJsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return isArray(value) ? 'array' : 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Formats a number with its shortest digits; below 1e-4 and from 1e21 with an exponent of at least two digits. */
function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || Number.isInteger(value) || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}
