/**
 * JSON texts with exact 64-bit integers. `JSON.parse` rounds an integer beyond ±(2^53 - 1), and `JSON.stringify` throws
 * for a bigint. Texts and values without such integers, as most are, cost no more than with those functions.
 *
 * @module
 */
import { keysInSteps } from '../collections/keys-in-steps.js';
import { setOwnMember } from '../collections/own-property.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { textWithBigIntegers } from './big-integer-text.js';
import type { JsonObject, JsonValue, MutableJsonObject, MutableJsonValue } from './json.js';

/** Digits of the shortest integer that a double may round. */
const UNSAFE_DIGITS = 16;

/** Characters of the longest 64-bit integer: a sign and 19 digits. */
const LONGEST_INTEGER = 20;
/** Characters of an integer that has at most 64 bits, whatever its digits. */
const SURELY_64_BITS = 18;

const INTEGER = /^-?[0-9]+$/;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;

/**
 * Returns the form in which JSON values hold an integer: a bigint within 64 bits that a double may round, a number
 * otherwise. Integers beyond 64 bits are rounded, as Kubernetes rounds them in values without a type.
 */
export function integerValue(value: bigint): number | bigint {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) || BigInt.asIntN(64, value) !== value ? rounded : value;
}

/** Returns whether the text of a number is an integer that JSON values hold as a bigint. */
export function isBigInteger(literal: string): boolean {
  const { length } = literal;
  if (length < UNSAFE_DIGITS || length > LONGEST_INTEGER || !INTEGER.test(literal)) return false;
  if (length <= SURELY_64_BITS) return !Number.isSafeInteger(Number(literal));
  return typeof integerValue(BigInt(literal)) === 'bigint';
}

/**
 * Parses JSON, with integers in the form of {@link integerValue}.
 *
 * @throws SyntaxError for a string that is not JSON
 */
export function jsonValue(text: string): JsonValue {
  const plain = JSON.parse(text) as MutableJsonValue;
  if (!hasLongDigits(text)) return plain;
  const integers = bigIntegersIn(text);
  return integers.length === 0 ? plain : withBigIntegers(JSON.parse(quoted(text, integers)) as MutableJsonValue, plain);
}

/**
 * Returns a value as JSON, as `JSON.stringify` does. Bigints become integers.
 *
 * @param indent number of spaces for each level; by default the JSON is compact
 * @throws TypeError | RangeError for a value that contains itself
 */
export function jsonText(value: unknown, indent?: number): string {
  // The engine fails for each, which takes longer than an object of many.
  if (typeof value === 'bigint') return String(value);
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // Finding a bigint costs more than encoding a value that has none.
    if (!(error instanceof TypeError)) throw error;
    return textWithBigIntegers(value, indent ?? 0);
  }
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Characters that are looked at before the first integer is looked for. */
const LOOK_LENGTH = 4096;

/** Returns whether the value of a JSON text has bigints. */
export function hasBigIntegers(text: string): boolean {
  if (!hasLongDigits(text)) return false;
  const found: number[] = [];
  for (let at = 0; at < text.length && found.length === 0;) at = addBigIntegers(text, at, at + LOOK_LENGTH, found);
  return found.length > 0;
}

/**
 * Replaces, in place, the numbers that their JSON text makes bigints: doubles such as 1e18, which is written with all its
 * digits.
 */
export const holdAsWritten = (object: object): void => atOnce(holdAsWrittenSteps(object, UNBOUNDED_WORK));

/** Does what {@link holdAsWritten} does, in steps. */
export function* holdAsWrittenSteps(object: object, work: Work): Steps<void> {
  const open: object[] = [object];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const key of yield* keysInSteps(next, work)) {
      if (work.spend(1)) yield;
      const member: unknown = Reflect.get(next, key);
      if (typeof member === 'object' && member !== null) open.push(member);
      // Most numbers are exact.
      else if (typeof member === 'number' && !Number.isSafeInteger(member) && isBigInteger(String(member)))
        Reflect.set(next, key, BigInt(String(member)));
    }
  }
}

