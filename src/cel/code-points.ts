/**
 * Text as code points, the characters of CEL. JavaScript uses UTF-16 units.
 *
 * @module
 */

/** Returns the characters of a text. */
export const codePointsOf = (text: string): string[] => Array.from(text);

/** Returns the number of characters of a text. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 1; index < text.length; index += 1) {
    const [high, low] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
    if (high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) count -= 1;
  }
  return count;
}
