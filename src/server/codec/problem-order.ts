/**
 * Finds the positions of problematic keys in a JSON text. Unknown keys are found in the decoded value and duplicate
 * keys in the text, so sorting both needs another pass. Runs only for bodies with several problems.
 *
 * @module
 */

import type { Steps, Work } from '../../foundation/index.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** A range of the sorted paths, from `from` to `to` (exclusive), that share their first `length` characters. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

const NOTHING: Range = { from: 0, to: 0, length: 0 };

/** An enclosing object or list. */
interface Level {
  readonly range: Range;
  readonly isList: boolean;
  /** Index of the current item of a list. */
  item: number;
}

/** Characters that are read between two looks at the work. */
const PART_LENGTH = 1024;

/** Characters that are read in about 50 ns. */
const CHARACTERS_PER_UNIT = 4;

/**
 * Finds keys by their paths (`spec.containers[0].name`) in one pass over the text. Keys in parts that no path leads
 * into are skipped. The pass ends with the last key that is asked for.
 *
 * @param text valid JSON
 * @param once paths whose first key is asked for
 * @param twice paths whose second key is asked for
 * @returns positions of the first keys of each path, at most two
 */
export function* locateSteps(
  work: Work,
  text: string,
  once: readonly string[],
  twice: readonly string[],
): Steps<ReadonlyMap<string, readonly number[]>> {
  const walk = new KeyWalk(text, once, twice);
  for (let limit = PART_LENGTH; walk.readTo(limit); limit += PART_LENGTH)
    if (work.spend(PART_LENGTH / CHARACTERS_PER_UNIT)) yield;
  return walk.found;
}

class KeyWalk {
  readonly found = new Map<string, number[]>();
  readonly #text: string;
  readonly #paths: readonly string[];
  readonly #twice: ReadonlySet<string>;
  readonly #levels: Level[] = [];
  /** Range of the paths that lead into the next value. */
  #next: Range;
  #at = 0;
  /** Number of keys that have not been found. */
  #missing: number;

  constructor(text: string, once: readonly string[], twice: readonly string[]) {
    this.#text = text;
    this.#paths = [...new Set([...once, ...twice])].sort();
    this.#twice = new Set(twice);
    this.#missing = this.#paths.length + this.#twice.size;
    this.#next = { from: 0, to: this.#paths.length, length: 0 };
  }

  /** Reads what begins before a position. Returns whether the text goes on, and more keys are missing. */
  readTo(limit: number): boolean {
    const text = this.#text;
    const until = Math.min(limit, text.length);
    let at = this.#at;
    for (; at < until && this.#missing > 0; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#string(at);
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_LIST);
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#levels.pop();
      else if (code === COMMA) this.#nextItem();
    }
    this.#at = at;
    return at < text.length && this.#missing > 0;
  }

  #open(isList: boolean): void {
    this.#levels.push({ range: this.#next, isList, item: -1 });
    if (isList) this.#nextItem();
  }

  #nextItem(): void {
    const level = this.#levels.at(-1);
    if (level?.isList !== true) return;
    level.item += 1;
    this.#next = this.#narrow(level.range, `[${level.item}]`);
  }

  /** Reads a string, which is a key if a colon follows. @returns the index of its closing quote */
  #string(start: number): number {
    const text = this.#text;
    let end = start + 1;
    while (text.charCodeAt(end) !== QUOTE) end += text.charCodeAt(end) === BACKSLASH ? 2 : 1;
    const level = this.#levels.at(-1);
    if (level?.isList === false && this.#isKey(end + 1)) this.#key(level, start, end);
    return end;
  }

  #isKey(from: number): boolean {
    let at = from;
    while (this.#text.charCodeAt(at) <= 0x20) at += 1;
    return this.#text.charCodeAt(at) === COLON;
  }

  #key({ range }: Level, start: number, end: number): void {
    this.#next = NOTHING;
    if (range.from === range.to) return;
    const raw = this.#text.slice(start, end + 1);
    const name = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    this.#next = this.#narrow(range, range.length === 0 ? name : `.${name}`);
    const path = this.#paths[this.#next.from];
    if (this.#next.from === this.#next.to || path?.length !== this.#next.length) return;
    const known = this.found.get(path);
    if (known === undefined) this.found.set(path, [start]);
    else if (known.length < 2 && this.#twice.has(path)) known.push(start);
    else return;
    this.#missing -= 1;
  }

  /** Returns the paths of a range that continue with `segment`. */
  #narrow({ from, to, length }: Range, segment: string): Range {
    if (from === to) return NOTHING;
    const first = this.#bound(from, to, (path) => path.slice(length, length + segment.length) >= segment);
    const end = this.#bound(first, to, (path) => path.slice(length, length + segment.length) > segment);
    return first === end ? NOTHING : { from: first, to: end, length: length + segment.length };
  }

  /** Returns the index of the first path for which `holds` is true, as it is for all later ones. */
  #bound(from: number, to: number, holds: (path: string) => boolean): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#paths[middle] as string)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
