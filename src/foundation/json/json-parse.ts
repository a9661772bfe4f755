/**
 * `JSON.parse` in pieces: a text of several megabytes takes it up to a second.
 *
 * @module
 */
import { setOwnMember } from '../collections/own-property.js';
import type { Steps, Work } from '../work/work.js';
import type { JsonCuts, JsonSegment, LongContainer } from './json-cuts.js';
import { isBigInteger, withBigIntegers } from './json-text.js';
import { isArray, type JsonObject, type JsonValue, type MutableJsonValue } from './json.js';
import { writtenNumber, writtenNumberJson } from './written-number.js';

/** The start of an escaped surrogate. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Characters that `JSON.parse` reads in about 50 ns. */
const CHARACTERS_PER_UNIT = 8;

/** Units of work to add a member to a large object. */
const MEMBER_UNITS = 6;

/** A text to parse. */
export interface JsonSource {
  readonly text: string;
  /** Where it can be cut; undefined for a text that is parsed in one step. */
  readonly cuts: JsonCuts | undefined;
  /** Positions (start, end) of the integers that become bigints, in their order. */
  readonly integers: readonly number[];
  /** Positions (start, end) of the numbers that keep their written form, in their order. */
  readonly numbers: readonly number[];
  /** Whether lone surrogates stay as they are. Default false: they become U+FFFD. */
  readonly keepsSurrogates?: boolean | undefined;
}

/** Returns the value of a text that is parsed in one step. @throws SyntaxError */
export function parseAtOnce(source: JsonSource): JsonValue {
  return new Pieces(source).parse(0, source.text.length, '', '');
}

/** An object or list that is being put together from its segments. */
interface Frame {
  readonly container: LongContainer;
  readonly result: JsonValue[] | Record<string, JsonValue>;
  next: number;
  /** Key of the member that is being made, in an object. */
  key: string;
}

/**
 * Returns the value that `JSON.parse` returns, with U+FFFD for lone surrogates unless they are kept, bigints for the
 * integers that a double may round, and numbers in their written form (`writtenNumber`).
 *
 * @throws SyntaxError
 */
export function* parseSteps(work: Work, source: JsonSource): Steps<JsonValue> {
  const pieces = new Pieces(source);
  const root = source.cuts?.root;
  if (source.cuts?.isBroken === true) throw new SyntaxError('unbalanced brackets');
  if (root === undefined) return pieces.parse(0, source.text.length, '', '');
  pieces.around({ start: 0, end: source.text.length, inner: root }, root, '', '');
  const frames: Frame[] = [frameOf(root)];
  for (;;) {
    const frame = frames.at(-1) as Frame;
    const segment = frame.container.segments[frame.next];
    if (segment === undefined) {
      frames.pop();
      const outer = frames.at(-1);
      if (outer === undefined) return frame.result;
      put(outer, frame.result);
    } else if (segment.inner !== undefined) {
      frame.next += 1;
      frame.key = keyBefore(pieces, frame, segment, segment.inner);
      frames.push(frameOf(segment.inner));
    } else {
      frame.next += 1;
      yield* append(work, frame, pieces.within(frame.container, segment));
      if (work.spend((segment.end - segment.start) / CHARACTERS_PER_UNIT)) yield;
    }
  }
}

const frameOf = (container: LongContainer): Frame => ({
  container,
  result: container.isObject ? {} : [],
  next: 0,
  key: '',
});

/** Adds a value that was put together. */
function put({ result, key }: Frame, value: JsonValue): void {
  if (isList(result)) result.push(value);
  else setOwnMember(result, key, value);
}

/** Adds the items or members of a segment; those of an object replace earlier ones, which keep their place. */
function* append(work: Work, { result, container }: Frame, part: JsonValue): Steps<void> {
  if (isArray(part) && isList(result)) {
    requireContent(part.length, container);
    for (const item of part) result.push(item);
    return;
  }
  const members = part as JsonObject;
  const keys = Object.keys(members);
  requireContent(keys.length, container);
  for (const key of keys) {
    if (work.spend(MEMBER_UNITS)) yield;
    setOwnMember(result as Record<string, JsonValue>, key, members[key] as JsonValue);
  }
}

const isList = (result: Frame['result']): result is JsonValue[] => Array.isArray(result);

/** Only an object or list without a comma may be empty. */
function requireContent(count: number, { segments }: LongContainer): void {
  if (count === 0 && segments.length > 1) throw new SyntaxError('nothing between two commas');
}

