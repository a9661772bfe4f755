/**
 * Indentation of compact JSON, without a parse: the memory that it needs does not depend on the text, and it can pause
 * after each piece. Deep nesting multiplies the length of a text by its depth.
 *
 * @module
 */

import type { Work } from '../../../foundation/index.js';
import type { EncodedChunks } from '../codec.js';

/** Spaces per level of nesting. */
const STEP = 2;
/** Longest part of a text that is copied in one step, in characters. */
const LONGEST_RUN = 16 * 1024;
/** Line breaks of the levels that nearly all objects have. */
const LINE_STARTS: readonly string[] = Object.freeze(
  Array.from({ length: 32 }, (_, depth) => `\n${' '.repeat(STEP * depth)}`),
);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Length of `\u` and its four digits. */
const ESCAPE_LENGTH = 6;
const HEXADECIMAL = 16;
const FIRST_BEYOND_ASCII = 0x80;
const FIRST_SURROGATE = 0xd800;
const FIRST_LOW_SURROGATE = 0xdc00;
const LAST_SURROGATE = 0xdfff;

/** Indents compact JSON as {@link indentJson} does, piece by piece. */
class JsonIndenter {
  readonly #text: string;
  /** Whether characters beyond ASCII may be escaped, as in stored texts. */
  readonly #isEscaped: boolean;
  #depth: number;
  /** Index up to which the text has been copied. */
  #copied = 0;
  /** Index up to which the text has been read. */
  #read = 0;

  /**
   * @param text compact JSON
   * @param depth number of levels around the value
   */
  constructor(text: string, depth = 0) {
    this.#text = text;
    this.#depth = depth;
    this.#isEscaped = text.includes('\\u');
  }

  /**
   * Returns the next piece; undefined at the end.
   *
   * @param length approximate length of the piece, in characters. The indentation of one line may exceed it
   */
  next(length: number): string | undefined {
    const text = this.#text;
    let piece = '';
    while (piece.length < length && this.#copied < text.length) {
      if (this.#read - this.#copied > LONGEST_RUN) {
        piece += this.#copy(this.#copied + LONGEST_RUN);
        continue;
      }
      const code = text.charCodeAt(this.#read);
      if (code === QUOTE) this.#read = afterString(text, this.#read);
      else if (code === COMMA || code === COLON || code === OPEN_OBJECT || code === OPEN_LIST) {
        this.#read += 1;
        piece += this.#afterMark(code);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        this.#depth -= 1;
        piece += this.#copy(this.#read) + this.#lineStart();
        this.#read += 1;
      } else this.#read += 1;
      if (this.#read >= text.length && this.#read - this.#copied <= LONGEST_RUN) piece += this.#copy(text.length);
    }
    return piece === '' ? undefined : piece;
  }

  /** Returns the text up to a mark that was read, and what follows it. */
  #afterMark(code: number): string {
    if (code === COLON) return `${this.#copy(this.#read)} `;
    if (code !== COMMA) {
      const next = this.#text.charCodeAt(this.#read);
      if (next === CLOSE_OBJECT || next === CLOSE_LIST) {
        this.#read += 1;
        return '';
      }
      this.#depth += 1;
    }
    return this.#copy(this.#read) + this.#lineStart();
  }

  #lineStart(): string {
    return LINE_STARTS[this.#depth] ?? `\n${' '.repeat(STEP * this.#depth)}`;
  }

  /** Returns the text that was not copied yet, up to an index, or to the end of an escaped character there. */
  #copy(to: number): string {
    const part = this.#text.slice(this.#copied, to);
    if (!this.#isEscaped || !part.includes('\\')) {
      this.#copied = to;
      return part;
    }
    let unescaped = '';
    let at = this.#copied;
    for (let next = part.indexOf('\\'); next >= 0; next = part.indexOf('\\', at - this.#copied)) {
      const start = this.#copied + next;
      const character = characterAt(this.#text, start);
      const end = start + (character === undefined ? 2 : character.length * ESCAPE_LENGTH);
      unescaped += this.#text.slice(at, start) + (character ?? this.#text.slice(start, end));
      at = end;
      if (at >= to) break;
    }
    if (at < to) unescaped += this.#text.slice(at, to);
    this.#copied = Math.max(at, to);
    return unescaped;
  }
}

/** Returns the index after a string of JSON. */
function afterString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

/** Returns the character beyond ASCII that is escaped at an index; undefined for other escapes and lone surrogates. */
function characterAt(text: string, at: number): string | undefined {
  const first = unitAt(text, at);
  if (first < FIRST_BEYOND_ASCII) return undefined;
  if (first < FIRST_SURROGATE || first > LAST_SURROGATE) return String.fromCharCode(first);
  if (first >= FIRST_LOW_SURROGATE) return undefined;
  const second = unitAt(text, at + ESCAPE_LENGTH);
  return second >= FIRST_LOW_SURROGATE && second <= LAST_SURROGATE ? String.fromCharCode(first, second) : undefined;
}

/** Returns the code unit that is escaped at an index; 0 when none is. */
const unitAt = (text: string, at: number): number =>
  text.startsWith('\\u', at) ? Number.parseInt(text.slice(at + 2, at + ESCAPE_LENGTH), HEXADECIMAL) || 0 : 0;

/**
 * Indents compact JSON by two spaces.
 *
 * @param text a text that `JSON.stringify` made, in which characters beyond ASCII may be escaped
 * @param depth number of levels around the value
 * @returns what `JSON.stringify(JSON.parse(text), undefined, 2)` returns
 */
export function indentJson(text: string, depth = 0): string {
  return new JsonIndenter(text, depth).next(Infinity) ?? '';
}

/** Does the same; returns undefined when the result is longer than `most` characters. */
export function indentShortJson(text: string, most: number, depth = 0): string | undefined {
  if (text.length > most) return undefined;
  const indented = new JsonIndenter(text, depth).next(most + 1) ?? '';
  return indented.length > most ? undefined : indented;
}

/** Approximate length of a chunk, in characters, and characters that are made in a unit of work. */
const CHUNK_LENGTH = 16 * 1024;
const CHARACTERS_PER_UNIT = 12;

/**
 * Indents compact JSON as {@link indentJson} does, in chunks.
 *
 * @param depth number of levels around the value
 */
export function* indentedChunks(text: string, work: Work, depth = 0): EncodedChunks {
  const indenter = new JsonIndenter(text, depth);
  for (let chunk = indenter.next(CHUNK_LENGTH); chunk !== undefined; chunk = indenter.next(CHUNK_LENGTH)) {
    yield chunk;
    if (work.spend(chunk.length / CHARACTERS_PER_UNIT)) yield undefined;
  }
}
