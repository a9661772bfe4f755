/** What a piece of a label selector is. Operators are their own kind. */
export type LabelTokenKind =
  'end' | 'identifier' | ')' | ',' | '!' | '==' | '=' | '>' | 'in' | '<' | '!=' | 'notin' | '(';

/** A piece of a label selector, with its text as written. */
export interface LabelToken {
  readonly kind: LabelTokenKind;
  readonly text: string;
}

const END: LabelToken = { kind: 'end', text: '' };

/** Characters that stand for themselves, by code. */
const SYMBOLS: ReadonlyMap<number, LabelTokenKind> = new Map(
  (['=', '!', '(', ')', ',', '>', '<'] as const).map((symbol) => [symbol.charCodeAt(0), symbol]),
);
const EQUALS = 0x3d;
const NUL = 0;

/** Cuts a label selector into pieces, in one pass. The last piece is always the end. */
export function scanLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  let index = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(index))) index += 1;
    const code = text.charCodeAt(index);
    // A NUL ends the text where a piece may start, and a piece where it stands behind one, as in the production system.
    if (index >= text.length || code === NUL) break;
    const symbol = SYMBOLS.get(code);
    const end = symbol === undefined ? identifierEnd(text, index) : symbolEnd(text, index, code);
    tokens.push(symbol === undefined ? word(text.slice(index, end)) : operator(text.slice(index, end), symbol));
    index = text.charCodeAt(end) === NUL ? end + 1 : end;
  }
  tokens.push(END);
  return tokens;
}

function word(text: string): LabelToken {
  return { kind: text === 'in' || text === 'notin' ? text : 'identifier', text };
}

function operator(text: string, symbol: LabelTokenKind): LabelToken {
  return { kind: text === '==' || text === '!=' ? text : symbol, text };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

function identifierEnd(text: string, start: number): number {
  let index = start;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === NUL || SYMBOLS.has(code) || isSpace(code)) break;
  }
  return index;
}

function symbolEnd(text: string, start: number, code: number): number {
  const doubled = (code === EQUALS || code === 0x21) && text.charCodeAt(start + 1) === EQUALS;
  return start + (doubled ? 2 : 1);
}
