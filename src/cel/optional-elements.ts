/**
 * Optional elements: `[?a, b]` and `{?'k': v}`. The parsing library does not support them, so spaces replace their
 * question marks before it reads the text. The offset of the bracket and the index of the element record them.
 *
 * @module
 */
import { blankOut, endsOperand, tokensOf } from './tokens.js';

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

/** Finds the optional elements of a text. */
export function markOptionalElements(text: string): MarkedText {
  const optional = new Map<number, Set<number>>();
  if (!/[[{,]\s*(?:\/\/[^\n]*\n\s*)*\?/.test(text)) return { text, optional };
  const open: OpenBracket[] = [];
  const questionMarks: number[] = [];
  for (const { text: token, start, before } of tokensOf(text)) {
    const bracket = open.at(-1);
    if ('[({'.includes(token)) open.push({ at: start, isLiteral: token !== '(' && !endsOperand(before), element: 0 });
    else if ('])}'.includes(token)) open.pop();
    else if (token === ',' && bracket !== undefined) bracket.element += 1;
    else if (token === '?' && bracket?.isLiteral === true && '[{,'.includes(before)) {
      questionMarks.push(start);
      optional.set(bracket.at, (optional.get(bracket.at) ?? new Set()).add(bracket.element));
    }
  }
  return { text: blankOut(text, questionMarks), optional };
}
