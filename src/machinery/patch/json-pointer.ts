/**
 * JSON Pointer, RFC 6901.
 *
 * @module
 */

/**
 * Returns the unescaped tokens of a pointer; undefined for an invalid pointer: without a leading slash, or with a `~`
 * that is not followed by 0 or 1.
 */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (pointer.charCodeAt(0) !== 0x2f) return undefined;
  const tokens = pointer.split('/');
  tokens.shift();
  if (!pointer.includes('~')) return tokens;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = unescapeToken(tokens[index] as string);
    if (token === undefined) return undefined;
    tokens[index] = token;
  }
  return tokens;
}

function unescapeToken(token: string): string | undefined {
  let end = token.indexOf('~');
  if (end < 0) return token;
  let text = '';
  let start = 0;
  for (; end >= 0; end = token.indexOf('~', start)) {
    const code = token.charCodeAt(end + 1);
    if (code !== 0x30 && code !== 0x31) return undefined;
    text += token.slice(start, end) + (code === 0x30 ? '~' : '/');
    start = end + 2;
  }
  return text + token.slice(start);
}

/**
 * Returns the place in an array that a token names; -1 for none of them, also for `-`. As in release 1.31, a number may
 * have a sign and leading zeros, and a negative one counts from the end. RFC 6901 allows neither.
 *
 * @param places number of places: the length, or one more where an item may be inserted at the end
 */
export function arrayIndex(token: string, places: number): number {
  const sign = token.charCodeAt(0);
  const negative = sign === MINUS;
  const start = negative || sign === PLUS ? 1 : 0;
  if (token.length === start) return -1;
  let number = 0;
  for (let at = start; at < token.length; at += 1) {
    const digit = token.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    // Beyond that, the exact number does not matter.
    number = Math.min(number * 10 + digit, Number.MAX_SAFE_INTEGER);
  }
  const index = negative && number > 0 ? places - number : number;
  return index < 0 || index >= places ? -1 : index;
}

const PLUS = 0x2b;
const MINUS = 0x2d;
