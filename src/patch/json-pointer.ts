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

/** Returns the array index of a token: digits without a leading zero, at most `last`; otherwise -1, also for `-`. */
export function arrayIndex(token: string, last: number): number {
  const { length } = token;
  // No array index needs sixteen digits, and they are exact in a double.
  if (length === 0 || length > 16 || (length > 1 && token.charCodeAt(0) === 0x30)) return -1;
  let index = 0;
  for (let at = 0; at < length; at += 1) {
    const digit = token.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    index = index * 10 + digit;
  }
  return index > last ? -1 : index;
}
