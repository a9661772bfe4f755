/**
 * Finds the positions of problematic keys in a JSON text. Unknown keys are found in the decoded value and duplicate
 * keys in the text, so sorting both needs another pass. Runs only for bodies with several problems.
 *
 * @module
 */

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

/**
 * Finds keys by their paths (`spec.containers[0].name`) in one pass over the text. Keys in parts that no path leads
 * into are skipped.
 *
 * @param text valid JSON
 * @returns positions of the first two keys of each path
 */
export function locateKeys(text: string, paths: readonly string[]): ReadonlyMap<string, readonly number[]> {
  return new KeyWalk(text, [...new Set(paths)].sort()).positions();
}

class KeyWalk {
  readonly #text: string;
  readonly #paths: readonly string[];
  readonly #found = new Map<string, number[]>();
  readonly #levels: Level[] = [];
  /** Range of the paths that lead into the next value. */
  #next: Range;

  constructor(text: string, paths: readonly string[]) {
    this.#text = text;
    this.#paths = paths;
    this.#next = { from: 0, to: paths.length, length: 0 };
  }

  positions(): ReadonlyMap<string, readonly number[]> {
    const text = this.#text;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#string(at);
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_LIST);
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#levels.pop();
      else if (code === COMMA) this.#nextItem();
    }
    return this.#found;
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
    const known = this.#found.get(path);
    if (known === undefined) this.#found.set(path, [start]);
    else if (known.length < 2) known.push(start);
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
