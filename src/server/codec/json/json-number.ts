/**
 * Numbers of a JSON text that a double does not represent as they are written.
 *
 * @module
 */
import { isBigInteger } from '../../../foundation/index.js';
import { DecodeProblem } from '../decode-problem.js';

const PLUS = 0x2b;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Digits of a number that is exact, and not beyond the range of a double with an exponent of two digits. */
const FEW_DIGITS = 15;

/**
 * Returns how a number is held: `double`, `written` when its text differs from that of its double (`4.0`, `1e3`, `-0`),
 * or `bigint`. The answer for a malformed number, which the parser refuses later, does not matter.
 *
 * @param isInteger whether the number has neither a fraction nor an exponent
 * @throws DecodeProblem for a number beyond the range of a double
 */
export function numberForm(
  text: string,
  start: number,
  end: number,
  isInteger: boolean,
): 'double' | 'written' | 'bigint' {
  const differs = isInteger ? undefined : differsBySight(text, start, end);
  if (differs !== undefined) return differs ? 'written' : 'double';
  const literal = text.slice(start, end);
  if (isInteger && isBigInteger(literal)) return 'bigint';
  const value = Number(literal);
  // The parser refuses a malformed number.
  if (Number.isNaN(value)) return 'double';
  if (!Number.isFinite(value))
    throw new DecodeProblem(`json: cannot unmarshal number ${shorten(literal)} into Go value of type float64`);
  return String(value) === literal ? 'double' : 'written';
}

/**
 * Decides by the characters of a short number with a fraction or an exponent, without making its value and the text of
 * that. Undefined when they do not suffice.
 */
function differsBySight(text: string, start: number, end: number): boolean | undefined {
  if (end - start > FEW_DIGITS) return undefined;
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
  const first = at;
  while (isDigit(text.charCodeAt(at))) at += 1;
  if (at === first) return undefined;
  let last = ZERO;
  if (text.charCodeAt(at) === DOT) {
    // A value below 0.000001 is written with an exponent.
    const isSmall = text.charCodeAt(first) === ZERO && text.charCodeAt(at + 1) === ZERO;
    for (at += 1; isDigit(text.charCodeAt(at)); at += 1) last = text.charCodeAt(at);
    if (at === end && (last === ZERO || !isSmall)) return last === ZERO;
  }
  const exponent = text.charCodeAt(at);
  if (exponent !== UPPER_E && exponent !== LOWER_E) return undefined;
  at += 1;
  const sign = text.charCodeAt(at);
  if (sign === PLUS || sign === MINUS) at += 1;
  // With two digits it is within the range of a double.
  if (end - at === 0 || end - at > 2) return undefined;
  // The text of a value has a sign behind its `e`.
  return exponent === UPPER_E || (sign !== PLUS && sign !== MINUS) ? true : undefined;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

function shorten(literal: string): string {
  return literal.length > 40 ? `${literal.slice(0, 40)}...` : literal;
}
