/**
 * Converts literals of the parsing library into values: checks ranges, and parses bytes again where the library treats
 * a character as a byte.
 *
 * @module
 */
import { appendAll } from '../meta/append-to.js';
import { encodeUtf8, isAscii } from '../encoding/utf8.js';
import { CelUint, type CelValue } from './values.js';

/** A literal of the library; its unsigned integers are objects with a `value`. */
export type LibraryLiteral = string | number | bigint | boolean | null | Uint8Array | { readonly value: bigint };

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);

/**
 * Returns the value of a literal.
 *
 * @param source the literal's text
 * @returns the value, and its problem with the message of Kubernetes
 */
export function readLiteral(
  literal: LibraryLiteral,
  source: string,
): { readonly value: CelValue; readonly problem?: string } {
  if (typeof literal === 'bigint')
    return literal > MAX_INT || literal < MIN_INT ? { value: 0n, problem: 'invalid int literal' } : { value: literal };
  if (literal instanceof Uint8Array) return { value: isAscii(source) ? Uint8Array.from(literal) : readBytes(source) };
  if (typeof literal === 'object' && literal !== null) return { value: new CelUint(literal.value) };
  return { value: literal };
}

const shortEscapes: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

/**
 * Parses bytes such as `b"é\xff"`: characters become UTF-8, escapes become single bytes. The library has checked the
 * escapes.
 */
function readBytes(source: string): Uint8Array {
  const quotes = /^[bB]("""|'''|"|')/.exec(source)?.[1]?.length ?? 1;
  const text = source.slice(1 + quotes, source.length - quotes);
  const bytes: number[] = [];

  for (const [token] of text.matchAll(/\\(?:[xX][0-9a-fA-F]{2}|[0-7]{3}|[^])|[^\\]+/g)) {
    if (!token.startsWith('\\')) appendAll(bytes, encodeUtf8(token));
    else if (/^\\[xX]/.test(token)) bytes.push(Number.parseInt(token.slice(2), 16));
    else if (token.length === 4) bytes.push(Number.parseInt(token.slice(1), 8));
    else bytes.push(shortEscapes[token.charAt(1)] ?? token.charCodeAt(1));
  }
  return Uint8Array.from(bytes);
}