/** Returns the key of the member that a long object or list is the value of; the empty text in a list. */
function keyBefore(pieces: Pieces, { container }: Frame, segment: JsonSegment, inner: LongContainer): string {
  const [open, close] = container.isObject ? (['{', '}'] as const) : (['[', ']'] as const);
  const around = pieces.around(segment, inner, open, close);
  const keys = Object.keys(around as JsonObject);
  if (keys.length !== 1) throw new SyntaxError('not one member');
  return container.isObject ? (keys[0] as string) : '';
}

/** Parses pieces of a text, from its start to its end. */
class Pieces {
  readonly #text: string;
  /** Positions of the numbers that are parsed as texts. */
  readonly #numbers: readonly number[];
  readonly #keepsSurrogates: boolean;
  /** Index of the first number that has not been passed. */
  #number = 0;

  constructor({ text, integers, numbers, keepsSurrogates = false }: JsonSource) {
    this.#text = text;
    this.#keepsSurrogates = keepsSurrogates;
    this.#numbers = inOrder(integers, numbers);
  }

  /** Returns a segment as an object or list of its own. @throws SyntaxError */
  within({ isObject }: LongContainer, { start, end }: JsonSegment): JsonValue {
    return isObject ? this.parse(start, end, '{', '}') : this.parse(start, end, '[', ']');
  }

  /** Parses what is around a long object or list, with null in its place. @throws SyntaxError */
  around({ start, end }: JsonSegment, inner: LongContainer, open: string, close: string): JsonValue {
    const text = this.#text;
    return this.#parsePlain(`${open}${text.slice(start, inner.start)}null${text.slice(inner.end, end)}${close}`);
  }

  /** Parses a piece between two brackets. @throws SyntaxError */
  parse(start: number, end: number, open: string, close: string): JsonValue {
    const numbers = this.#numbers;
    let index = this.#number;
    if (index === numbers.length || (numbers[index] as number) >= end)
      return this.#parsePlain(open + this.#text.slice(start, end) + close);
    const parts = [open];
    let done = start;
    for (; index < numbers.length && (numbers[index] as number) < end; index += 2) {
      const [from, to] = [numbers[index] as number, numbers[index + 1] as number];
      const literal = this.#text.slice(from, to);
      parts.push(this.#text.slice(done, from), isBigInteger(literal) ? `"${literal}"` : writtenNumberJson(literal));
      done = to;
    }
    this.#number = index;
    parts.push(this.#text.slice(done, end), close);
    const text = open + this.#text.slice(start, end) + close;
    const plain = JSON.parse(text) as JsonValue;
    const value = withBigIntegers(JSON.parse(parts.join('')) as MutableJsonValue, plain, heldInteger);
    return this.#hasToReplace(text) ? wellFormed(value, plain) : value;
  }

  /** @throws SyntaxError */
  #parsePlain(text: string): JsonValue {
    const value = JSON.parse(text) as JsonValue;
    return this.#hasToReplace(text) ? wellFormed(value) : value;
  }

  /** Returns whether a text may have lone surrogates, which are to be replaced. */
  #hasToReplace(text: string): boolean {
    return !this.#keepsSurrogates && text.includes('\\u') && SURROGATE_ESCAPE.test(text);
  }
}

/** Returns the positions of two lists in their order. */
function inOrder(first: readonly number[], second: readonly number[]): readonly number[] {
  if (first.length === 0 || second.length === 0) return first.length === 0 ? second : first;
  const positions: number[] = [];
  let [one, two] = [0, 0];
  while (one < first.length || two < second.length) {
    if ((first[one] ?? Infinity) < (second[two] ?? Infinity)) {
      positions.push(first[one] as number, first[one + 1] as number);
      one += 2;
    } else {
      positions.push(second[two] as number, second[two + 1] as number);
      two += 2;
    }
  }
  return positions;
}

/** Returns the form of a number that was parsed as text: a bigint, or the number as written. */
const heldInteger = (text: string): bigint | string => (writtenNumber(text) === undefined ? BigInt(text) : text);

/**
 * Replaces the lone surrogates in a value. `plain` is the value without numbers as written, whose marks are surrogates
 * too and remain.
 */
function wellFormed(value: JsonValue, plain = value): JsonValue {
  if (typeof value === 'string') return typeof plain === 'number' ? value : value.replace(LONE_SURROGATE, '\ufffd');
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map((item, index) => wellFormed(item, (plain as readonly JsonValue[])[index]));
  const copy: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined)
      setOwnMember(copy, key.replace(LONE_SURROGATE, '\ufffd'), wellFormed(member, (plain as JsonObject)[key]));
  }
  return copy;
}
