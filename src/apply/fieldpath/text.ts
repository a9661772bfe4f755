/**
 * Text as Go, the language of Kubernetes, writes it: JSON as its encoder writes it, and values in messages.
 *
 * @module
 */
import { hexNumber } from '../../encoding/hex.js';
import { compareText } from '../../encoding/utf8.js';
import { goQuote } from '../../meta/go-text.js';
import { isArray, type JsonValue } from '../../meta/json.js';

/** Returns the own enumerable keys of an object in byte order. */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  for (let index = 1; index < keys.length; index += 1) {
    if (compareText(keys[index - 1] as string, keys[index] as string) > 0) return keys.sort(compareText);
  }
  return keys;
}

/** Returns JSON with sorted keys and HTML-safe strings, as Go's encoder writes it. */
export function goJson(value: JsonValue): string {
  if (typeof value === 'string') return goJsonString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(goJson).join(',')}]`;
  const members: string[] = [];
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member !== undefined) members.push(`${goJsonString(key)}:${goJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

function goJsonString(text: string): string {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Quote, backslash, control characters, <, >, & and everything from the line separators upward take the slow path.
    if (
      unit < 0x20 ||
      unit === 0x22 ||
      unit === 0x5c ||
      unit === 0x3c ||
      unit === 0x3e ||
      unit === 0x26 ||
      unit >= 0x2028
    )
      return escapedJsonString(text);
  }
  return `"${text}"`;
}

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapedJsonString(text: string): string {
  let out = '"';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const escape = JSON_ESCAPES[character];
    if (escape !== undefined) out += escape;
    else if (code < 0x20 || code === 0x3c || code === 0x3e || code === 0x26 || code === 0x2028 || code === 0x2029)
      out += `\\u${hexNumber(code, 4)}`;
    else out += code >= 0xd800 && code <= 0xdfff ? '\\ufffd' : character;
  }
  return `${out}"`;
}

/** Formats a value as `%v` does: `map[a:1 b:[x y]]`. */
export function goPlain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${goPlain(value[key] ?? null)}`)
    .join(' ')}]`;
}

/** Formats a value as `%#v` does: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value !== 'object') return String(value);
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  return `map[string]interface {}{${sortedKeys(value)
    .map((key) => `${goQuote(key)}:${goSyntax(value[key] ?? null)}`)
    .join(', ')}}`;
}

/** Returns the name of a value's type as `%T` writes it. */
export function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
