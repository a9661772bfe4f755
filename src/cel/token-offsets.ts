/**
 * Offsets of tokens that the parsing library does not record: operators and parentheses.
 *
 * @module
 */

const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r']);

/** Returns the next offset that is neither white space nor comment. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (SPACE.has(text[at] ?? '')) at += 1;
    if (text[at] !== '/' || text[at + 1] !== '/') return at;
    while (at < text.length && text[at] !== '\n') at += 1;
  }
}

/** Returns the offset of the operator after an operand, skipping closing parentheses around the operand. */
export function operatorAfter(text: string, operandEnd: number): number {
  let at = skipTrivia(text, operandEnd);
  while (text[at] === ')') at = skipTrivia(text, at + 1);
  return at;
}

/**
 * Returns true when a parenthesis opens between the operator and the start of its right operand. A parenthesis that
 * closes inside the operand, as in `(b).c < d`, counts too: the result only decides how a chain of comparisons is read.
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

/** Returns the offset of the parenthesis that opens the arguments of `name(…)`. */
export function openingParenthesis(text: string, nameStart: number, name: string): number {
  return skipTrivia(text, nameStart + name.length);
}
