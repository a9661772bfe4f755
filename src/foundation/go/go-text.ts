/**
 * Text as Go prints it: error messages of Kubernetes show values with the verbs `%q` and `%#v`.
 *
 * @module
 */

import { compareText } from '../encoding/code-points.js';
import { hexNumber } from '../encoding/hex.js';
import { isArray, type JsonValue } from '../json/json.js';
import { SHORT_ESCAPES } from './go-escapes.js';
import { goNumber } from './go-values.js';

/** Characters that are printed without escapes: letters, marks, numbers, punctuation, symbols and the plain space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Returns true for a character (one code point) that is printed without escapes. */
export function isPrintable(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code < 0x80 && character.length === 1) return code >= 0x20 && code !== 0x7f;
  return PRINTABLE.test(character);
}

/** Returns the text in double quotes, with unprintable characters escaped: `%q`. */
export function goQuote(text: string): string {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return `"${escapeAll(text)}"`;
  }
  return `"${text}"`;
}

/** Formats a list of texts with `%#v`: `[]string{"a", "b"}`. */
export function goStringSlice(items: readonly string[]): string {
  return `[]string{${items.map(goQuote).join(', ')}}`;
}

/**
 * Formats a JSON value with `%#v`, in Go syntax: `map[string]interface {}{"a":1, "b":[]interface {}{true}}`, with
 * sorted keys.
 */
export function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (typeof value !== 'object') return String(value);
  if (isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  const members = Object.entries(value).sort(([a], [b]) => compareText(a, b));
  return `map[string]interface {}{${members.flatMap(([key, member]) => (member === undefined ? [] : [`${goQuote(key)}:${goSyntax(member)}`])).join(', ')}}`;
}

export { utf8Length } from '../encoding/utf8.js';

function escapeAll(text: string): string {
  let escaped = '';
  for (const character of text)
    escaped += SHORT_ESCAPES[character] ?? (isPrintable(character) ? character : escapeCode(character));
  return escaped;
}

function escapeCode(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hexNumber(code, 2)}`;
  // A lone surrogate is not text; Go decodes it to the replacement character.
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code > 0xffff ? `\\U${hexNumber(code, 8)}` : `\\u${hexNumber(code, 4)}`;
}