/** Returns whether a text has as many digits in a row as an integer that a double may round. */
export function hasLongDigits(text: string): boolean {
  // So many digits cannot be between two places that are looked at.
  for (let at = UNSAFE_DIGITS - 1; at < text.length; at += UNSAFE_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (isDigit(text.charCodeAt(start - 1))) start -= 1;
    while (end - start < UNSAFE_DIGITS && isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= UNSAFE_DIGITS) return true;
  }
  return false;
}

/** Returns the positions (start, end) of the integers in a JSON text that its value holds as bigints. */
export function bigIntegersIn(text: string): number[] {
  const found: number[] = [];
  addBigIntegers(text, 0, text.length, found);
  return found;
}

/**
 * Adds the positions of the integers in a part of a JSON text that its value holds as bigints.
 *
 * @param from where the part begins, outside a string and a number
 * @param to where it ends at least
 * @returns where the part ended, outside a string and a number
 */
export function addBigIntegers(text: string, from: number, to: number, found: number[]): number {
  const end = Math.min(to, text.length);
  let at = from;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at + 1);
    else if (isDigit(code) || code === MINUS) {
      const start = at;
      while (isNumberPart(text.charCodeAt(at))) at += 1;
      if (at - start >= UNSAFE_DIGITS && isBigInteger(text.slice(start, at))) found.push(start, at);
    } else at += 1;
  }
  return at;
}

/** Returns whether a character occurs in numbers: a digit, a sign, a point, or an `e`. */
const isNumberPart = (code: number): boolean =>
  isDigit(code) || code === MINUS || code === 0x2b || code === 0x2e || code === 0x65 || code === 0x45;

/** Returns the index after the string whose content starts at `from`. */
export function afterString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === BACKSLASH) before -= 1;
    // An odd number of backslashes escapes the quote.
    if ((end - 1 - before) % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Returns a text with quotes around the parts at some positions. */
function quoted(text: string, positions: readonly number[]): string {
  const parts: string[] = [];
  let done = 0;
  for (let index = 0; index < positions.length; index += 2) {
    const [start, end] = [positions[index] as number, positions[index + 1] as number];
    parts.push(text.slice(done, start), '"', text.slice(start, end), '"');
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

/**
 * Replaces the quoted integers in a parsed value with bigints, in place.
 *
 * @param value the value of a text in which the integers were quoted
 * @param plain the value of the text as it was
 * @param integerOf returns the bigint of a text that stands for a number; default every such text is an integer
 */
export function withBigIntegers(
  value: MutableJsonValue,
  plain: JsonValue,
  integerOf: (text: string) => MutableJsonValue = BigInt,
): MutableJsonValue {
  // A value may be nested more deeply than functions can be.
  const open: Opened[] = [];
  const held = (member: MutableJsonValue, plainMember: JsonValue | undefined): MutableJsonValue => {
    if (typeof member === 'string') return typeof plainMember === 'number' ? integerOf(member) : member;
    if (isContainer(member) && isContainer(plainMember)) open.push({ value: member, plain: plainMember });
    return member;
  };
  const root = held(value, plain);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const members = next.plain;
    if (Array.isArray(next.value)) {
      const items = next.value;
      for (let index = 0; index < items.length; index += 1)
        items[index] = held(items[index] as MutableJsonValue, (members as readonly JsonValue[])[index]);
    } else {
      const object = next.value;
      for (const key of Object.keys(object))
        setOwnMember(object, key, held(object[key] as MutableJsonValue, (members as JsonObject)[key]));
    }
  }
  return root;
}

/** An object or list whose members are looked at next. */
interface Opened {
  readonly value: MutableJsonValue[] | MutableJsonObject;
  readonly plain: readonly JsonValue[] | JsonObject;
}

function isContainer(value: MutableJsonValue): value is MutableJsonValue[] | MutableJsonObject;
function isContainer(value: JsonValue | undefined): value is readonly JsonValue[] | JsonObject;
function isContainer(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}
