import { readsAsString } from './yaml-scalar.js';

/** Style of a string. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

/** Styles that a string allows (libyaml's analysis of a scalar). */
interface Analysis {
  plain: boolean;
  single: boolean;
  block: boolean;
}

const INDICATORS_AT_START: ReadonlySet<string> = new Set('#,[]{}&*!|>\'"%@`');

/** Strings that need no analysis: letters, digits and a few signs, starting with a letter, without spaces. */
const SIMPLE = /^[A-Za-z][-A-Za-z0-9_./]*$/;

/**
 * Returns the style of a string, as Kubernetes' YAML library chooses it.
 *
 * @param key whether it is a key on the line of its value, which must not contain line breaks
 */
export function styleOf(text: string, key: boolean): ScalarStyle {
  const multiline = text.includes('\n');
  const unquoted = !multiline && readsAsString(text);
  if (unquoted && SIMPLE.test(text)) return 'plain';
  if (!multiline && !unquoted) return 'double';
  const allowed = analyze(text);
  if (multiline) return allowed.block && !key ? 'literal' : 'double';
  if (allowed.plain) return 'plain';
  return allowed.single ? 'single' : 'double';
}

function analyze(text: string): Analysis {
  const result: Analysis = { plain: !text.startsWith('---') && !text.startsWith('...'), single: true, block: true };
  let previous = '';
  let special = false;
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    const next = characters[at + 1] ?? '';
    if (result.plain && isIndicator(character, previous, next)) result.plain = false;
    if (!isPrintable(character)) special = true;
    if (character === ' ' && previous === '\n') result.plain = result.single = false;
    if (character === '\n' && previous === ' ') special = true;
    previous = character;
  }
  const first = characters[0] ?? '';
  if (isBlank(first) || isBlank(previous) || text.includes('\n')) result.plain = false;
  if (previous === ' ') result.block = false;
  return special ? { plain: false, single: false, block: false } : result;
}

function isIndicator(character: string, previous: string, next: string): boolean {
  const ends = next === '' || isBlank(next);
  if (previous === '')
    return (
      INDICATORS_AT_START.has(character) || ((character === '?' || character === ':' || character === '-') && ends)
    );
  if (character === ':') return ends;
  return character === '#' && isBlank(previous);
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t';
}

/**
 * Returns true when a character needs no escape. As in Kubernetes, all characters beyond the basic plane are escaped.
 * Unlike Kubernetes, U+2028 and U+2029 are escaped too, because only older parsers read them as line breaks.
 */
export function isPrintable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x7f) return code >= 0x20 || code === 0x0a;
  return (
    (code >= 0xa0 && code < 0xd800 && code !== 0x2028 && code !== 0x2029) ||
    (code >= 0xe000 && code <= 0xfffd && code !== 0xfeff)
  );
}
