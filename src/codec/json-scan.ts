/**
 * What `JSON.parse` does not say about a text: keys that stand twice, integers that a double cannot hold, nesting that is
 * too deep. One pass, before the parser runs, without building anything in the common case.
 *
 * The text need not be valid JSON: whether it is, the parser decides.
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

/** Objects with more keys than this compare them by a set; below, by their characters where they stand. */
const LINEAR_KEYS = 16;
/** How many problems of one body are told; the production system stops there as well. */
const MAX_DUPLICATES = 100;
/** Integers of fewer digits are always exact. */
const UNSAFE_DIGITS = 16;
const NONE: readonly string[] = Object.freeze([]);

/** The state of one scan. */
class Scanner {
  private text = '';
  private hasEscapes = false;
  private depth = 0;
  private keyTop = 0;
  private duplicates: string[] | undefined;
  private numbers: number[] | undefined;
  // One entry a level of nesting, from 1 on: where its keys begin, the index of the current list item (-1 in an object), and
  // its set of keys when it has many.
  private readonly keyBase: number[] = [0];
  private readonly item: number[] = [-1];
  private readonly sets: (Set<string> | undefined)[] = [undefined];
  // Where each key of the open objects stands in the text.
  private readonly keyStart: number[] = [];
  private readonly keyEnd: number[] = [];

  scan(text: string, maxDepth: number, numbers: number[] | undefined): readonly string[] {
    this.text = text;
    this.numbers = numbers;
    this.hasEscapes = text.includes('\\');
    this.walk(text, maxDepth);
    const found = this.duplicates;
    return found === undefined ? NONE : [...new Set<string>(found)];
  }

