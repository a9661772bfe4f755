/**
 * Text as code points, the characters of Unicode. JavaScript uses UTF-16 units.
 *
 * @module
 */

/** Returns the code points of a text. */
export const codePointsOf = (text: string): string[] => Array.from(text);

/** Returns the number of code points of a text. A lone surrogate counts as one. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    const [high, low] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
    if (high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) count -= 1;
  }
  return count;
}

/**
 * Compares texts by code points, which is the order of their UTF-8 bytes and of strings in Go. Returns less than zero
 * when `a` comes first.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right)
      return left >= 0xd800 && right >= 0xd800 ? codePointRank(left) - codePointRank(right) : left - right;
  }
  return a.length - b.length;
}

/** Ranks surrogates, which encode code points past U+FFFF, after the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
