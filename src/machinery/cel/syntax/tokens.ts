/**
 * The tokens of an expression: the lexical rules of cel-go's grammar. The longest token wins, and characters that begin
 * no token are reported and skipped, with the words of the generated scanner of Kubernetes.
 *
 * @module
 */
import type { Issue } from './source.js';

/** A mark or a keyword is a kind of its own. */
export type TokenKind =
  'end' | 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'true' | 'false' | 'null' | 'in' | Mark;

/** Operators and punctuation. */
type Mark =
  | '('
  | ')'
  | '['
  | ']'
  | '{'
  | '}'
  | '.'
  | ','
  | ':'
  | '?'
  | '!'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '<'
  | '>'
  | '<='
  | '>='
  | '=='
  | '!='
  | '&&'
  | '||';

/** Reads the tokens of a text one after another. Its members describe the current token. */
export class Scanner {
  kind: TokenKind = 'end';
  /** Offset of the token. */
  start = 0;
  /** Offset behind the token. */
  end: number;
  readonly text: string;
  readonly #report: (issue: Issue) => void;

  /**
   * @param report is called for characters that begin no token
   * @param from the offset of the first token
   */
  constructor(text: string, report: (issue: Issue) => void, from = 0) {
    this.text = text;
    this.#report = report;
    this.end = from;
  }

  /** The text of the token. */
  get source(): string {
    return this.text.slice(this.start, this.end);
  }

  /** Reads the next token. @returns its kind */
  advance(): TokenKind {
    const { text } = this;
    for (;;) {
      this.start = afterTrivia(text, this.end);
      if (this.start >= text.length) {
        this.end = text.length;
        return (this.kind = 'end');
      }
      const end = this.#scan(text.charCodeAt(this.start));
      if (end >= 0) {
        this.end = end;
        return this.kind;
      }
      this.end = afterCharacter(text, -1 - end);
      this.#report({ offset: this.start, message: `Syntax error: token recognition error at: '${this.source}'` });
    }
  }

  /** Sets the kind of the token. @returns its end, or that of a {@link failure} */
  #scan(code: number): number {
    const { text, start } = this;
    if (is(code, LETTER)) return this.#scanWord(code);
    if (is(code, DIGIT) || (code === POINT && is(text.charCodeAt(start + 1), DIGIT))) return this.#scanNumber();
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      this.kind = 'string';
      return endOfText(text, start, false);
    }
    const both = markOfTwo(code, text.charCodeAt(start + 1));
    const mark = both ?? MARKS[code];
    if (mark === undefined) return failure(HALF_MARKS.includes(code) ? start + 1 : start);
    this.kind = mark;
    return start + mark.length;
  }

  /** A name, a keyword, or a text with a prefix. A prefix of what is not a whole text is a name. */
  #scanWord(code: number): number {
    const { text, start } = this;
    const prefix = PREFIXES.includes(code) ? prefixLength(text, start) : 0;
    if (prefix > 0) {
      const isBytes = code === LOWER_B || code === UPPER_B;
      const end = endOfText(text, start + prefix, !isBytes || prefix === 2);
      this.kind = isBytes ? 'bytes' : 'string';
      if (end >= 0) return end;
    }
    const end = skip(text, start + 1, LETTER | DIGIT);
    this.kind = end - start > LONGEST_KEYWORD ? 'identifier' : (KEYWORDS.get(text.slice(start, end)) ?? 'identifier');
    return end;
  }

  #scanNumber(): number {
    const { text, start } = this;
    let end = skip(text, start, DIGIT);
    this.kind = 'int';
    if (end === start + 1 && text.charCodeAt(start) === ZERO && text.charAt(end) === 'x') {
      const hexadecimal = skip(text, end + 1, HEXADECIMAL);
      if (hexadecimal > end + 1) return this.#afterSuffix(hexadecimal);
    }
    const integer = end;
    if (text.charCodeAt(end) === POINT && is(text.charCodeAt(end + 1), DIGIT)) end = skip(text, end + 1, DIGIT);
    end = afterExponent(text, end);
    if (end === integer) return this.#afterSuffix(end);
    this.kind = 'double';
    return end;
  }

  /** The suffix of an unsigned integer. */
  #afterSuffix(end: number): number {
    const suffix = this.text.charAt(end);
    if (suffix !== 'u' && suffix !== 'U') return end;
    this.kind = 'uint';
    return end + 1;
  }
}

/** Where a token fails: the character that does not continue it, as a negative number. */
const failure = (at: number): number => -1 - at;

/** Returns marks by the code of their first character. */
function byFirstCode(marks: readonly Mark[]): readonly (Mark | undefined)[] {
  const byCode = new Array<Mark | undefined>(128).fill(undefined);
  for (const mark of marks) byCode[mark.charCodeAt(0)] = mark;
  return byCode;
}

const MARKS = byFirstCode(['(', ')', '[', ']', '{', '}', '.', ',', ':', '?', '!', '+', '-', '*', '/', '%', '<', '>']);
const COMPARISONS = byFirstCode(['<=', '>=', '==', '!=']);

const EQUALS = 0x3d;
const AMPERSAND = 0x26;
const BAR = 0x7c;
/** Each is a part of an operator only: the character after it is part of the failure. */
const HALF_MARKS: readonly number[] = [EQUALS, AMPERSAND, BAR];

