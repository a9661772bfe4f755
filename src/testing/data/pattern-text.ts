/**
 * Texts that match a regular expression, for schemas with patterns.
 *
 * @module
 */
import { ownMember } from '../../foundation/index.js';
import type { Random } from './random.js';

/** A piece of an expression writes a text. */
type Writer = (random: Random) => string;

/** Longest repetition without an upper bound, beyond its lower one. */
const SPARE = 3;
const ANY = range(0x61, 0x7a) + range(0x30, 0x39);
const WORD = ANY + range(0x41, 0x5a) + '_';
const CLASSES: Readonly<Record<string, string>> = {
  d: range(0x30, 0x39),
  w: WORD,
  s: ' ',
  D: range(0x61, 0x7a),
  W: '-',
  S: ANY,
};
/** The characters that a negated class chooses from. */
const PRINTABLE = range(0x20, 0x7e);

function range(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index)).join('');
}

/**
 * Returns a text that should match a pattern. It understands groups, alternatives, classes, anchors and repetitions; the
 * caller checks the result.
 *
 * @returns undefined for a pattern with other constructs
 */
export function textMatching(pattern: string, random: Random): string | undefined {
  const reader = new PatternReader(pattern);
  const writer = reader.alternatives();
  return writer === undefined || !reader.atEnd ? undefined : writer(random);
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get atEnd(): boolean {
    return this.#at >= this.#pattern.length;
  }

  alternatives(): Writer | undefined {
    const branches: Writer[] = [];
    do {
      const branch = this.#sequence();
      if (branch === undefined) return undefined;
      branches.push(branch);
    } while (this.#take('|'));
    return (random) => random.pick(branches)(random);
  }

  #sequence(): Writer | undefined {
    const pieces: Writer[] = [];
    while (!this.atEnd && this.#peek !== '|' && this.#peek !== ')') {
      const atom = this.#atom();
      const piece = atom === undefined ? undefined : this.#repeated(atom);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return (random) => pieces.map((piece) => piece(random)).join('');
  }

  get #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #next(): string {
    this.#at += 1;
    return this.#pattern.charAt(this.#at - 1);
  }

  #atom(): Writer | undefined {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return this.#characterClass();
    const character = this.#next();
    if (character === '^' || character === '$') return () => '';
    if (character === '.') return (random) => random.pick(Array.from(ANY));
    if (character !== '\\') return () => character;
    const escaped = this.#next();
    const known = ownMember(CLASSES, escaped);
    if (known !== undefined) return (random) => random.pick(Array.from(known));
    if (escaped === 'A' || escaped === 'z' || escaped === 'Z') return () => '';
    return /[a-zA-Z0-9]/.test(escaped) ? undefined : () => escaped;
  }

  #group(): Writer | undefined {
    const named = /^\?P?<[A-Za-z_]\w*>/.exec(this.#pattern.slice(this.#at))?.[0];
    if (named !== undefined) this.#at += named.length;
    else if (this.#peek === '?' && !this.#take('?:')) return undefined;
    const inner = this.alternatives();
    return this.#take(')') ? inner : undefined;
  }

  #characterClass(): Writer | undefined {
    const negated = this.#take('^');
    let characters = '';
    for (let first = true; first || this.#peek !== ']'; first = false) {
      if (this.atEnd || this.#pattern.startsWith('[:', this.#at)) return undefined;
      const start = this.#member();
      if (start === undefined) return undefined;
      const isRange = start.length === 1 && this.#peek === '-' && this.#pattern.charAt(this.#at + 1) !== ']';
      if (!isRange) characters += start;
      else {
        this.#at += 1;
        const end = this.#member();
        if (end?.length !== 1 || end < start) return undefined;
        characters += range(start.charCodeAt(0), Math.min(end.charCodeAt(0), 0x7e));
      }
    }
    this.#at += 1;
    const chosen = negated
      ? Array.from(PRINTABLE).filter((character) => !characters.includes(character))
      : Array.from(characters);
    return chosen.length === 0 ? undefined : (random) => random.pick(chosen);
  }

  #member(): string | undefined {
    const character = this.#next();
    if (character !== '\\') return character;
    const escaped = this.#next();
    if (ownMember(CLASSES, escaped) !== undefined) return ownMember(CLASSES, escaped);
    return /[a-zA-Z0-9]/.test(escaped) ? undefined : escaped;
  }

  #repeated(atom: Writer): Writer | undefined {
    const bounds = this.#bounds();
    if (bounds === undefined) return atom;
    this.#take('?');
    const [least, most] = bounds;
    if (least > 1000) return undefined;
    return (random) =>
      Array.from({ length: least + random.below(Math.min(most - least, SPARE) + 1) }, () => atom(random)).join('');
  }

  /** Returns how often the last atom is repeated; undefined when it is not. */
  #bounds(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Infinity];
    if (this.#take('+')) return [1, Infinity];
    if (this.#take('?')) return [0, 1];
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at));
    if (found === null) return undefined;
    this.#at += found[0].length;
    const least = Number(found[1]);
    if (found[2] === '') return [least, least];
    return [least, found[3] === '' ? Infinity : Number(found[3])];
  }
}
