/**
 * JSON as the encoder of Go, the language of Kubernetes, writes it.
 *
 * @module
 */
import { ownMember } from '../collections/own-property.js';
import { compareText } from '../encoding/code-points.js';
import { hexNumber } from '../encoding/hex.js';
import { isArray, type JsonValue } from '../json/json.js';

/** Number of keys up to which inserting each at its place is faster than the engine's sort. */
const FEW_KEYS = 32;

/** Returns the own enumerable keys of an object in byte order. */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS) return keys.sort(compareText);
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && compareText(keys[place - 1] as string, key) > 0; place -= 1)
      keys[place] = keys[place - 1] as string;
    keys[place] = key;
  }
  return keys;
}

/** Returns JSON with sorted keys and HTML-safe strings, as Go's encoder writes it. */
export function goJson(value: JsonValue): string {
  if (typeof value === 'string') return goJsonString(value);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
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
    const escape = ownMember(JSON_ESCAPES, character);
    if (escape !== undefined) out += escape;
    else if (code < 0x20 || code === 0x3c || code === 0x3e || code === 0x26 || code === 0x2028 || code === 0x2029)
      out += `\\u${hexNumber(code, 4)}`;
    else out += code >= 0xd800 && code <= 0xdfff ? '\\ufffd' : character;
  }
  return `${out}"`;
}
