/**
 * Optional elements: `[?a, b]` and `{?'k': v}`. The parsing library does not support them, so spaces replace their
 * question marks before it reads the text. The offset of the bracket and the index of the element record them.
 *
 * @module
 */

/** The text for the library, and the optional elements of its lists and maps. */
export interface MarkedText {
  readonly text: string;
  /** Indices of the optional elements, by the offset of `[` or `{`. */
  readonly optional: ReadonlyMap<number, ReadonlySet<number>>;
}

/** An open bracket. */
interface OpenBracket {
  readonly at: number;
  /** True for a list or a map; false for a call, an index or parentheses. */
  readonly isLiteral: boolean;
  element: number;
}

const TOKEN = /\s+|\/\/[^\n]*|(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')|[A-Za-z_]\w*|\d+\w*|./guy;
const RAW = /^[bB]?[rR]/;
const OPERAND_END = /[\w)\]}'"]$/;

/** Finds the optional elements of a text. */
export function markOptionalElements(text: string): MarkedText {
  const optional = new Map<number, Set<number>>();
  if (!/[[{,]\s*(?:\/\/[^\n]*\n\s*)*\?/.test(text)) return { text, optional };
  const open: OpenBracket[] = [];
  const questionMarks: number[] = [];
  let before = '';
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token, quote] = match;
    if (/^\s|^\/\//.test(token)) continue;
    if (quote !== undefined) TOKEN.lastIndex = endOfString(text, TOKEN.lastIndex, quote, RAW.test(token));
    const bracket = open.at(-1);
    if ('[({'.includes(token))
      open.push({
        at: match.index,
        isLiteral: token !== '(' && (before === 'in' || !OPERAND_END.test(before)),
        element: 0,
      });
    else if ('])}'.includes(token)) open.pop();
    else if (token === ',' && bracket !== undefined) bracket.element += 1;
    else if (token === '?' && bracket?.isLiteral === true && '[{,'.includes(before)) {
      questionMarks.push(match.index);
      optional.set(bracket.at, (optional.get(bracket.at) ?? new Set()).add(bracket.element));
    }
    before = token;
  }
  return { text: blankOut(text, questionMarks), optional };
}

/** Returns the offset after a string, or the end of the text for an unterminated string. */
function endOfString(text: string, from: number, quote: string, isRaw: boolean): number {
  let at = from;
  while (at < text.length && !text.startsWith(quote, at)) at += text[at] === '\\' && !isRaw ? 2 : 1;
  return Math.min(at + quote.length, text.length);
}

/** Replaces the characters at some offsets by spaces. */
function blankOut(text: string, offsets: readonly number[]): string {
  let from = 0;
  const parts = offsets.map((offset) => {
    const part = text.slice(from, offset);
    from = offset + 1;
    return part;
  });
  return [...parts, text.slice(from)].join(' ');
}
