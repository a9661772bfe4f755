/**
 * Where tokens stand that the parsing library keeps no places of: operators and parentheses.
 *
 * @module
 */

const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r']);

/** The next place that is neither space nor comment. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (SPACE.has(text[at] ?? '')) at += 1;
    if (text[at] !== '/' || text[at + 1] !== '/') return at;
    while (at < text.length && text[at] !== '\n') at += 1;
  }
}

/** Place of the operator that follows an operand; parentheses around the operand are passed over. */
export function operatorAfter(text: string, operandEnd: number): number {
  let at = skipTrivia(text, operandEnd);
  while (text[at] === ')') at = skipTrivia(text, at + 1);
  return at;
}

/**
 * Whether a parenthesis opens between the operator and the start of its right operand. One that closes within the operand,
 * as in `(b).c < d`, is taken for one around all of it: it decides nothing but how a chain of comparisons is read.
 */
export function isParenthesized(text: string, operator: number, operandStart: number): boolean {
  let at = operator;
  while (at < operandStart) {
    at = skipTrivia(text, at);
    if (at < operandStart && text[at] === '(') return true;
    at += 1;
  }
  return false;
}

/** Place of the parenthesis that opens the arguments of `name(…)`. */
export function openingParenthesis(text: string, nameStart: number, name: string): number {
  return skipTrivia(text, nameStart + name.length);
}
