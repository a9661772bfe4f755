import { decodeUtf8, encodeUtf8 } from '../encoding/utf8.js';
import { goQuote } from '../go/go-text.js';
import { grouped } from '../go/grouped-number.js';

/** Most characters of a value that an error shows. */
export const MAX_SHOWN_CHARACTERS = 16_384;

/** Returns a text as errors show it: the beginning of a long one, and how many characters are left out. */
export function shownText(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? cutText(text) : text;
}

/** Returns a text as errors quote it: the beginning of a long one, and how many characters are left out. */
export function quotedText(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? cutText(text, goQuote) : goQuote(text);
}

/** Returns the beginning of a long text, and how many characters are left out. */
export function cutText(text: string, shown: (text: string) => string = String): string {
  const omitted = text.length - MAX_SHOWN_CHARACTERS;
  return `${shown(copyOf(text.slice(0, MAX_SHOWN_CHARACTERS)))}… (${grouped(omitted)} more)`;
}

/** Copies a text: the engine keeps a long text in memory as long as a part of it exists. Errors and events may be kept. */
const copyOf = (text: string): string => decodeUtf8(encodeUtf8(text));
