/**
 * The output of the YAML emitter, and the state that determines spaces and line breaks (libyaml's emitter, block style
 * only).
 *
 * @module
 */
import { hexNumber } from '../../../../foundation/index.js';
import { isWord, styleOf, type ScalarStyle } from './yaml-style.js';

/** Spaces per indentation level. */
export const STEP = 2;
/** Lines are broken at the first space after this column. */
export const WIDTH = 80;

/** Characters of a string that are written in one piece, and of the output of a piece. */
const PIECE = 16 * 1024;
const PIECE_OUTPUT = 256 * 1024;

const LONE_SURROGATE = /\p{Surrogate}/gu;
const SURROGATE = /[\ud800-\udfff]/;

/** A string of which a part has been written. */
export interface OpenString {
  readonly text: string;
  readonly style: ScalarStyle;
  readonly indent: number;
  readonly mayFold: boolean;
  /** Number of characters that have been written. */
  at: number;
}

/** Writes the parts of a document. */
export class YamlWriter {
  text = '';
  #column = 0;
  /** True when the output ends with white space or the start of a line. */
  #whitespace = true;
  /** True when the line contains only indentation and `-`, `?`, `:` so far. */
  #onlyIndentation = true;
  #indentation = '';

  get onlyIndentation(): boolean {
    return this.#onlyIndentation;
  }

  /** Ends the last line. */
  end(): void {
    if (this.#column > 0) this.text += '\n';
  }

  /** Takes the output so far. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }

  /**
   * Writes a string.
   *
   * @param indent of the lines that follow the first one
   * @param key whether it is a key on the line of its value
   * @returns the string when it is too long for one piece: {@link part} writes it
   */
  string(text: string, indent: number, key: boolean): OpenString | undefined {
    if (isWord(text)) {
      this.plain(text);
      return undefined;
    }
    const wellFormed = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
    const style = styleOf(wellFormed, key);
    const open = { text: wellFormed, style, indent, mayFold: !key, at: 0 };
    return this.part(open) ? undefined : open;
  }

  /** Writes a scalar without quotes on the current line. */
  plain(text: string): void {
    this.#spaceBefore();
    this.#put(text);
    this.#whitespace = false;
    this.#onlyIndentation = false;
  }

  /** Writes the next part of a string. Returns true when it was the last one. */
  part(open: OpenString): boolean {
    if (open.style === 'literal') return this.#literal(open);
    const { text, style, indent, mayFold, at } = open;
    const quote = style === 'plain' ? '' : style === 'single' ? "'" : '"';
    if (at === 0) {
      this.#spaceBefore();
      this.#put(quote);
    }
    const end = pieceEnd(open);
    const piece = at === 0 && end === text.length ? text : text.slice(at, end);
    const written = style === 'plain' ? piece : style === 'single' ? piece.replaceAll("'", "''") : escaped(piece);
    if (mayFold) this.#folded(written, indent, text.charAt(at - 1), text.charAt(end), style === 'double');
    else this.#put(written);
    open.at = end;
    this.#whitespace = false;
    this.#onlyIndentation = false;
    if (end < text.length) return false;
    this.#put(quote);
    return true;
  }

  /**
   * Writes a piece of a string: a single space after the width becomes a line break, but not the first and last
   * character of the string.
   *
   * @param before character before the piece; empty for none @param after character behind it
   * @param double whether the next line may begin with a space
   */
  #folded(piece: string, indent: number, before: string, after: string, double: boolean): void {
    const last = piece.length - 1;
    let start = 0;
    let search = Math.max(0, WIDTH - this.#column + 1);
    while (search <= last) {
      const space = piece.indexOf(' ', search);
      if (space === -1) break;
      const previous = space === 0 ? before : piece.charAt(space - 1);
      const next = space === last ? after : piece.charAt(space + 1);
      search = space + 1;
      if (previous === '' || previous === ' ' || next === '' || (next === ' ' && !double)) continue;
      this.#put(piece.slice(start, space));
      this.#newLine(indent);
      if (next === ' ') this.#put('\\');
      start = space + 1;
      search = start + Math.max(0, WIDTH - this.#column + 1);
    }
    this.#put(start === 0 ? piece : piece.slice(start));
  }

  #literal(open: OpenString): boolean {
    const { text, indent } = open;
    if (open.at === 0) {
      const hint = text.startsWith(' ') || text.startsWith('\n') ? String(STEP) : '';
      this.indicator(`|${hint}${chomping(text)}`, true, false);
      this.text += '\n';
    }
    const prefix = this.#spaces(indent);
    const stop = this.text.length + PIECE_OUTPUT;
    for (let lines = 0; open.at < text.length && lines < PIECE && this.text.length < stop; lines += 1) {
      const found = text.indexOf('\n', open.at);
      const end = found === -1 ? text.length : found + 1;
      if (found !== open.at) this.text += prefix;
      this.text += text.slice(open.at, end);
      this.#column = found === -1 ? indent + end - open.at : 0;
      open.at = end;
    }
    this.#whitespace = this.#onlyIndentation = this.#column === 0;
    return open.at === text.length;
  }

  /** Starts a new line, unless the current one has only indentation, and indents to `indent`. */
  lineStart(indent: number): void {
    if (!this.#onlyIndentation || this.#column > indent || (this.#column === indent && !this.#whitespace))
      this.#newLine(indent);
    else if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.#onlyIndentation = true;
  }

  /**
   * @param apart whether a space comes before it @param keepsIndentation whether a line that begins with it still counts
   *   as indentation
   */
  indicator(text: string, apart: boolean, keepsIndentation: boolean): void {
    if (apart) this.#spaceBefore();
    this.#put(text);
    this.#whitespace = false;
    this.#onlyIndentation &&= keepsIndentation;
  }

  #newLine(indent: number): void {
    this.text += '\n';
    if (indent > 0) this.text += this.#spaces(indent);
    this.#column = indent;
  }

  #spaces(count: number): string {
    if (this.#indentation.length !== count) this.#indentation = ' '.repeat(count);
    return this.#indentation;
  }

  #spaceBefore(): void {
    if (!this.#whitespace) this.#put(' ');
  }

  #put(text: string): void {
    this.text += text;
    this.#column += text.length;
  }
}

/** Returns the end of the next piece: at most one with much output, and not within a pair of surrogates. */
function pieceEnd({ text, at, indent, mayFold }: OpenString): number {
  // Each second character may become a line break.
  const length = mayFold ? Math.max(64, Math.floor((2 * PIECE_OUTPUT) / (indent + 1))) : PIECE;
  const end = at + Math.min(PIECE, length);
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end + 1 : end;
}

/** Returns the chomping indicator: `-` for no line break at the end, `+` for several, none for one. */
function chomping(text: string): string {
  if (!text.endsWith('\n')) return '-';
  return text.length === 1 || text.endsWith('\n\n') ? '+' : '';
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x00, '\\0'],
  [0x07, '\\a'],
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0b, '\\v'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x1b, '\\e'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x85, '\\N'],
  [0x2028, '\\L'],
  [0x2029, '\\P'],
]);

/** Characters that double quotes do not hold as they are. */
const TO_ESCAPE = /[^\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const escaped = (text: string): string => text.replace(TO_ESCAPE, escape);

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const short = ESCAPES.get(code);
  if (short !== undefined) return short;
  if (code <= 0xff) return `\\x${hexNumber(code, 2).toUpperCase()}`;
  return code <= 0xffff ? `\\u${hexNumber(code, 4).toUpperCase()}` : `\\U${hexNumber(code, 8).toUpperCase()}`;
}
