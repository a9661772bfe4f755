/**
 * Finds what `JSON.parse` does not report: duplicate keys, integers that a double may round, and excessive nesting. Runs
 * in one pass before the parser, without allocation in the common case. It also counts what the parser will allocate.
 *
 * The text need not be valid JSON: the parser checks that.
 *
 * @module
 */
import type { JsonCuts } from '../../../foundation/index.js';
import { DecodeProblem, requireMembers, tooManyContainers } from '../decode-problem.js';
import { numberForm } from './json-number.js';

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
/** Longer keys use a set, too. */
const LONG_KEY = 256;
/** Maximum number of problems reported per body, as in Kubernetes. */
const MAX_DUPLICATES = 100;
/** Maximum number of characters in the paths of problems: a long key is a part of the paths of all keys below it. */
const MAX_PATH_CHARACTERS = 64 * 1024;
/** Integers of fewer digits are always exact. */
const UNSAFE_DIGITS = 16;
const NONE: readonly string[] = Object.freeze([]);

/** Memory of the parts of a parsed text, in bytes, as measured on Node 20. */
const OBJECT_BYTES = 64;
const LIST_BYTES = 32;
const ITEM_BYTES = 8;
const KEY_BYTES = 40;
const STRING_BYTES = 24;

/** Limits of a scan, and what it collects on request. */
export interface ScanOptions {
  /** Maximum nesting of objects and lists. */
  readonly maxDepth: number;
  /** Maximum number of objects and lists. */
  readonly maxContainers: number;
  /**
   * Receives the positions (start, end) of the numbers whose text differs from that of their double: `4.0`, `1e3`,
   * `-0`.
   */
  readonly numbers?: number[] | undefined;
  /** Receives the positions (start, end) of the integers that the value has as bigints. */
  readonly integers?: number[] | undefined;
  /** Receives the structure of the text, as far as it is needed to cut the text. */
  readonly cuts?: JsonCuts | undefined;
}

const NO_OPTIONS: ScanOptions = {
  maxDepth: 0,
  maxContainers: 0,
  numbers: undefined,
  integers: undefined,
  cuts: undefined,
};

/** The state of one scan, which may stop and go on between any two tokens. */
export class JsonScanner {
  #text = '';
  #options = NO_OPTIONS;
  #hasEscapes = false;
  #at = 0;
  #keyNext = false;
  #depth = 0;
  #objects = 0;
  #lists = 0;
  #commas = 0;
  #keys = 0;
  #strings = 0;
  #keyTop = 0;
  #duplicates: Set<string> | undefined;
  #pathCharacters = 0;
  // One entry per nesting level, from 1 on: start of its keys, index of the current list item (-1 in an object), and
  // its set of keys when it has many.
  readonly #keyBase: number[] = [0];
  readonly #item: number[] = [-1];
  readonly #sets: (Set<string> | undefined)[] = [undefined];
  // Positions of the keys of the open objects in the text.
  readonly #keyStart: number[] = [];
  readonly #keyEnd: number[] = [];

  /** Begins to scan a text, whatever the scan before has left. */
  begin(text: string, options: ScanOptions): void {
    this.#text = text;
    this.#options = options;
    this.#hasEscapes = text.includes('\\');
    this.#at = 0;
    this.#keyNext = false;
    this.#depth = 0;
    this.#objects = 0;
    this.#lists = 0;
    this.#commas = 0;
    this.#keys = 0;
    this.#strings = 0;
    this.#keyTop = 0;
    this.#duplicates = undefined;
    this.#pathCharacters = 0;
  }

  /** Releases the text, and what a text that ends too soon has left. */
  end(): void {
    this.#text = '';
    this.#options = NO_OPTIONS;
    this.#duplicates = undefined;
    this.#sets.fill(undefined);
  }

  /** Paths of duplicate keys found so far, without repetition, in order of their second occurrence; at most 100. */
  get duplicates(): readonly string[] {
    return this.#duplicates === undefined ? NONE : [...this.#duplicates];
  }

  /** Whether every object and list that was opened has been closed. */
  get isBalanced(): boolean {
    return this.#depth === 0;
  }

  /** Number of objects and lists found so far. */
  get containers(): number {
    return this.#objects + this.#lists;
  }