  private walk(text: string, maxDepth: number): void {
    const { length } = text;
    let keyNext = false;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const end = this.stringEnd(at + 1);
        if (end < 0) return;
        if (keyNext) {
          this.key(at + 1, end);
          keyNext = false;
        }
        at = end;
      } else if (code === COMMA) {
        if ((this.item[this.depth] ?? -1) >= 0) (this.item[this.depth] as number) += 1;
        else keyNext = true;
      } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
        if (this.depth === maxDepth) throw new DecodeProblem('exceeded max depth');
        keyNext = code === OPEN_OBJECT;
        this.open(keyNext ? -1 : 0);
      } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
        keyNext = false;
        this.close();
      } else if ((code >= ZERO && code <= NINE) || code === MINUS) {
        at = this.number(at) - 1;
      }
    }
  }

  private open(item: number): void {
    this.depth += 1;
    this.keyBase[this.depth] = this.keyTop;
    this.item[this.depth] = item;
    this.sets[this.depth] = undefined;
  }

  private close(): void {
    if (this.depth === 0) return;
    this.keyTop = this.keyBase[this.depth] as number;
    this.sets[this.depth] = undefined;
    this.depth -= 1;
  }

  /** Index of the quote that ends the string whose first character is at `from`; -1 when it does not end. */
  private stringEnd(from: number): number {
    const { text } = this;
    let end = text.indexOf('"', from);
    if (!this.hasEscapes) return end;
    while (end > 0 && text.charCodeAt(end - 1) === BACKSLASH) {
      let before = end - 2;
      while (before >= from && text.charCodeAt(before) === BACKSLASH) before -= 1;
      // An odd number of backslashes escapes the quote.
      if ((end - 1 - before) % 2 === 0) return end;
      end = text.indexOf('"', end + 1);
    }
    return end;
  }

  private key(start: number, end: number): void {
    const base = this.keyBase[this.depth] as number;
    const set = this.sets[this.depth];
    if (set === undefined && this.keyTop - base < LINEAR_KEYS && !(this.hasEscapes && this.escaped(start, end))) {
      const repeated = this.repeats(base, start, end);
      this.push(this.keyTop, start, end);
      if (repeated) this.report();
      return;
    }
    const keys = set ?? this.makeSet(base);
    const name = this.name(start, end);
    // The set knows the keys; only the last one is needed for paths.
    this.push(base, start, end);
    if (keys.has(name)) this.report();
    else keys.add(name);
  }

  private push(slot: number, start: number, end: number): void {
    this.keyStart[slot] = start;
    this.keyEnd[slot] = end;
    this.keyTop = slot + 1;
  }

  private makeSet(base: number): Set<string> {
    const keys = new Set<string>();
    for (let slot = base; slot < this.keyTop; slot += 1)
      keys.add(this.name(this.keyStart[slot] as number, this.keyEnd[slot] as number));
    this.sets[this.depth] = keys;
    return keys;
  }

  private repeats(base: number, start: number, end: number): boolean {
    const length = end - start;
    const { text, keyStart, keyEnd } = this;
    for (let slot = base; slot < this.keyTop; slot += 1) {
      const other = keyStart[slot] as number;
      if ((keyEnd[slot] as number) - other !== length) continue;
      // From the end: keys of one length mostly share their beginning.
      let offset = length - 1;
      while (offset >= 0 && text.charCodeAt(other + offset) === text.charCodeAt(start + offset)) offset -= 1;
      if (offset < 0) return true;
    }
    return false;
  }

  private escaped(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.text.charCodeAt(at) === BACKSLASH) return true;
    return false;
  }

  /** The key itself; a key with a malformed escape stands for itself, the parser refuses it later. */
  private name(start: number, end: number): string {
    const raw = this.text.slice(start, end);
    if (!this.hasEscapes || !raw.includes('\\')) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }

  private report(): void {
    this.duplicates ??= [];
    if (this.duplicates.length < MAX_DUPLICATES) this.duplicates.push(this.path());
  }

  /** Path of the current key, or of the current list item. */
  private path(): string {
    let path = '';
    for (let level = 1; level <= this.depth; level += 1) {
      const item = this.item[level] as number;
      if (item >= 0) {
        path += `[${item}]`;
        continue;
      }
      const slot = (level < this.depth ? (this.keyBase[level + 1] as number) : this.keyTop) - 1;
      if (slot < (this.keyBase[level] as number)) continue;
      const name = this.name(this.keyStart[slot] as number, this.keyEnd[slot] as number);
      path += path === '' ? name : `.${name}`;
    }
    return path;
  }

  /** Index behind the number that starts at `start`. */
  private number(start: number): number {
    const { text } = this;
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
      this.checkNumber(start, at, integer && !exponent);
    return at;
  }

  /** Notes a number whose text says more than its value, and refuses one that a double cannot hold. */
  private checkNumber(start: number, end: number, integer: boolean): void {
    const literal = this.text.slice(start, end);
    const value = Number(literal);
    if (integer && !Number.isSafeInteger(value) && fitsInt64(literal)) throw unsafeInteger(literal, this.path());
    // A malformed number is not a number, and the parser's to refuse.
    if (Number.isNaN(value)) return;
    if (!Number.isFinite(value))
      throw new DecodeProblem(`json: cannot unmarshal number ${shorten(literal)} into Go value of type float64`);
    if (String(value) !== literal) this.numbers?.push(start, end);
  }
}

/** Whether the text of an integer is one of 64 bits. */
function fitsInt64(literal: string): boolean {
  if (literal.length > 20 || !/^-?[0-9]+$/.test(literal)) return false;
  return BigInt.asIntN(64, BigInt(literal)) === BigInt(literal);
}

/** The refusal of an integer that a double cannot hold. `path` may be empty. */
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
 * Looks a JSON text over.
 *
 * @param maxDepth deepest nesting of objects and lists
 * @param numbers takes the places (start, end) of the numbers whose text is not that of their double: `4.0`, `1e3`, `-0`
 * @returns paths of keys that stand twice in one object (`spec.containers[0].name`), each once, in order of their second
 *   appearance; at most 100
 * @throws DecodeProblem for nesting that is too deep, an integer of 64 bits beyond ±(2^53 - 1) and a number beyond a double's range
 */
export function scanJson(text: string, maxDepth: number, numbers?: number[]): readonly string[] {
  return new Scanner().scan(text, maxDepth, numbers);
}
