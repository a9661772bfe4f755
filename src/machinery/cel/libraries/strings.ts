/**
 * The extension functions on text, in the version of Kubernetes (including `format` and `strings.quote`). Indices count
 * code points.
 *
 * @module
 */
import { codePointCount, codePointsOf, SHORT_ESCAPES, type Steps } from '../../../foundation/index.js';
import { searchCost, sizeOf, traversalCost, type Meter } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { ValueList, type CelList } from '../evaluate/values.js';
import { declare, method, methodInSteps, overload, type CelLibrary, type CelResult } from '../types/declarations.js';
import { dynType, intType, listType, stringType } from '../types/types.js';
import { formatText } from './format.js';

const stringList = listType(stringType);
/** No cost before the call: the call charges for itself. */
const free = (): number => 0;
const once = ([text]: readonly [string, ...unknown[]]): number => traversalCost(text.length);
/** Cost of searching for a text. */
const searching = ([text, part]: readonly [string, string, ...unknown[]]): number =>
  Math.max(traversalCost(text.length), searchCost(text.length, part.length));
/** Cost of searching for a text and copying the parts around it. */
const splitting = ([text, part]: readonly [string, string, ...unknown[]]): number =>
  Math.max(traversalCost(text.length, 2), searchCost(text.length, part.length));

const outOfRange = (index: bigint): CelResult => failure(`index out of range: ${String(index)}`);

function charAt(text: string, index: bigint): CelResult {
  const characters = codePointsOf(text);
  return index < 0n || index > BigInt(characters.length) ? outOfRange(index) : (characters[Number(index)] ?? '');
}

/** Converts an index in UTF-16 units to one in code points. */
const codePointIndex = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(codePointCount(text.slice(0, unit)));

function indexOf(text: string, part: string, from: bigint): CelResult {
  if (part === '') return from;
  const characters = codePointsOf(text);
  if (from < 0n || from >= BigInt(characters.length)) return outOfRange(from);
  return codePointIndex(text, text.indexOf(part, characters.slice(0, Number(from)).join('').length));
}

function lastIndexOf(text: string, part: string, from: bigint): CelResult {
  if (part === '') return from;
  const characters = codePointsOf(text);
  if (from < 0n || from >= BigInt(characters.length)) return outOfRange(from);
  return codePointIndex(text, text.lastIndexOf(part, characters.slice(0, Number(from)).join('').length));
}

function lastIndexOfAnywhere(text: string, part: string): CelResult {
  return part === '' ? BigInt(codePointCount(text)) : codePointIndex(text, text.lastIndexOf(part));
}

function substring(text: string, start: bigint, end?: bigint): CelResult {
  const characters = codePointsOf(text);
  const length = BigInt(characters.length);
  if (end !== undefined && start > end)
    return failure(`invalid substring range. start: ${String(start)}, end: ${String(end)}`);
  if (start < 0n || start > length) return outOfRange(start);
  if (end !== undefined && end > length) return outOfRange(end);
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join('');
}

const mapAscii = (text: string, range: RegExp, convert: (letters: string) => string): string =>
  text.replace(range, convert);

/**
 * Replaces the first `limit` occurrences, or all for a negative limit. An empty text occurs before each character and
 * at the end.
 */
function replace(text: string, old: string, replacement: string, limit: bigint): CelResult {
  if (limit === 0n || old === replacement) return text;
  if (limit < 0n)
    return old === ''
      ? replacement +
          codePointsOf(text)
            .map((character) => character + replacement)
            .join('')
      : text.split(old).join(replacement);
  const parts = splitAtMost(text, old, Number(limit) + 1);
  return old === '' ? replaceEmpty(text, replacement, Number(limit)) : parts.join(replacement);
}

function replaceEmpty(text: string, replacement: string, limit: number): string {
  return [...codePointsOf(text), ''].map((character, index) => (index < limit ? replacement : '') + character).join('');
}

const MAX_COUNTED_SEARCH = 100_000_000;

/** Cost of the search and of the result, which can be many times longer than the text. */
function replaceCost([text, old, replacement, limit = -1n]: readonly [string, string, string, bigint?]): number {
  const search = searchCost(text.length, old.length);
  // A search beyond any cost limit is not performed.
  if (search > MAX_COUNTED_SEARCH) return search;
  const found = old === '' ? text.length + 1 : text.split(old).length - 1;
  const count = limit < 0n || limit > BigInt(found) ? found : Number(limit);
  return Math.max(
    search,
    traversalCost(Math.max(2 * text.length, text.length + count * (replacement.length - old.length))),
  );
}

/** Returns at most `limit` parts of the text; the last part is the rest. */
function splitAtMost(text: string, separator: string, limit: number): string[] {
  const parts = separator === '' ? codePointsOf(text) : text.split(separator);
  return parts.length <= limit ? parts : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function split(text: string, separator: string, limit: bigint): ValueList {
  if (limit === 0n) return new ValueList([]);
  return new ValueList(splitAtMost(text, separator, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)));
}

