const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const ZERO = 0x30;

/**
 * Compares keys in the order of Kubernetes' YAML library: letters come after other characters, and digit sequences are
 * compared by value (`item2` before `item10`).
 */
export function compareYamlKeys(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  let at = 0;
  while (at < shared && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) && a.codePointAt(at - 1) !== b.codePointAt(at - 1)) at -= 1;
  return at === shared ? a.length - b.length : compareFrom(a, b, at, codeAt(a, at), codeAt(b, at));
}

/** Compares keys that differ in the characters `one` and `other` at an index. */
function compareFrom(a: string, b: string, at: number, one: number, other: number): number {
  const oneIsLetter = isLetter(one);
  const otherIsLetter = isLetter(other);
  if (oneIsLetter !== otherIsLetter) return otherIsLetter ? -1 : 1;
  if (!oneIsLetter && (isDigit(one) || isDigit(other))) {
    // A zero within a number is not a leading zero.
    const start = (one === ZERO || other === ZERO) && isWithinNumber(a, at) ? 1 : 0;
    const first = digitsFrom(a, at, start);
    const second = digitsFrom(b, at, start);
    if (first.value !== second.value) return first.value - second.value;
    if (first.count !== second.count) return first.count - second.count;
  }
  return one - other;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const codeAt = (text: string, at: number): number => text.codePointAt(at) ?? 0;

const isLetter = (code: number): boolean =>
  code < 0x80 ? (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a : LETTER.test(String.fromCodePoint(code));

const isDigit = (code: number): boolean =>
  code < 0x80 ? code >= ZERO && code <= 0x39 : DIGIT.test(String.fromCodePoint(code));

/** Returns true when a digit other than zero precedes in the same run of digits. */
function isWithinNumber(text: string, at: number): boolean {
  for (let before = at; before > 0;) {
    const isPair = before > 1 && codeAt(text, before - 2) > 0xffff;
    before -= isPair ? 2 : 1;
    const code = codeAt(text, before);
    if (!isDigit(code)) return false;
    if (code !== ZERO) return true;
  }
  return false;
}

/** Returns the value of the digits from an index on, after a digit `start`, and their number. */
function digitsFrom(text: string, at: number, start: number): { value: number; count: number } {
  let value = start;
  let count = 0;
  for (let index = at; index < text.length; count += 1) {
    const code = codeAt(text, index);
    if (!isDigit(code)) break;
    value = value * 10 + code - ZERO;
    index += code > 0xffff ? 2 : 1;
  }
  return { value, count };
}
