/** The kind of a token. Each operator is its own kind. */
export type LabelTokenKind =
  'end' | 'identifier' | ')' | ',' | '!' | '==' | '=' | '>' | 'in' | '<' | '!=' | 'notin' | '(';

/** A token of a label selector, with its text as written. */
export interface LabelToken {
  readonly kind: LabelTokenKind;
  readonly text: string;
}

const END: LabelToken = { kind: 'end', text: '' };

/** Symbols by their character codes. */
const SYMBOLS: ReadonlyMap<number, LabelTokenKind> = new Map(
  (['=', '!', '(', ')', ',', '>', '<'] as const).map((symbol) => [symbol.charCodeAt(0), symbol]),
);
const EQUALS = 0x3d;
const NUL = 0;

/** Splits a label selector into tokens in one pass. The last token is always the end. */
export function scanLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  let index = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(index))) index += 1;
    const code = text.charCodeAt(index);
    // As in Kubernetes, a NUL ends the text where a token may start, and ends a token that it follows.
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
