import { hexNumber } from '../encoding/hex.js';
import { isAscii } from '../encoding/utf8.js';
import { jsonText } from './json-text.js';

const EVERY_NOT_ASCII = /[^\x00-\x7f]/g;

const escapeCodeUnit = (unit: string): string => `\\u${hexNumber(unit.charCodeAt(0), 4)}`;

/**
 * Returns the JSON text of a value with every character above U+007F escaped (RFC 8259 section 7).
 *
 * Stored texts are ASCII: their length in characters is their length in bytes, they take one byte a character, and no
 * reader has to scan them to find out.
 */
export function asciiJson(value: object): string {
  return asciiText(jsonText(value));
}

/** Returns a part of a JSON text with every character above U+007F escaped. */
export const asciiText = (text: string): string =>
  isAscii(text) ? text : text.replace(EVERY_NOT_ASCII, escapeCodeUnit);
