import { readsAsString } from '../yaml-scalar.js';

/** Style of a string. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Strings that need no analysis: letters, digits and a few signs, starting with a letter, without spaces. */
const SIMPLE = /^[A-Za-z][-A-Za-z0-9_./]*$/;

/**
 * Characters that need an escape. As in Kubernetes, all characters beyond the basic plane are escaped. Unlike
 * Kubernetes, U+2028 and U+2029 are escaped too, because only older parsers read them as line breaks.
 */
const ESCAPED = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** Beginnings that only a quoted string has: a marker of documents, an indicator, or a space. */
const QUOTED_START = /^(?:---|\.\.\.|[ #,[\]{}&*!|>'"%@`]|[-?:](?: |$))/;

/** Returns true for a text without spaces that needs neither quotes nor a closer look. */
export const isWord = (text: string): boolean => SIMPLE.test(text) && readsAsString(text);

/**
 * Returns the style of a string, as Kubernetes' YAML library chooses it (libyaml's analysis of a scalar).
 *
 * @param text without lone surrogates
 * @param key whether it is a key on the line of its value, which must not contain line breaks
 */
export function styleOf(text: string, key: boolean): ScalarStyle {
  if (text.includes('\n')) return key || text.endsWith(' ') || isSpecial(text) ? 'double' : 'literal';
  if (!readsAsString(text) || ESCAPED.test(text)) return 'double';
  return isPlain(text) ? 'plain' : 'single';
}

/** Returns true for a string of several lines that only double quotes can hold. */
const isSpecial = (text: string): boolean => text.includes(' \n') || ESCAPED.test(text);

/**
 * Returns true when a line without special characters needs no quotes. A search that begins with a space would stop at
 * each of them, which is slow in a long text.
 */
const isPlain = (text: string): boolean =>
  !QUOTED_START.test(text) &&
  !/[ :]$/.test(text.slice(-1)) &&
  !text.includes(': ') &&
  !(text.includes('#') && text.includes(' #'));
