/**
 * Functions that make texts of texts, in steps: `replace`, `split`, `join`, `trim`, `strings.quote`, and the cases.
 *
 * @module
 */
import { codePointsOf, isAscii, SHORT_ESCAPES, type Steps } from '../../../foundation/index.js';
import { textCost, type Meter } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { ValueList, type CelList } from '../evaluate/values.js';
import type { CelResult } from '../types/declarations.js';
import { MadeText, piecesOf } from './made-text.js';
import { PartSearch } from './part-search.js';

/** Returns the largest number that a limit of an expression allows; a negative one allows any. */
const limitOf = (limit: bigint): number => (limit < 0n ? Infinity : Number(limit));

/**
 * Replaces the first `limit` occurrences, or all for a negative limit. An empty text occurs before each character and
 * at the end.
 */
export function* replace(
  text: string,
  old: string,
  replacement: string,
  limit: bigint,
  meter: Meter,
): Steps<CelResult> {
  if (limit === 0n || old === replacement) return text;
  const made = new MadeText(meter);
  if (old === '') yield* insert(text, replacement, limitOf(limit), made, meter);
  else {
    const search = new PartSearch(old, meter);
    let from = 0;
    for (let open = limitOf(limit); open > 0; open -= 1) {
      const at = yield* search.first(text, from);
      if (at < 0) break;
      made.add(text.slice(from, at));
      made.add(replacement);
      from = at + old.length;
    }
    made.add(text.slice(from));
  }
  return made.toString();
}

/** Inserts a text before each of the first characters, and at the end if the limit is not reached. */
function* insert(text: string, inserted: string, limit: number, made: MadeText, meter: Meter): Steps<void> {
  let open = limit;
  for (const piece of piecesOf(text)) {
    for (const character of codePointsOf(piece)) {
      if (meter.step(1)) yield;
      if (open > 0) made.add(inserted);
      open -= 1;
      made.add(character);
    }
  }
  if (open > 0) made.add(inserted);
}

/** Splits a text into at most `limit` parts, or all for a negative limit; the last part is the rest. */
export function* split(text: string, separator: string, limit: bigint, meter: Meter): Steps<CelResult> {
  if (limit === 0n) return new ValueList([]);
  if (separator === '') return new ValueList(yield* charactersOf(text, limitOf(limit), meter));
  const parts: string[] = [];
  const search = new PartSearch(separator, meter);
  let from = 0;
  while (parts.length + 1 < limitOf(limit)) {
    const at = yield* search.first(text, from);
    if (at < 0) break;
    meter.makeItems(1);
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return new ValueList(parts);
}

/** Returns the first characters of a text, and the rest. */
function* charactersOf(text: string, limit: number, meter: Meter): Steps<string[]> {
  const parts: string[] = [];
  let from = 0;
  for (const piece of piecesOf(text)) {
    const characters = codePointsOf(piece);
    meter.makeItems(characters.length);
    for (const character of characters) {
      if (parts.length + 1 >= limit) {
        parts.push(text.slice(from));
        return parts;
      }
      parts.push(character);
      from += character.length;
    }
    if (meter.mayPause()) yield;
  }
  return parts;
}

/** Joins the texts of a list. Kubernetes charges for the result. */
export function* join(list: CelList, separator: string, meter: Meter): Steps<CelResult> {
  const made = new MadeText(meter);
  let isFirst = true;
  for (const item of list) {
    if (typeof item !== 'string') {
      meter.charge(1);
      return failure('type conversion error: list item is not a string');
    }
    if (meter.step(1)) yield;
    if (!isFirst && separator !== '') made.add(separator);
    made.add(item);
    isFirst = false;
  }
  const joined = made.toString();
  meter.charge(textCost(joined, 2));
  return joined;
}

/** Returns the text of the pieces of a text, each of which is converted. */
function* converted(text: string, meter: Meter, convert: (piece: string) => string): Steps<string> {
  const made = new MadeText(meter);
  for (const piece of piecesOf(text)) {
    made.add(convert(piece));
    if (meter.mayPause()) yield;
  }
  return made.toString();
}

/** Converts the ASCII letters of a text. */
const inCase =
  (range: RegExp, convert: (letters: string) => string) =>
  (text: string, meter: Meter): Steps<string> =>
    converted(text, meter, (piece) => {
      if (isAscii(piece)) return convert(piece);
      meter.work(piece.length);
      return piece.replace(range, convert);
    });

/** `text.lowerAscii()`. */
export const lowerAscii = inCase(/[A-Z]+/g, (letters) => letters.toLowerCase());
/** `text.upperAscii()`. */
export const upperAscii = inCase(/[a-z]+/g, (letters) => letters.toUpperCase());

/** The characters that CEL's literals escape. */
const ESCAPED = /["\\\u0007\b\f\n\r\t\v]/g;

/** Returns the text as a CEL literal. */
export function* quote(text: string, meter: Meter): Steps<string> {
  const quoted = yield* converted(text, meter, (piece) => {
    const escaped = piece.replace(ESCAPED, (character) => SHORT_ESCAPES[character] ?? character);
    meter.work(escaped.length - piece.length);
    return escaped;
  });
  return `"${quoted}"`;
}

/** Unicode white space as in Go: without the zero-width marks that JavaScript also trims. */
const SPACES: ReadonlySet<number> = new Set(
  Array.from(
    '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
    (space) => space.charCodeAt(0),
  ),
);

/** Spaces that are skipped before they are counted. */
const SPACES_AT_ONCE = 1024;
/** Spaces that are skipped in a unit of work. */
const SPACES_OF_UNIT = 4;

/** `text.trim()`. */
export function* trim(text: string, meter: Meter): Steps<string> {
  let [start, end] = [0, text.length];
  while (start < end && SPACES.has(text.charCodeAt(start))) {
    start += 1;
    if (start % SPACES_AT_ONCE === 0 && meter.step(SPACES_AT_ONCE / SPACES_OF_UNIT)) yield;
  }
  while (end > start && SPACES.has(text.charCodeAt(end - 1))) {
    end -= 1;
    if (end % SPACES_AT_ONCE === 0 && meter.step(SPACES_AT_ONCE / SPACES_OF_UNIT)) yield;
  }
  return text.slice(start, end);
}
