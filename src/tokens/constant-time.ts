/**
 * Equality of two texts in a time that does not tell how much of them is alike: every character is looked at, wherever the
 * first difference is. Only whether the lengths differ shows.
 */
export function equalInConstantTime(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index += 1)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % (b.length || 1));
  return difference === 0;
}
