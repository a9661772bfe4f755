const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const ASCII_WORD = /^[A-Za-z]*$/;

/**
 * Compares keys in the order of Kubernetes' YAML library: letters come after other characters, and digit sequences are
 * compared by value (`item2` before `item10`).
 */
export function compareYamlKeys(a: string, b: string): number {
  if (a === b) return 0;
  if (ASCII_WORD.test(a) && ASCII_WORD.test(b)) return a < b ? -1 : 1;
  const left = Array.from(a);
  const right = Array.from(b);
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const one = left[at] as string;
    const other = right[at] as string;
    if (one !== other) return compareFrom(left, right, at, one, other);
  }
  return left.length - right.length;
}

function compareFrom(
  left: readonly string[],
  right: readonly string[],
  at: number,
  one: string,
  other: string,
): number {
  const oneIsLetter = LETTER.test(one);
  const otherIsLetter = LETTER.test(other);
  if (oneIsLetter !== otherIsLetter) return otherIsLetter ? -1 : 1;
  if (!oneIsLetter) {
    // A zero within a number is not a leading zero.
    const start = (one === '0' || other === '0') && isWithinNumber(left, at) ? 1 : 0;
    const first = digitsFrom(left, at, start);
    const second = digitsFrom(right, at, start);
    if (first.value !== second.value) return first.value - second.value;
    if (first.end !== second.end) return first.end - second.end;
  }
  return (one.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
}

/** Returns true when a digit other than zero precedes in the same run of digits. */
function isWithinNumber(characters: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0; before -= 1) {
    const character = characters[before] as string;
    if (!DIGIT.test(character)) return false;
    if (character !== '0') return true;
  }
  return false;
}

function digitsFrom(characters: readonly string[], at: number, start: number): { value: number; end: number } {
  let value = start;
  let end = at;
  for (; end < characters.length && DIGIT.test(characters[end] as string); end += 1) {
    value = value * 10 + ((characters[end] as string).codePointAt(0) ?? 0) - 0x30;
  }
  return { value, end };
}
