/**
 * Reads the scalars of YAML in pieces: plain, quoted, and in blocks, by the rules of YAML 1.1 as libyaml reads them.
 *
 * @module
 */
import { isBlank, isBlankOrEnd, isBreak, PIECE, SPACE, TAB, type YamlCursor } from './yaml-cursor.js';

/** A scalar of which a part has been read. */
export interface OpenScalar {
  /** The text so far. */
  text: string;
  /** Line where it begins, from 0. */
  readonly line: number;
  readonly isPlain: boolean;
  /** Whether a key may follow on the line where it ends. */
  readonly allowsKey: boolean;
  /** Reads the next piece. Returns true at the end. @throws DecodeProblem */
  read(cursor: YamlCursor): boolean;
}

/** Line breaks between two lines of a scalar: a single one becomes a space. */
class Breaks {
  isOpen = false;
  first = '';
  others = '';

  add(text: string): void {
    if (this.isOpen) {
      this.others += text;
    } else {
      this.isOpen = true;
      this.first = text;
    }
  }

  take(): string {
    const { first, others } = this;
    this.isOpen = false;
    this.first = this.others = '';
    if (first !== '\n') return first + others;
    return others === '' ? ' ' : others;
  }
}

/** Characters of a line that are read in one piece. */
const LONG_LINE = 1 << 16;

/** Characters that end a plain scalar in a flow collection: `,?[]{}`. */
const isFlowEnd = (code: number): boolean =>
  code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d;

/** A scalar without quotes. */
export class PlainScalar implements OpenScalar {
  text = '';
  readonly line: number;
  readonly isPlain = true;
  readonly #isInFlow: boolean;
  /** Least indentation of its further lines. */
  readonly #indent: number;
  readonly #breaks = new Breaks();
  /** Whether the position is within a long line. */
  #isInLine = false;

  constructor(line: number, isInFlow: boolean, indent: number) {
    this.line = line;
    this.#isInFlow = isInFlow;
    this.#indent = indent;
  }

  get allowsKey(): boolean {
    return this.#breaks.isOpen;
  }

