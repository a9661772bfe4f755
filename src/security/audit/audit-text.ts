/**
 * The JSON texts of events in printable ASCII: a reader of the log cannot be misled by control characters or by line and
 * direction marks of Unicode, and the length of a text is its length in bytes.
 *
 * A list may take hundreds of megabytes. Its text is kept in pieces, since even to join it takes as long as to copy it.
 *
 * @module
 */
import {
  isLargeValue,
  jsonText,
  jsonTextSteps,
  latin1Writer,
  uninitializedBytes,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';

/** A text; a long one may be in pieces. */
export type AuditText = string | readonly string[];

/** Length of a piece, in characters. */
const PIECE_LENGTH = 64 * 1024;
/** Characters that are copied in 50 ns. */
const CHARACTERS_PER_UNIT = 64;

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g;

const escapeCodeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes every character of a JSON text that is not printable ASCII. */
export function printable(text: string): string {
  // Outside of strings, JSON without indentation has no such character.
  return text.replace(NOT_PRINTABLE_ASCII, escapeCodeUnit);
}

/** Returns the text of a value, which is made in steps when the value is large. */
export function* printableSteps(work: Work, value: JsonValue): Steps<string> {
  return isLargeValue(value, true) ? yield* jsonTextSteps(value, work, printable) : printable(jsonText(value));
}

/** Returns the pieces of a text. */
export const piecesOfText = (text: AuditText): readonly string[] => (typeof text === 'string' ? [text] : text);

/** Returns the length of a text, in characters. */
export const lengthOfText = (text: AuditText): number =>
  typeof text === 'string' ? text.length : text.reduce((length, piece) => length + piece.length, 0);

/** Returns the first characters of a text, or more of them. */
export function beginningOfText(text: AuditText, length: number): string {
  if (typeof text === 'string') return text;
  let beginning = '';
  for (const piece of text) {
    if (beginning.length >= length) break;
    beginning += piece;
  }
  return beginning;
}

/** A text that grows. */
export class GrowingText {
  readonly #pieces: string[] = [];
  /** The end of the text: joined at once, it is a string of its own, in place of a tree of all that was added. */
  #end: string[] = [];
  #endLength = 0;

  add(text: string): void {
    this.#end.push(text);
    this.#endLength += text.length;
    if (this.#endLength >= PIECE_LENGTH) this.#endPiece();
  }

  /** Returns the pieces of the text so far. */
  pieces(): readonly string[] {
    this.#endPiece();
    return this.#pieces;
  }

  #endPiece(): void {
    if (this.#endLength > 0) this.#pieces.push(this.#end.join(''));
    this.#end = [];
    this.#endLength = 0;
  }
}

/** Yields parts of texts that are short enough for a step. */
export function* partsOf(text: AuditText): Iterable<string> {
  for (const piece of piecesOfText(text)) {
    if (piece.length <= PIECE_LENGTH) yield piece;
    else for (let from = 0; from < piece.length; from += PIECE_LENGTH) yield piece.slice(from, from + PIECE_LENGTH);
  }
}

/** Returns the bytes of a text in steps. */
export function* bytesSteps(work: Work, text: AuditText): Steps<Uint8Array> {
  const bytes = uninitializedBytes(lengthOfText(text));
  const write = latin1Writer(bytes);
  let at = 0;
  for (const part of partsOf(text)) {
    write(part, at);
    at += part.length;
    if (work.spend(part.length / CHARACTERS_PER_UNIT)) yield;
  }
  return bytes;
}
