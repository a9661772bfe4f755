/**
 * JSON as the encoder of Go, the language of Kubernetes, writes it.
 *
 * @module
 */
import { compareText } from '../encoding/code-points.js';
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

/** Characters that `JSON.stringify` writes as they are, and their escapes. */
const HTML_ESCAPES: readonly (readonly [character: string, escape: string])[] = [
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ['\u2028', '\\u2028'],
  ['\u2029', '\\u2029'],
];
/** Characters that `JSON.stringify` escapes in another way: halves of a surrogate pair without the other one, too. */
const OTHER_ESCAPES = /[\b\f\p{Surrogate}]/u;
/** The escapes of those; and of backslashes, since a `b` that follows one is a letter. */
const WRITTEN_ESCAPES = /\\(?:[\\bf]|ud[0-9a-f]{3})/g;

function escapedJsonString(text: string): string {
  let out = JSON.stringify(text);
  if (OTHER_ESCAPES.test(text)) out = out.replace(WRITTEN_ESCAPES, goEscape);
  for (const [character, escape] of HTML_ESCAPES) out = out.replaceAll(character, escape);
  return out;
}

/** Returns how Go writes what `JSON.stringify` writes as an escape. */
function goEscape(escape: string): string {
  if (escape === '\\\\') return escape;
  return escape === '\\b' ? '\\u0008' : escape === '\\f' ? '\\u000c' : '\\ufffd';
}