  read(cursor: YamlCursor): boolean {
    for (let lines = 0; lines < PIECE; lines += 1) {
      if (this.#breaks.isOpen) {
        if (!this.#skipBreaks(cursor)) return false;
        if (!this.#isInFlow && cursor.column < this.#indent) return true;
      }
      if (!this.#isInLine && (cursor.isAtDocumentMarker() || cursor.code === 0x23)) return true;
      if (!this.#readLine(cursor)) return true;
      if (this.#isInLine) return false;
    }
    return false;
  }

  /**
   * Reads the rest of a line and its line break, or the next piece of a long line. Returns false when the scalar ends in
   * it.
   */
  #readLine(cursor: YamlCursor): boolean {
    const { text, pos, lineEnd } = cursor;
    const enough = pos + LONG_LINE;
    let at = pos;
    let end = pos;
    let isEnd = false;
    this.#isInLine = false;
    while (at < lineEnd) {
      const code = text.charCodeAt(at);
      if (code === SPACE || code === TAB) {
        at += 1;
        if (text.charCodeAt(at) !== 0x23) continue;
        isEnd = true;
        break;
      }
      if ((code === 0x3a && isBlankOrEnd(text.charCodeAt(at + 1))) || (this.#isInFlow && isFlowEnd(code))) {
        isEnd = true;
        break;
      }
      at += 1;
      end = at;
      if (at < enough) continue;
      this.#isInLine = at < lineEnd;
      break;
    }
    if (end > pos) {
      const line = text.slice(pos, end);
      this.text = this.#breaks.isOpen ? this.text + this.#breaks.take() + line : this.text + line;
    }
    cursor.pos = at;
    if (this.#isInLine) return true;
    if (isEnd || at === text.length) return false;
    this.#breaks.add(cursor.skipBreak());
    return true;
  }

  /** Skips line breaks and indentation. Returns false when more follow than fit into a piece. */
  #skipBreaks(cursor: YamlCursor): boolean {
    for (let lines = 0; ;) {
      const { code } = cursor;
      if (isBreak(code)) {
        if (lines === PIECE) return false;
        this.#breaks.add(cursor.skipBreak());
        lines += 1;
      } else if (isBlank(code)) {
        if (code === TAB && cursor.column < this.#indent)
          throw cursor.problem('found a tab character that violates indentation');
        cursor.pos += 1;
      } else return true;
    }
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
/** Numbers of hexadecimal digits after the letter of an escape. */
const ESCAPED_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

const BACKSLASH = 0x5c;
const SINGLE = 0x27;

/** A scalar in quotes. The cursor is behind the first one. */
export class QuotedScalar implements OpenScalar {
  text = '';
  readonly line: number;
  readonly isPlain = false;
  readonly allowsKey = false;
  readonly #quote: number;
  readonly #breaks = new Breaks();

  constructor(line: number, quote: number) {
    this.line = line;
    this.#quote = quote;
  }

  read(cursor: YamlCursor): boolean {
    for (let pieces = 0; pieces < PIECE; pieces += 1) {
      if (this.#breaks.isOpen && !this.#skipBreaks(cursor)) return false;
      if (cursor.isAtDocumentMarker()) throw cursor.problem('found unexpected document indicator');
      if (cursor.isAtEnd) throw cursor.problem('found unexpected end of stream');
      if (this.#readPart(cursor)) return true;
    }
    return false;
  }

  /** Reads up to the end of the line, or behind the next escape. Returns true behind the closing quote. */
  #readPart(cursor: YamlCursor): boolean {
    const { text, pos, lineEnd } = cursor;
    const quote = this.#quote;
    let at = pos;
    for (; at < lineEnd; at += 1) {
      const code = text.charCodeAt(at);
      if (code === quote || (code === BACKSLASH && quote !== SINGLE)) break;
    }
    if (at === lineEnd) {
      let end = at;
      while (end > pos && isBlank(text.charCodeAt(end - 1))) end -= 1;
      this.text += text.slice(pos, end);
      cursor.pos = at;
      if (at < text.length) this.#breaks.add(cursor.skipBreak());
      return false;
    }
    this.text = at === pos ? this.text : this.text + text.slice(pos, at);
    cursor.pos = at + 1;
    if (text.charCodeAt(at) === BACKSLASH) {
      this.#escape(cursor);
      return false;
    }
    if (quote !== SINGLE || cursor.code !== SINGLE) return true;
    this.text += "'";
    cursor.pos += 1;
    return false;
  }

  #escape(cursor: YamlCursor): void {
    if (isBreak(cursor.code)) {
      cursor.skipBreak();
      // The escaped line break is not a part of the text; those that follow are.
      this.#breaks.add('');
      return;
    }
    const letter = cursor.text.charAt(cursor.pos);
    const digits = ESCAPED_DIGITS.get(letter);
    const character = ESCAPES.get(letter);
    if (digits === undefined && character === undefined) throw cursor.problem('found unknown escape character');
    cursor.pos += 1;
    this.text += character ?? escapedCharacter(cursor, digits ?? 0);
  }

  #skipBreaks(cursor: YamlCursor): boolean {
    for (let lines = 0; ;) {
      if (isBreak(cursor.code)) {
        if (lines === PIECE) return false;
        this.#breaks.add(cursor.skipBreak());
        lines += 1;
      } else if (isBlank(cursor.code)) cursor.pos += 1;
      else break;
    }
    if (!cursor.isAtEnd) this.text += this.#breaks.take();
    return true;
  }
}

function escapedCharacter(cursor: YamlCursor, count: number): string {
  const digits = cursor.text.slice(cursor.pos, cursor.pos + count);
  if (digits.length < count || !/^[0-9a-fA-F]+$/.test(digits))
    throw cursor.problem('did not find expected hexdecimal number');
  const code = parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw cursor.problem('found invalid Unicode character escape code');
  cursor.pos += count;
  return String.fromCodePoint(code);
}

/** A scalar in a block: `|` or `>`. The cursor is behind the indicator. */
export class BlockScalar implements OpenScalar {
  text = '';
  readonly line: number;
  readonly isPlain = false;
  readonly allowsKey = true;
  readonly #isLiteral: boolean;
  readonly #chomping: string;
  /** Indentation of its lines; 0 until it is known. */
  #indent: number;
  readonly #parentIndent: number;
  #greatestIndent = 0;
  #firstBreak = '';
  #otherBreaks = '';
  #beganBlank = false;

  /** @throws DecodeProblem for indicators that are not allowed */
  constructor(cursor: YamlCursor, isLiteral: boolean, parentIndent: number) {
    const { line } = cursor;
    const [, before, digit, after] =
      /([-+]?)([0-9]?)([-+]?)/y.exec(cursor.text.slice(cursor.pos, cursor.pos + 3)) ?? [];
    // A chomping indicator comes before or after the indentation indicator.
    const last = before === '' ? (after ?? '') : '';
    this.#chomping = before === '' ? last : (before ?? '');
    if (digit === '0') throw cursor.problem('found an indentation indicator equal to 0');
    cursor.pos += (before ?? '').length + (digit ?? '').length + (digit === '' ? 0 : last.length);
    if (!cursor.skipRestOfLine()) throw cursor.problem('did not find expected comment or line break');
    this.line = line;
    this.#isLiteral = isLiteral;
    this.#parentIndent = parentIndent;
    this.#indent = digit === '' || digit === undefined ? 0 : Math.max(parentIndent, 0) + Number(digit);
  }

  read(cursor: YamlCursor): boolean {
    for (let lines = 0; lines < PIECE; lines += 1) {
      if (this.#skipBreak(cursor)) continue;
      if (this.#indent === 0) this.#indent = Math.max(this.#greatestIndent, this.#parentIndent + 1, 1);
      if (cursor.column !== this.#indent || cursor.isAtEnd) {
        this.#end();
        return true;
      }
      this.#readLine(cursor);
    }
    return false;
  }

  /** Skips indentation and an empty line. Returns false at a line with text. */
  #skipBreak(cursor: YamlCursor): boolean {
    const isIndentation = (): boolean => this.#indent === 0 || cursor.column < this.#indent;
    while (cursor.code === SPACE && isIndentation()) cursor.pos += 1;
    if (this.#indent === 0) this.#greatestIndent = Math.max(this.#greatestIndent, cursor.column);
    if (cursor.code === TAB && isIndentation())
      throw cursor.problem('found a tab character where an indentation space is expected');
    if (!isBreak(cursor.code)) return false;
    this.#otherBreaks += cursor.skipBreak();
    return true;
  }

  #readLine(cursor: YamlCursor): void {
    const isBlankLine = isBlank(cursor.code);
    const isFolded = !this.#isLiteral && !this.#beganBlank && !isBlankLine && this.#firstBreak === '\n';
    const first = !isFolded ? this.#firstBreak : this.#otherBreaks === '' ? ' ' : '';
    const { lineEnd } = cursor;
    this.text += first + this.#otherBreaks + cursor.text.slice(cursor.pos, lineEnd);
    cursor.pos = lineEnd;
    this.#beganBlank = isBlankLine;
    this.#otherBreaks = '';
    this.#firstBreak = cursor.isAtEnd ? '' : cursor.skipBreak();
  }

  #end(): void {
    if (this.#chomping !== '-') this.text += this.#firstBreak;
    if (this.#chomping === '+') this.text += this.#otherBreaks;
  }
}
