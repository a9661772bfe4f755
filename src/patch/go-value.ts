import { isArray, type JsonValue } from '../meta/json.js';

/** A JSON value as the production system's language prints it with `%v`: `map[a:1 b:[x y]]`, keys in order. */
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

/** Its type there: `map[string]interface {}`, `[]interface {}`, `string`, `int64`, `float64`, `bool`; null has none, and prints so. */
export function goType(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** What the JSON decoder there calls it: `object`, `array`, `string`, `number`, `bool`, `null`. */
export function goJsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return isArray(value) ? 'array' : 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Shortest digits; an exponent, of two digits at least, below 1e-4 and from 1e21 on. */
function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || Number.isInteger(value) || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`;
}
