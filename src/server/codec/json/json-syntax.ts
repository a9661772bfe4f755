/**
 * Describes syntax errors in the words of Go's encoding/json. Runs only after `JSON.parse` has failed.
 *
 * @module
 */
import { goQuote, type Steps, type Work } from '../../../foundation/index.js';

const END = 'unexpected end of JSON input';
// Sticky expressions, whose position is set before each use.
const WHITESPACE = /[ \t\r\n]*/y;
const PLAIN_CHARACTERS = /[^"\\\0-\x1f]*/y;
const DIGITS = /[0-9]*/y;
const ESCAPES: ReadonlySet<string> = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const DIGIT = /^[0-9]$/;
const HEX = /^[0-9a-fA-F]$/;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['t', 'true'],
  ['f', 'false'],
  ['n', 'null'],
]);

/** Work of reading a short value. */
const UNITS_PER_VALUE = 8;

/** Ends the parser with a message; caught in this file. */
class SyntaxProblem extends Error {}

/**
 * Returns the first syntax error of a text.
 *
 * @returns a message such as `invalid character '}' looking for beginning of value`, or `unexpected end of JSON input`
 */
export function* syntaxTextSteps(work: Work, text: string): Steps<string> {
  try {
    yield* new SyntaxReader(text).document(work);
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
  return END;
}

class SyntaxReader {
  #at = 0;
  /** Open brackets: true for an object. An explicit stack, so that nesting does not use the call stack. */
  readonly #open: boolean[] = [];

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  *document(work: Work): Steps<void> {
    this.#value();
    while (this.#open.length > 0) {
      this.#afterValue();
      if (work.spend(UNITS_PER_VALUE)) yield;
    }
    this.#space();
    if (this.#at < this.#text.length) this.#refuse('after top-level value');
  }

  #afterValue(): void {
    const inObject = this.#open[this.#open.length - 1] === true;
    this.#space();
    const next = this.#peek();
    if (next === (inObject ? '}' : ']')) {
      this.#at += 1;
      this.#open.pop();
      return;
    }
    if (next !== ',') this.#refuse(inObject ? 'after object key:value pair' : 'after array element');
    this.#at += 1;
    if (inObject) this.#key();
    this.#value();
  }

  /** Reads a value up to the first position that something may follow. */
  #value(): void {
    for (;;) {
      this.#space();
      const next = this.#peek();
      if (next !== '{' && next !== '[') return this.#scalar(next);
      this.#at += 1;
      this.#space();
      if (this.#peek() === (next === '{' ? '}' : ']')) {
        this.#at += 1;
        return;
      }
      this.#open.push(next === '{');
      if (next === '{') this.#key();
    }
  }

  #key(): void {
    this.#space();
    if (this.#peek() !== '"') this.#refuse('looking for beginning of object key string');
    this.#string();
    this.#space();
    if (this.#peek() !== ':') this.#refuse('after object key');
    this.#at += 1;
  }

  #scalar(next: string): void {
    if (next === '"') return this.#string();
    if (next === '-' || DIGIT.test(next)) return this.#number();
    const word = NAMED.get(next);
    if (word === undefined) this.#refuse('looking for beginning of value');
    for (let index = 1; index < word.length; index += 1) {
      this.#at += 1;
      if (this.#peek() !== word[index]) this.#refuse(`in literal ${word} (expecting '${word[index] ?? ''}')`);
    }
    this.#at += 1;
  }

  #string(): void {
    for (this.#at += 1; ; this.#at += 1) {
      this.#skip(PLAIN_CHARACTERS);
      const next = this.#peek();
      if (next === '"') break;
      if (next < ' ') this.#refuse('in string literal');
      if (next !== '\\') continue;
      this.#at += 1;
      if (this.#peek() === 'u') this.#hexDigits();
      else if (!ESCAPES.has(this.#peek())) this.#refuse('in string escape code');
    }
    this.#at += 1;
  }

  #hexDigits(): void {
    for (let digit = 0; digit < 4; digit += 1) {
      this.#at += 1;
      if (!HEX.test(this.#peek())) this.#refuse('in \\u hexadecimal character escape');
    }
  }

  #number(): void {
    if (this.#peek() === '-') this.#at += 1;
    if (this.#peek() === '0') this.#at += 1;
    else this.#digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at += 1;
      this.#digits('after decimal point in numeric literal');
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at += 1;
      if (this.#peek() === '+' || this.#peek() === '-') this.#at += 1;
      this.#digits('in exponent of numeric literal');
    }
  }

  #digits(context: string): void {
    if (!DIGIT.test(this.#peek())) this.#refuse(context);
    this.#skip(DIGITS);
  }

  #space(): void {
    this.#skip(WHITESPACE);
  }

  /** Skips what a sticky expression matches. */
  #skip(characters: RegExp): void {
    characters.lastIndex = this.#at;
    if (characters.test(this.#text)) this.#at = characters.lastIndex;
  }

  #peek(): string {
    const next = this.#text[this.#at];
    if (next === undefined) throw new SyntaxProblem(END);
    return next;
  }

  #refuse(context: string): never {
    throw new SyntaxProblem(`invalid character ${quoteCharacter(this.#text.codePointAt(this.#at) ?? 0)} ${context}`);
  }
}

/** Quotes a character in single quotes. Go reads bytes: it shows the first byte of a character beyond ASCII. */
function quoteCharacter(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return "'\"'";
  const byte =
    code < 0x80 ? code : code < 0x800 ? 0xc0 | (code >> 6) : code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