/** Items that are joined before a join may pause. */
const ITEMS_AT_ONCE = 64;
/** Work of joining an item, beyond the cost of its text. */
const ITEM_WORK = 1;

/** Joins the texts of a list, in steps, and charges for the joined text. */
function* join(list: CelList, separator: string, meter: Meter): Steps<CelResult> {
  const parts: string[] = [];
  let problem: CelResult | undefined;
  let length = 0;
  let charged = 0;
  for (let from = 0; from < list.size; from += ITEMS_AT_ONCE) {
    const texts: string[] = [];
    for (let index = from; index < Math.min(from + ITEMS_AT_ONCE, list.size); index += 1) {
      const item = list.at(index);
      length += sizeOf(item) + (index === 0 ? 0 : separator.length);
      if (typeof item === 'string') texts.push(item);
      else problem ??= failure('type conversion error: list item is not a string');
    }
    const cost = traversalCost(length, 2);
    meter.charge(cost - charged);
    charged = cost;
    meter.work(texts.length * ITEM_WORK);
    if (problem === undefined) parts.push(texts.join(separator));
    yield;
  }
  return problem ?? parts.join(separator);
}

/** Unicode white space as in Go: without the zero-width marks that JavaScript also trims. */
const SPACES: ReadonlySet<string> = new Set(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACES.has(text.charAt(start))) start += 1;
  while (end > start && SPACES.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns the text as a CEL literal. */
const quote = (text: string): string =>
  `"${codePointsOf(text)
    .map((character) => SHORT_ESCAPES[character] ?? character)
    .join('')}"`;

/** The text functions of the extension. */
export const stringsLibrary: CelLibrary = {
  name: 'strings',
  functions: [
    declare(
      'charAt',
      method('string_char_at_int', [stringType, intType], stringType, ([text, index]) => charAt(text, index), once),
    ),
    declare(
      'format',
      method(
        'string_format',
        [stringType, listType(dynType)],
        stringType,
        ([text, values], { meter }) => formatText(text, values, meter),
        once,
      ),
    ),
    declare(
      'indexOf',
      method(
        'string_index_of_string',
        [stringType, stringType],
        intType,
        ([text, part]) => (part === '' ? 0n : codePointIndex(text, text.indexOf(part))),
        searching,
      ),
      method(
        'string_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        ([text, part, from]) => indexOf(text, part, from),
        searching,
      ),
    ),
    declare(
      'join',
      methodInSteps('list_join', [stringList], stringType, ([list], { meter }) => join(list, '', meter), free),
      methodInSteps(
        'list_join_string',
        [stringList, stringType],
        stringType,
        ([list, separator], { meter }) => join(list, separator, meter),
        free,
      ),
    ),
    declare(
      'lastIndexOf',
      method(
        'string_last_index_of_string',
        [stringType, stringType],
        intType,
        ([text, part]) => lastIndexOfAnywhere(text, part),
        searching,
      ),
      method(
        'string_last_index_of_string_int',
        [stringType, stringType, intType],
        intType,
        ([text, part, from]) => lastIndexOf(text, part, from),
        searching,
      ),
    ),
    declare(
      'lowerAscii',
      method(
        'string_lower_ascii',
        [stringType],
        stringType,
        ([text]) => mapAscii(text, /[A-Z]+/g, (letters) => letters.toLowerCase()),
        once,
      ),
    ),
    declare(
      'upperAscii',
      method(
        'string_upper_ascii',
        [stringType],
        stringType,
        ([text]) => mapAscii(text, /[a-z]+/g, (letters) => letters.toUpperCase()),
        once,
      ),
    ),
    declare(
      'strings.quote',
      overload('strings_quote', [stringType], stringType, ([text]) => quote(text), once),
    ),
    declare(
      'replace',
      method(
        'string_replace_string_string',
        [stringType, stringType, stringType],
        stringType,
        ([text, old, by]) => replace(text, old, by, -1n),
        replaceCost,
      ),
      method(
        'string_replace_string_string_int',
        [stringType, stringType, stringType, intType],
        stringType,
        ([text, old, by, limit]) => replace(text, old, by, limit),
        replaceCost,
      ),
    ),
    declare(
      'split',
      method(
        'string_split_string',
        [stringType, stringType],
        stringList,
        ([text, separator]) => split(text, separator, -1n),
        splitting,
      ),
      method(
        'string_split_string_int',
        [stringType, stringType, intType],
        stringList,
        ([text, separator, limit]) => split(text, separator, limit),
        splitting,
      ),
    ),
    declare(
      'substring',
      method(
        'string_substring_int',
        [stringType, intType],
        stringType,
        ([text, start]) => substring(text, start),
        once,
      ),
      method(
        'string_substring_int_int',
        [stringType, intType, intType],
        stringType,
        ([text, start, end]) => substring(text, start, end),
        once,
      ),
    ),
    declare(
      'trim',
      method('string_trim', [stringType], stringType, ([text]) => trim(text), once),
    ),
  ],
};
