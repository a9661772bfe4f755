import { DecodeProblem } from '../../decode-problem.js';

/** Lines and escapes that are read in one piece. */
export const PIECE = 512;

const BREAK = /[\n\r\x85\u2028\u2029]/g;
/** A line break besides the common one. */
export const OTHER_BREAK = /[\r\x85\u2028\u2029]/;

export const SPACE = 0x20;
export const TAB = 0x09;

/** Returns true for a line break of YAML 1.1. */
export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;

export const isBlank = (code: number): boolean => code === SPACE || code === TAB;

/** Returns true for a space, a tab, a line break, or the end of the text. */
export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isBreak(code) || Number.isNaN(code);

/** The text of a YAML stream. */
export interface YamlText {
  readonly text: string;
  /** Whether it has line breaks besides the common one; see {@link OTHER_BREAK}. */
  readonly hasOtherBreaks: boolean;
}

/** A position in the text of a YAML stream. Lines count from 0. */
export class YamlCursor {
  readonly text: string;
  pos: number;
  line = 0;
  #lineStart: number;
  #lineEnd = -1;
  readonly #hasOtherBreaks: boolean;

  constructor({ text, hasOtherBreaks }: YamlText) {
    this.text = text;
    this.pos = this.#lineStart = text.startsWith('\ufeff') ? 1 : 0;
    this.#hasOtherBreaks = hasOtherBreaks;
  }

  get column(): number {
    return this.pos - this.#lineStart;
  }

  get isAtEnd(): boolean {
    return this.pos >= this.text.length;
  }

  /** The character at the position; NaN at the end. */
  get code(): number {
    return this.text.charCodeAt(this.pos);
  }

  codeAt(offset: number): number {
    return this.text.charCodeAt(this.pos + offset);
  }

  /** Index of the line break that ends the current line, or of the end of the text. */
  get lineEnd(): number {
    if (this.#lineEnd >= this.pos) return this.#lineEnd;
    let end: number;
    if (this.#hasOtherBreaks) {
      BREAK.lastIndex = this.pos;
      end = BREAK.test(this.text) ? BREAK.lastIndex - 1 : -1;
    } else {
      end = this.text.indexOf('\n', this.pos);
    }
    this.#lineEnd = end === -1 ? this.text.length : end;
    return this.#lineEnd;
  }

  skipBlanks(): void {
    while (isBlank(this.code)) this.pos += 1;
  }

  skipSpaces(): void {
    while (this.code === SPACE) this.pos += 1;
  }

  /** Skips the line break at the position, and returns it as scalars contain it. */
  skipBreak(): string {
    const { code } = this;
    this.pos += code === 0x0d && this.codeAt(1) === 0x0a ? 2 : 1;
    this.line += 1;
    this.#lineStart = this.pos;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** Counts the end of the text as the beginning of a line. */
  endLine(): void {
    if (this.column === 0) return;
    this.line += 1;
    this.#lineStart = this.pos;
  }

  /** Skips the rest of the line, if it is blank or a comment, and its line break. Returns false if it is neither. */
  skipRestOfLine(): boolean {
    this.skipBlanks();
    if (this.code === 0x23) this.pos = this.lineEnd;
    if (this.isAtEnd) return true;
    if (!isBreak(this.code)) return false;
    this.skipBreak();
    return true;
  }

  /** Returns true at `---` or `...` at the beginning of a line, which ends scalars. */
  isAtDocumentMarker(): boolean {
    if (this.column !== 0) return false;
    const { code } = this;
    return (
      (code === 0x2d || code === 0x2e) &&
      this.codeAt(1) === code &&
      this.codeAt(2) === code &&
      isBlankOrEnd(this.codeAt(3))
    );
  }

  /** Creates the problem of a text that has no tokens, at the current line. */
  problem(text: string): DecodeProblem {
    return yamlProblem(text, this.line + 1);
  }
}

/** Creates the problem of a text, at a line that counts from 1. */
export const yamlProblem = (text: string, line: number): DecodeProblem =>
  new DecodeProblem(`yaml: line ${Math.max(line, 1)}: ${text}`);
