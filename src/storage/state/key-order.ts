/**
 * The order of keys: by UTF-8 bytes, which is the order of code points.
 *
 * The language compares UTF-16 code units. The two orders part only where a surrogate meets a unit above the surrogates,
 * so the native comparison serves until a key holds a unit from U+D800 on.
 *
 * @module
 */

const FIRST_SURROGATE = 0xd800;
const BEHIND_SURROGATES = 0xe000;

/** Whether a key holds a code unit for which the native comparison of strings may be wrong. */
export function needsCodePointOrder(key: string): boolean {
  for (let index = 0; index < key.length; index++) {
    if (key.charCodeAt(index) >= FIRST_SURROGATE) return true;
  }
  return false;
}

/** Moves the surrogates behind the units that follow them, which is where their code points belong. */
function weight(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < BEHIND_SURROGATES ? unit + 0x2000 : unit - 0x800;
}

/** Whether `left` comes before `right` in the order of code points. */
export function precedesByCodePoint(left: string, right: string): boolean {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return weight(a) < weight(b);
  }
  return left.length < right.length;
}
