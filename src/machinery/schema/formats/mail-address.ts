/**
 * The mail addresses that Go's `net/mail.ParseAddress` accepts: the format `email`.
 *
 * @module
 */

/** Returns whether a text is one mail address, with or without a name: `a@b`, `Ann <a@b>`, `Team: a@b;`. */
export function isMailAddress(text: string): boolean {
  const parser = new AddressParser(text);
  return parser.address(true) && parser.comments() && parser.atEnd;
}

/** White space between the parts of an address. */
const SPACE = /[ \t]*/y;
/** The printable characters that an atom has: all but those with a meaning of their own. */
const ATOM = /[^\0-\x20"(),.:;<>@[\\\]\x7f]+/y;
const DOTTED_ATOM = /[^\0-\x20"(),:;<>@[\\\]\x7f]+/y;
const QUOTED = /"(?:[^\0-\x08\x0a-\x1f"\\\x7f]|\\[^\0-\x08\x0a-\x1f\x7f])*"/y;

/** Deepest comment within comments. */
const MAX_COMMENT_DEPTH = 1000;

/** Reads an address from its start to its end. Each part of the text is read a constant number of times. */
class AddressParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Reads an address, or a group with one when it may be one. */
  address(mayBeGroup: boolean): boolean {
    this.#match(SPACE);
    if (this.atEnd) return false;
    const start = this.#at;
    if (this.#plain()) {
      this.#match(SPACE);
      return this.#text[this.#at] !== '(' || this.#comment();
    }
    this.#at = start;
    if (this.#text[start] !== '<' && !this.#phrase()) return false;
    this.#match(SPACE);
    if (mayBeGroup && this.#take(':')) return this.#group();
    return this.#take('<') && this.#plain() && this.#take('>');
  }

  /** Reads white space and comments. Returns false for a comment without end. */
  comments(): boolean {
    this.#match(SPACE);
    while (this.#text[this.#at] === '(') {
      if (!this.#comment()) return false;
      this.#match(SPACE);
    }
    return true;
  }

  /** Reads the members of a group, which must be one. */
  #group(): boolean {
    this.#match(SPACE);
    if (!this.address(false) || !this.comments()) return false;
    return this.#take(';') && this.comments();
  }

  /** Reads `local@domain`. */
  #plain(): boolean {
    this.#match(SPACE);
    const local = this.#text[this.#at] === '"' ? this.#quoted() : this.#dottedAtom();
    if (local === '' || !this.#take('@')) return false;
    this.#match(SPACE);
    return this.#dottedAtom() !== '';
  }

  /** Reads the words of a name. */
  #phrase(): boolean {
    let words = 0;
    for (;;) {
      if (words > 0 && !this.comments()) return false;
      this.#match(SPACE);
      const before = this.#at;
      if (this.#text[before] === '"') {
        if (this.#match(QUOTED) === undefined) break;
      } else if (this.#match(DOTTED_ATOM) === undefined) break;
      words += 1;
    }
    return words > 0;
  }

  /** Reads the text in quotes; empty when there is none, or an empty one. */
  #quoted(): string {
    return this.#match(QUOTED)?.slice(1, -1) ?? '';
  }

  /** Reads atoms with single dots between them. */
  #dottedAtom(): string {
    const start = this.#at;
    do if (this.#match(ATOM) === undefined) return '';
    while (this.#take('.'));
    return this.#text.slice(start, this.#at);
  }

  #comment(): boolean {
    let depth = 0;
    for (; !this.atEnd; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === '\\') this.#at += 1;
      else if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      if (depth > MAX_COMMENT_DEPTH) return false;
      if (depth === 0) {
        this.#at += 1;
        return true;
      }
    }
    return false;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
