/**
 * Finds the labels of an object in its JSON text. Parsing the whole text costs several times as much.
 *
 * @module
 */
import { isJsonObject, parsedJson } from '../../foundation/index.js';
import type { Labels } from '../../machinery/index.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The object has no such member. */
const NONE = -1;
/** Only a parser can tell. */
const UNCLEAR = -2;

const NO_LABELS: Labels = {};

/**
 * The start of a text as a server writes it, up to the end of the labels, which are the only group. Before them are
 * only strings and numbers without escapes.
 */
const HEAD =
  /^\{(?:"[^"\\]*":"[^"\\]*",)*"metadata":\{(?:"[^"\\]*":(?:"[^"\\]*"|\d+),)*(?:"labels":(\{(?:"[^"\\]*":"[^"\\]*",?)*\}))?/;
/** Text that repeats the name of a member, or may do so: the name as such, or an escape. */
const REPEATED = /"labels"|"metadata"|\\u00/g;

/**
 * Returns the labels in the text of a stored object, empty when it has none; undefined when only a parser can tell, and
 * for long ones, which take long to parse. Of a valid text they are always right. Of a damaged one, the damage may be overlooked when it is elsewhere.
 */
export function labelsInText(text: string): Labels | undefined {
  // A text that was cut off.
  if (text.charCodeAt(text.length - 1) !== CLOSE_BRACE) return undefined;
  const head = HEAD.exec(text);
  if (head !== null && !mayRepeat(text, head[0].length)) {
    if (head[1] !== undefined) return labelsIn(head[1]);
    // A member of that name may be among the strings.
    if (!head[0].includes('"labels"')) return NO_LABELS;
  }
  const metadata = lastMember(text, 0, 'metadata');
  const start = metadata < 0 ? UNCLEAR : lastMember(text, metadata, 'labels');
  if (start === NONE) return NO_LABELS;
  return start === UNCLEAR ? undefined : labelsIn(text.slice(start, valueEnd(text, start)));
}

/** Most characters of labels that are parsed in one piece: as many as 100 labels have. */
const MOST_CHARACTERS = 32 * 1024;

function labelsIn(text: string): Labels | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const labels = parsedJson(text);
  return isLabels(labels) ? labels : undefined;
}

/** Returns whether a value is an object of strings, as labels are. */
export function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((member) => typeof member === 'string');
}

/** Returns whether the names of the members may be repeated in the rest of a text. Of those, the last one counts. */
function mayRepeat(text: string, from: number): boolean {
  REPEATED.lastIndex = from;
  return REPEATED.test(text);
}

/** Returns where the value of the last member with a name starts, in the object whose brace is at `open`. */
function lastMember(text: string, open: number, name: string): number {
  if (text.charCodeAt(open) !== OPEN_BRACE) return UNCLEAR;
  if (text.charCodeAt(open + 1) === CLOSE_BRACE) return NONE;
  let found = NONE;
  for (let at = open + 1; ; at++) {
    const nameEnd = text.charCodeAt(at) === QUOTE ? text.indexOf('"', at + 1) : UNCLEAR;
    if (nameEnd < 0 || text.charCodeAt(nameEnd + 1) !== COLON || hasEscape(text, at, nameEnd)) return UNCLEAR;
    const start = nameEnd + 2;
    if (nameEnd - at - 1 === name.length && text.startsWith(name, at + 1)) found = start;
    at = valueEnd(text, start);
    if (at < 0) return UNCLEAR;
    const next = text.charCodeAt(at);
    if (next === CLOSE_BRACE) return found;
    if (next !== COMMA) return UNCLEAR;
  }
}

function hasEscape(text: string, from: number, end: number): boolean {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === BACKSLASH) return true;
  return false;
}

/** Returns the index after the JSON value at an index; a negative number when it does not end. */
export function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return nestedEnd(text, start);
  let at = start;
  while (isScalar(text.charCodeAt(at))) at++;
  return at === start ? UNCLEAR : at;
}

/** Returns whether a code unit may be part of a number, a boolean or null. */
function isScalar(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x45 || isSign(unit);
}

/** Returns whether a code unit is one of `+`, `-` and `.`. */
function isSign(unit: number): boolean {
  return unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function nestedEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = stringEnd(text, at) - 1;
      if (at < 0) return UNCLEAR;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++;
    else if ((unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return UNCLEAR;
}

function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
  return UNCLEAR;
}
