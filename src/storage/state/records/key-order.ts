/**
 * The order of keys: by UTF-8 bytes, which equals code point order.
 *
 * JavaScript compares UTF-16 code units. The two orders differ only between a surrogate and a code unit above the
 * surrogates, so the native comparison is correct until a key contains a unit from U+D800.
 *
 * @module
 */

const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Returns whether a key contains a code unit for which the native comparison may be wrong. */
export function needsCodePointOrder(key: string): boolean {
  for (let index = 0; index < key.length; index++) {
    if (key.charCodeAt(index) >= FIRST_SURROGATE) return true;
  }
  return false;
}

/** Maps a code unit so that surrogates sort after the units that follow them, in code point order. */
function weight(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < AFTER_SURROGATES ? unit + 0x2000 : unit - 0x800;
}

/** Returns whether `left` precedes `right` in code point order. */
export function precedesByCodePoint(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return weight(a) < weight(b);
  }
  return left.length < right.length;
}

/** Compares two keys in the order of keys: negative when `left` precedes `right`, 0 when they are equal. */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const precedes =
    needsCodePointOrder(left) || needsCodePointOrder(right) ? precedesByCodePoint(left, right) : left < right;
  return precedes ? -1 : 1;
}