  /** Upper estimate of the memory of the value that the scanned text has, in bytes. */
  get parsedBytes(): number {
    return (
      this.#objects * OBJECT_BYTES +
      this.#lists * LIST_BYTES +
      (this.#commas + this.#lists + this.#objects) * ITEM_BYTES +
      this.#keys * KEY_BYTES +
      this.#strings * STRING_BYTES +
      this.#at
    );
  }

  /**
   * Scans the tokens that begin before a position.
   *
   * @returns whether the text goes on behind them
   * @throws DecodeProblem | ApiError see {@link scanJson}
   */
  scanTo(limit: number): boolean {
    const text = this.#text;
    const { maxDepth, maxContainers, cuts } = this.#options;
    const until = Math.min(limit, text.length);
    let keyNext = this.#keyNext;
    let at = this.#at;
    for (; at < until; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const end = this.#stringEnd(at + 1);
        if (end < 0) {
          at = text.length;
          // The depth of a text that ends within a string is above that of a complete one.
          this.#depth += 1;
          break;
        }
        if (keyNext) {
          this.#keys += 1;
          this.#key(at + 1, end);
          keyNext = false;
        } else this.#strings += 1;
        at = end;
      } else if (code === COMMA) {
        this.#commas += 1;
        if ((this.#item[this.#depth] ?? -1) >= 0) (this.#item[this.#depth] as number) += 1;
        else keyNext = true;
        cuts?.comma(this.#depth, at);
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        if (this.#depth === maxDepth) throw new DecodeProblem('exceeded max depth');
        keyNext = code === OPEN_OBJECT;
        if (keyNext) this.#objects += 1;
        else this.#lists += 1;
        if (this.#objects + this.#lists > maxContainers) throw tooManyContainers(maxContainers);
        this.#open(keyNext ? -1 : 0);
        cuts?.open(this.#depth, at);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        keyNext = false;
        cuts?.close(this.#depth, at);
        this.#close();
      } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
        at = this.#number(at) - 1;
      }
    }
    this.#keyNext = keyNext;
    this.#at = at;
    return at < text.length;
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
    if (
      set === undefined &&
      this.#keyTop - base < LINEAR_KEYS &&
      end - start < LONG_KEY &&
      !(this.#hasEscapes && this.#hasEscape(start, end))
    ) {
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
    else requireMembers(keys.add(name).size);
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
    this.#duplicates ??= new Set();
    if (this.#duplicates.size === MAX_DUPLICATES || this.#pathCharacters > MAX_PATH_CHARACTERS) return;
    const path = this.#path();
    this.#pathCharacters += path.length;
    this.#duplicates.add(path);
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
    if (!integer || exponent || signedZero || at - start >= UNSAFE_DIGITS) {
      const form = numberForm(text, start, at, integer && !exponent);
      if (form === 'written') this.#options.numbers?.push(start, at);
      else if (form === 'bigint') this.#options.integers?.push(start, at);
    }
    return at;
  }
}

/**
 * Scans a JSON text.
 *
 * @param maxDepth maximum nesting of objects and lists
 * @param numbers receives the positions (start, end) of the numbers whose text differs from that of their double:
 *   `4.0`, `1e3`, `-0`
 * @returns paths of duplicate keys (`spec.containers[0].name`) without repetition, in order of their second occurrence;
 *   at most 100
 * @throws DecodeProblem for excessive nesting, and a number beyond the range of a double
 */
export function scanJson(text: string, maxDepth: number, numbers?: number[]): readonly string[] {
  return scanAtOnce(
    text,
    { maxDepth, maxContainers: Infinity, numbers, integers: undefined, cuts: undefined },
    ({ duplicates }) => duplicates,
  );
}

/**
 * Scans a text without a pause.
 *
 * @param read reads what the scan has found, before it is released
 * @throws DecodeProblem as {@link scanJson} does; ApiError 413 for more objects and lists than the limit
 */
export function scanAtOnce<Found>(text: string, options: ScanOptions, read: (scanned: JsonScanner) => Found): Found {
  try {
    scanner.begin(text, options);
    scanner.scanTo(text.length);
    return read(scanner);
  } finally {
    scanner.end();
  }
}

/** A scan without a pause never waits, so one scanner serves all: the lists of a new one would grow for each text. */
const scanner = new JsonScanner();
