/**
 * Finds what `JSON.parse` does not report: duplicate keys, integers that a double cannot represent, and excessive
 * nesting. Runs in one pass before the parser, without allocation in the common case.
 *
 * The text need not be valid JSON: the parser checks that.
 *
 * @module
 */
import { DecodeProblem } from './decode-problem.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Objects with more keys use a set; with fewer keys, the characters are compared in place. */
const LINEAR_KEYS = 16;
/** Maximum number of problems reported per body, as in Kubernetes. */
const MAX_DUPLICATES = 100;
/** Integers of fewer digits are always exact. */
const UNSAFE_DIGITS = 16;
const NONE: readonly string[] = Object.freeze([]);

/** The state of one scan. */
class Scanner {
  #text = '';
  #hasEscapes = false;
  #depth = 0;
  #keyTop = 0;
  #duplicates: string[] | undefined;
  #numbers: number[] | undefined;
  // One entry per nesting level, from 1 on: start of its keys, index of the current list item (-1 in an object), and
  // its set of keys when it has many.
  readonly #keyBase: number[] = [0];
  readonly #item: number[] = [-1];
  readonly #sets: (Set<string> | undefined)[] = [undefined];
  // Positions of the keys of the open objects in the text.
  readonly #keyStart: number[] = [];
  readonly #keyEnd: number[] = [];

  /** Scans a text, whatever the scan before has left. */
  scan(text: string, maxDepth: number, numbers: number[] | undefined): readonly string[] {
    this.#text = text;
    this.#numbers = numbers;
    this.#hasEscapes = text.includes('\\');
    this.#depth = 0;
    this.#keyTop = 0;
    this.#duplicates = undefined;
    this.#walk(text, maxDepth);
    const found = this.#duplicates as string[] | undefined;
    return found === undefined ? NONE : [...new Set<string>(found)];
  }

  /** Releases the text, and what a text that ends too soon has left. */
  end(): void {
    this.#text = '';
    this.#numbers = undefined;
    this.#duplicates = undefined;
    this.#sets.fill(undefined);
  }

