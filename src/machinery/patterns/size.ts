/**
 * The size of a pattern's program, from its text: counted repetitions multiply, so a text of 40 characters can have a
 * program of millions of instructions. The estimate is made before anything is compiled.
 *
 * @module
 */

/** Instructions of a class of the Unicode tables, by the time that the library takes to make it. */
const UNICODE_CLASS = 20;

/** Characters of a range whose other case the library looks up in the time of one instruction. */
const FOLDED_CHARACTERS = 128;

/** The last character with another case. */
const LAST_FOLDED = 0x1e943;

/** A group that is open: what its alternatives have so far. */
interface Group {
  /** Instructions of the alternatives so far. */
  size: number;
  /** Instructions of the last term, which a repetition multiplies. */
  term: number;
  /** Whether the current alternative has no term yet: an empty one takes an instruction. */
  empty: boolean;
  /** Whether case does not matter inside. */
  fold: boolean;
}

const COUNTS = /\{(\d{1,5})(?:(,)(\d{0,5}))?\}/y;
const FLAGS = /\?(?:P?<[^>]*>|([a-zA-Z]*)(?:-[a-zA-Z]*)?([:)]))/y;
const HEXADECIMAL = /\\x(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{2}))/y;
const UNICODE = /\\[pP](?:\{[^}]*\}|.)/y;
/** A named class within brackets. */
const NAMED = /\[:[^\]]*:\]/y;

/** Reads a pattern from left to right. It need not be valid. */
class SizeReader {
  readonly #pattern: string;
  readonly #limit: number;
  #position = 0;
  #group: Group = { size: 0, term: 0, empty: true, fold: false };
  readonly #open: Group[] = [];

  constructor(pattern: string, limit: number) {
    this.#pattern = pattern;
    this.#limit = limit;
  }

  read(): number {
    while (this.#position < this.#pattern.length && this.#group.size + this.#group.term <= this.#limit) this.#next();
    let size = this.#group.size + this.#group.term;
    for (const group of this.#open) size += group.size + group.term;
    // The instructions that fail and match, and one of an empty pattern.
    return size + 3;
  }

  #next(): void {
    const pattern = this.#pattern;
    const character = pattern[this.#position];
    const group = this.#group;
    if (character === '(') return this.#enter();
    if (character === ')') return this.#leave();
    if (character === '[') return this.#term(this.#brackets());
    if (character === '\\') return this.#term(this.#escape());
    this.#position += 1;
    // A part that may be empty takes two.
    if (character === '*') group.term += 2;
    else if (character === '+' || character === '?') group.term += 1;
    else if (character === '{') this.#repeat();
    else if (character === '|') this.#alternative();
    else this.#term(1);
  }

  #term(size: number): void {
    this.#group.size += this.#group.term;
    this.#group.term = size;
    this.#group.empty = false;
  }

  #alternative(): void {
    const { empty } = this.#group;
    this.#term(empty ? 2 : 1);
    this.#group.empty = true;
  }

  #repeat(): void {
    const counts = this.#match(COUNTS, this.#position - 1);
    if (counts === undefined) return this.#term(1);
    const [, least = '0', comma, most = ''] = counts;
    const { term } = this.#group;
    const minimum = Number(least);
    if (comma === undefined) this.#group.term = Math.max(1, minimum * term);
    else if (most === '') this.#group.term = Math.max(1, minimum) * term + 2;
    else this.#group.term = Math.max(1, Number(most) * term + Math.max(0, Number(most) - minimum));
  }

  #enter(): void {
    this.#position += 1;
    const flags = this.#match(FLAGS, this.#position);
    const outer = this.#group;
    const fold = outer.fold || flags?.[1]?.includes('i') === true;
    if (flags?.[2] === ')') {
      outer.fold = fold;
      return;
    }
    this.#term(0);
    this.#open.push(outer);
    this.#group = { size: flags?.[2] === ':' ? 0 : 2, term: 0, empty: true, fold };
  }

  #leave(): void {
    this.#position += 1;
    const outer = this.#open.pop();
    if (outer === undefined) return;
    outer.term = this.#group.size + this.#group.term + (this.#group.empty ? 1 : 0);
    this.#group = outer;
  }

  /** Reads an escape outside brackets. */
  #escape(): number {
    if (this.#match(UNICODE, this.#position) !== undefined) return this.#unicodeClass();
    if (this.#pattern.startsWith('\\Q', this.#position)) {
      const end = this.#pattern.indexOf('\\E', this.#position);
      const last = end === -1 ? this.#pattern.length : end;
      const quoted = last - this.#position - 2;
      this.#position = end === -1 ? last : end + 2;
      return quoted;
    }
    this.#character();
    return 1;
  }

  #unicodeClass(): number {
    return this.#group.fold ? 2 * UNICODE_CLASS : UNICODE_CLASS;
  }

  /** Reads a class in brackets: one instruction, and what its tables and the other cases of its characters take. */
  #brackets(): number {
    const pattern = this.#pattern;
    let size = 1;
    this.#position += pattern[this.#position + 1] === '^' ? 2 : 1;
    for (let first = true; this.#position < pattern.length; first = false) {
      if (pattern[this.#position] === ']' && !first) break;
      if (this.#match(NAMED, this.#position) !== undefined) continue;
      if (this.#match(UNICODE, this.#position) !== undefined) size += this.#unicodeClass();
      else size += this.#range();
    }
    this.#position += 1;
    return size;
  }

  /** Reads a character or a range within brackets. Returns what the other cases of its characters take. */
  #range(): number {
    const low = this.#character();
    if (this.#pattern[this.#position] !== '-' || this.#pattern[this.#position + 1] === ']') return 0;
    this.#position += 1;
    const high = this.#character();
    return this.#group.fold ? Math.max(0, Math.min(high, LAST_FOLDED) - low) / FOLDED_CHARACTERS : 0;
  }

  /** Reads a character, which may be escaped. */
  #character(): number {
    const hexadecimal = this.#match(HEXADECIMAL, this.#position);
    if (hexadecimal !== undefined) return Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '0', 16);
    if (this.#pattern[this.#position] === '\\') this.#position += 1;
    const character = this.#pattern.codePointAt(this.#position) ?? 0;
    this.#position += character > 0xffff ? 2 : 1;
    return character;
  }

  /** Matches an expression at a position, and continues behind it. */
  #match(expression: RegExp, position: number): RegExpExecArray | undefined {
    expression.lastIndex = position;
    const found = expression.exec(this.#pattern);
    if (found === null) return undefined;
    this.#position = expression.lastIndex;
    return found;
  }
}

/**
 * Returns the number of instructions of a pattern's program, as an upper estimate: alternatives with common parts have
 * fewer. Classes count by the time that making them takes.
 *
 * @param limit the estimate may stop above this number
 */
export const programSize = (pattern: string, limit: number): number => Math.ceil(new SizeReader(pattern, limit).read());
