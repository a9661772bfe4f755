/**
 * The tokens of an expression, as far as corrections of its text need them: the parsing library does not expose its own.
 *
 * @module
 */

/** A token: a name, digits, a string with its quotes, or one other character. */
export interface Token {
  readonly text: string;
  readonly start: number;
  /** The token before; empty at the start. */
  readonly before: string;
}

const TOKEN = /\s+|\/\/[^\n]*|(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')|[A-Za-z_]\w*|\d+\w*|./guy;
const RAW = /^[bB]?[rR]/;
const OPERAND_END = /[\w)\]}'"]$/;

/** Returns true when an operand ends with the token, so that an operator or selection follows. */
export const endsOperand = (token: string): boolean => token !== 'in' && OPERAND_END.test(token);

/** Yields the tokens of a text from an offset, without white space and comments. */
export function* tokensOf(text: string, from = 0): Generator<Token> {
  let at = from;
  let before = '';
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const [token = '', quote] = TOKEN.exec(text) ?? [text.slice(at)];
    const start = at;
    at += token.length;
    if (/^\s|^\/\//.test(token)) continue;
    if (quote !== undefined) at = endOfString(text, at, quote, RAW.test(token));
    const whole = text.slice(start, at);
    yield { text: whole, start, before };
    before = whole;
  }
}

/** Returns the offset after a string, or the end of the text for an unterminated string. */
function endOfString(text: string, from: number, quote: string, isRaw: boolean): number {
  let at = from;
  while (at < text.length && !text.startsWith(quote, at)) at += text[at] === '\\' && !isRaw ? 2 : 1;
  return Math.min(at + quote.length, text.length);
}

/** Replaces the characters at some offsets, in ascending order, by spaces. */
export function blankOut(text: string, offsets: readonly number[]): string {
  let from = 0;
  const parts = offsets.map((offset) => {
    const part = text.slice(from, offset);
    from = offset + 1;
    return part;
  });
  return [...parts, text.slice(from)].join(' ');
}
