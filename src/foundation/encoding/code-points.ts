/**
 * Text as code points, the characters of Unicode. JavaScript uses UTF-16 units.
 *
 * @module
 */

import { isAscii } from './utf8.js';

/** Returns the code points of a text. */
export const codePointsOf = (text: string): string[] => Array.from(text);

/** Returns the number of code points of a text. A lone surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length;
  if (count > LONG && isAscii(text)) return count;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & HALF) !== HIGH || (text.charCodeAt(index + 1) & HALF) !== LOW) continue;
    count -= 1;
    index += 1;
  }
  return count;
}

/** Number of characters from which looking for one beyond ASCII first is faster. */
const LONG = 256;

/** The bits of a surrogate that say which half of a pair it is, and their values. */
const HALF = 0xfc00;
const HIGH = 0xd800;
const LOW = 0xdc00;

/**
 * Compares texts by code points, which is the order of their UTF-8 bytes and of strings in Go. Returns less than zero
 * when `a` comes first.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = equalLength(a, b, length); index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right)
      return left >= 0xd800 && right >= 0xd800 ? codePointRank(left) - codePointRank(right) : left - right;
  }
  return a.length - b.length;
}

/** Characters that the host compares at once. */
const PIECE = 1024;

/** Returns a length up to which two texts are equal; their next pieces differ. */
function equalLength(a: string, b: string, length: number): number {
  let from = 0;
  while (from + PIECE <= length && a.slice(from, from + PIECE) === b.slice(from, from + PIECE)) from += PIECE;
  return from;
}

/** Ranks surrogates, which encode code points past U+FFFF, after the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