function markOfTwo(first: number, second: number): Mark | undefined {
  if (second === EQUALS) return COMPARISONS[first];
  if (first !== second) return undefined;
  if (first === AMPERSAND) return '&&';
  return first === BAR ? '||' : undefined;
}

const KEYWORDS: ReadonlyMap<string, TokenKind> = new Map(
  (['true', 'false', 'null', 'in'] as const).map((word) => [word, word]),
);
const LONGEST_KEYWORD = 5;

const POINT = 0x2e;
const ZERO = 0x30;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;
const SLASH = 0x2f;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LOWER_B = 0x62;
const UPPER_B = 0x42;
/** `b`, `B`, `r`, `R`. */
const PREFIXES: readonly number[] = [LOWER_B, UPPER_B, 0x72, 0x52];
/** The prefix of bytes, of a raw text, or of raw bytes. */
const PREFIX = /(?:[bB][rR]?|[rR])(?=["'])/y;

/** Returns the length of the prefix of a text; 0 for a name. */
function prefixLength(text: string, start: number): number {
  PREFIX.lastIndex = start;
  return PREFIX.exec(text)?.[0].length ?? 0;
}

/** Classes of characters. */
const LETTER = 1;
const DIGIT = 2;
const HEXADECIMAL = 4;
const SPACE = 8;
const OCTAL = 16;
const CLASSES = classesByCode();

function classesByCode(): ArrayLike<number> {
  const classes = new Uint8Array(128);
  for (const [characters, kind] of [
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_', LETTER],
    ['0123456789', DIGIT],
    ['0123456789abcdefABCDEF', HEXADECIMAL],
    [' \t\n\r\f', SPACE],
    ['01234567', OCTAL],
  ] as const)
    for (const character of characters) {
      const code = character.charCodeAt(0);
      classes[code] = (classes[code] ?? 0) | kind;
    }
  return classes;
}

/** Returns whether a character is of one of the classes. No character, NaN, is of none. */
const is = (code: number, classes: number): boolean => code < 128 && ((CLASSES[code] ?? 0) & classes) !== 0;

/** Returns the offset behind the characters of some classes. */
function skip(text: string, from: number, classes: number): number {
  let at = from;
  while (is(text.charCodeAt(at), classes)) at += 1;
  return at;
}

/** Returns the next offset that is neither white space nor comment. */
function afterTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = skip(text, at, SPACE);
    if (text.charCodeAt(at) !== SLASH || text.charCodeAt(at + 1) !== SLASH) return at;
    const line = text.indexOf('\n', at);
    at = line < 0 ? text.length : line;
  }
}

/** Returns the offset behind a character, which may have two units, or the end of the text. */
const afterCharacter = (text: string, at: number): number =>
  Math.min(at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1), text.length);

/** Returns the offset behind an exponent, or the given one where there is none. */
function afterExponent(text: string, from: number): number {
  const mark = text.charAt(from);
  if (mark !== 'e' && mark !== 'E') return from;
  const sign = text.charAt(from + 1);
  const digits = sign === '+' || sign === '-' ? from + 2 : from + 1;
  const end = skip(text, digits, DIGIT);
  return end > digits ? end : from;
}

/**
 * Returns the offset behind a text in quotes.
 *
 * @param open offset of its first quote
 * @returns a negative number for a {@link failure}
 */
function endOfText(text: string, open: number, isRaw: boolean): number {
  const quote = text.charAt(open);
  const isLong = text.charAt(open + 1) === quote && text.charAt(open + 2) === quote;
  if (!isLong) return endOfLine(text, open, isRaw);
  const end = endOfLines(text, open + 3, quote.repeat(3), isRaw);
  // Without an end, the first two quotes are an empty text.
  return end < 0 ? open + 2 : end;
}

function endOfLines(text: string, from: number, quotes: string, isRaw: boolean): number {
  const quote = quotes.charCodeAt(0);
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === quote && text.startsWith(quotes, at)) return at + 3;
    at = code === BACKSLASH && !isRaw ? afterEscape(text, at) : at + 1;
    if (at < 0) return at;
  }
  return failure(text.length);
}

function endOfLine(text: string, open: number, isRaw: boolean): number {
  const quote = text.charCodeAt(open);
  for (let at = open + 1; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return failure(at);
    at = code === BACKSLASH && !isRaw ? afterEscape(text, at) : at + 1;
    if (at < 0) return at;
  }
  return failure(text.length);
}

/** Digits behind the letter of an escape. */
const ESCAPE_DIGITS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** Returns the offset behind an escape. */
function afterEscape(text: string, at: number): number {
  const letter = text.charAt(at + 1);
  if (letter !== '' && 'abfnrtv"\'\\?`'.includes(letter)) return at + 2;
  if (letter !== '' && 'xXuU'.includes(letter))
    return afterDigits(text, at + 2, ESCAPE_DIGITS[letter] ?? 0, HEXADECIMAL);
  return letter !== '' && '0123'.includes(letter) ? afterDigits(text, at + 2, 2, OCTAL) : failure(at + 1);
}

function afterDigits(text: string, from: number, count: number, digits: number): number {
  for (let at = from; at < from + count; at += 1) if (!is(text.charCodeAt(at), digits)) return failure(at);
  return from + count;
}