  #walk(text: string, maxDepth: number): void {
    const { length } = text;
    let keyNext = false;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const end = this.#stringEnd(at + 1);
        if (end < 0) return;
        if (keyNext) {
          this.#key(at + 1, end);
          keyNext = false;
        }
        at = end;
      } else if (code === COMMA) {
        if ((this.#item[this.#depth] ?? -1) >= 0) (this.#item[this.#depth] as number) += 1;
        else keyNext = true;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        if (this.#depth === maxDepth) throw new DecodeProblem('exceeded max depth');
        keyNext = code === OPEN_OBJECT;
        this.#open(keyNext ? -1 : 0);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        keyNext = false;
        this.#close();
      } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
        at = this.#number(at) - 1;
      }
    }
  }

  #open(item: number): void {
    this.#depth += 1;
    this.#keyBase[this.#depth] = this.#keyTop;
    this.#item[this.#depth] = item;
    this.#sets[this.#depth] = undefined;
  }

  #close(): void {
    if (this.#depth === 0) return;
    this.#keyTop = this.#keyBase[this.#depth] as number;
    this.#sets[this.#depth] = undefined;
    this.#depth -= 1;
  }

  /** Returns the index of the closing quote of the string that starts at `from`; -1 without one. */
  #stringEnd(from: number): number {
    const text = this.#text;
    let end = text.indexOf('"', from);
    if (!this.#hasEscapes) return end;
    while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) {
      let before = end - 2;
      while (before >= from && text.charCodeAt(before) === BACKSLASH) before -= 1;
      // An odd number of backslashes escapes the quote.
      if ((end - 1 - before) % 2 === 0) return end;
      end = text.indexOf('"', end + 1);
    }
    return end;
  }

  #key(start: number, end: number): void {
    const base = this.#keyBase[this.#depth] as number;
    const set = this.#sets[this.#depth];
    if (set === undefined && this.#keyTop - base < LINEAR_KEYS && !(this.#hasEscapes && this.#hasEscape(start, end))) {
      const repeated = this.#repeats(base, start, end);
      this.#push(this.#keyTop, start, end);
      if (repeated) this.#report();
      return;
    }
    const keys = set ?? this.#createSet(base);
    const name = this.#name(start, end);
    // The set contains the keys; paths need only the position of the last one.
    this.#push(base, start, end);
    if (keys.has(name)) this.#report();
    else keys.add(name);
  }

  #push(slot: number, start: number, end: number): void {
    this.#keyStart[slot] = start;
    this.#keyEnd[slot] = end;
    this.#keyTop = slot + 1;
  }

  #createSet(base: number): Set<string> {
    const keys = new Set<string>();
    for (let slot = base; slot < this.#keyTop; slot += 1)
      keys.add(this.#name(this.#keyStart[slot] as number, this.#keyEnd[slot] as number));
    this.#sets[this.#depth] = keys;
    return keys;
  }

  #repeats(base: number, start: number, end: number): boolean {
    const length = end - start;
    const text = this.#text;
    const keyStart = this.#keyStart;
    const keyEnd = this.#keyEnd;
    for (let slot = base; slot < this.#keyTop; slot += 1) {
      const other = keyStart[slot] as number;
      if ((keyEnd[slot] as number) - other !== length) continue;
      // Compared backwards: keys of equal length often share their beginning.
      let offset = length - 1;
      while (offset >= 0 && text.charCodeAt(other + offset) === text.charCodeAt(start + offset)) offset -= 1;
      if (offset < 0) return true;
    }
    return false;
  }

  #hasEscape(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.#text.charCodeAt(at) === BACKSLASH) return true;
    return false;
  }

  /** Returns the decoded key; a key with a malformed escape unchanged, because the parser refuses it later. */
  #name(start: number, end: number): string {
    const raw = this.#text.slice(start, end);
    if (!this.#hasEscapes || !raw.includes('\\')) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }

  #report(): void {
    this.#duplicates ??= [];
    if (this.#duplicates.length < MAX_DUPLICATES) this.#duplicates.push(this.#path());
  }

  /** Returns the path of the current key or list item. */
  #path(): string {
    let path = '';
    for (let level = 1; level <= this.#depth; level += 1) {
      const item = this.#item[level] as number;
      if (item >= 0) {
        path += `[${item}]`;
        continue;
      }
      const slot = (level < this.#depth ? (this.#keyBase[level + 1] as number) : this.#keyTop) - 1;
      if (slot < (this.#keyBase[level] as number)) continue;
      const name = this.#name(this.#keyStart[slot] as number, this.#keyEnd[slot] as number);
      path += path === '' ? name : `.${name}`;
    }
    return path;
  }

  /** Scans the number at `start` and returns the index after it. */
  #number(start: number): number {
    const text = this.#text;
    let at = start + 1;
    let integer = true;
    let exponent = false;
    for (; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= NINE) continue;
      if (code === DOT) integer = false;
      else if (code === 0x65 || code === 0x45) exponent = true;
      else if (!exponent || (code !== MINUS && code !== 0x2b)) break;
    }
    const signedZero = text.charCodeAt(start) === MINUS && text.charCodeAt(start + 1) === ZERO;
    if (!integer || exponent || signedZero || at - start >= UNSAFE_DIGITS)
      this.#checkNumber(start, at, integer && !exponent);
    return at;
  }

  /**
   * Records a number whose text differs from that of its value, and refuses a number that a double cannot represent.
   */
  #checkNumber(start: number, end: number, integer: boolean): void {
    const literal = this.#text.slice(start, end);
    const value = Number(literal);
    if (integer && !Number.isSafeInteger(value) && fitsInt64(literal)) throw unsafeInteger(literal, this.#path());
    // The parser refuses a malformed number.
    if (Number.isNaN(value)) return;
    if (!Number.isFinite(value))
      throw new DecodeProblem(`json: cannot unmarshal number ${shorten(literal)} into Go value of type float64`);
    if (String(value) !== literal) this.#numbers?.push(start, end);
  }
}

/** Returns true when an integer fits into 64 bits. */
function fitsInt64(literal: string): boolean {
  if (literal.length > 20 || !/^-?[0-9]+$/.test(literal)) return false;
  return BigInt.asIntN(64, BigInt(literal)) === BigInt(literal);
}

/** Creates the error for an integer that a double cannot represent. `path` may be empty. */
export function unsafeInteger(literal: string, path: string): DecodeProblem {
  const where = path === '' ? '' : ` at ${path}`;
  return new DecodeProblem(
    `the integer ${shorten(literal)}${where} cannot be kept exactly: integers must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  );
}

function shorten(literal: string): string {
  return literal.length > 40 ? `${literal.slice(0, 40)}...` : literal;
}

/**
 * Scans a JSON text.
 *
 * @param maxDepth maximum nesting of objects and lists
 * @param numbers receives the positions (start, end) of the numbers whose text differs from that of their double:
 *   `4.0`, `1e3`, `-0`
 * @returns paths of duplicate keys (`spec.containers[0].name`) without repetition, in order of their second occurrence;
 *   at most 100
 * @throws DecodeProblem for excessive nesting, a 64-bit integer beyond ±(2^53 - 1), and a number beyond the range of a
 *   double
 */
export function scanJson(text: string, maxDepth: number, numbers?: number[]): readonly string[] {
  try {
    return scanner.scan(text, maxDepth, numbers);
  } finally {
    scanner.end();
  }
}

/** A scan never waits, so one scanner serves all: the lists of a new one would grow again for each text. */
const scanner = new Scanner();
