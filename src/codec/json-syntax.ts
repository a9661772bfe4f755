/**
 * What is wrong with a text that is not JSON, in the words of Go's encoding/json. Only runs after `JSON.parse` has refused.
 *
 * @module
 */
import { goQuote } from '../meta/go-text.js';

const END = 'unexpected end of JSON input';
const WHITESPACE: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);
const ESCAPES: ReadonlySet<string> = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const DIGIT = /^[0-9]$/;
const HEX = /^[0-9a-fA-F]$/;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['t', 'true'],
  ['f', 'false'],
  ['n', 'null'],
]);

/** Thrown inside of this file to leave the parser; never leaves it. */
class Complaint extends Error {}

/**
 * Names the first mistake of a text.
 *
 * @returns for example `invalid character '}' looking for beginning of value`, or `unexpected end of JSON input`
 */
export function jsonSyntaxText(text: string): string {
  try {
    new SyntaxReader(text).document();
  } catch (error) {
    if (error instanceof Complaint) return error.message;
    throw error;
  }
  return END;
}

class SyntaxReader {
  private at = 0;
  /** What each open bracket is: true for an object. An explicit stack, so that depth costs no call stack. */
  private readonly open: boolean[] = [];

  constructor(private readonly text: string) {}

  document(): void {
    this.value();
    while (this.open.length > 0) this.afterValue();
    this.space();
    if (this.at < this.text.length) this.refuse('after top-level value');
  }

  private afterValue(): void {
    const inObject = this.open[this.open.length - 1] === true;
    this.space();
    const next = this.peek();
    if (next === (inObject ? '}' : ']')) {
      this.at += 1;
      this.open.pop();
      return;
    }
    if (next !== ',') this.refuse(inObject ? 'after object key:value pair' : 'after array element');
    this.at += 1;
    if (inObject) this.key();
    this.value();
  }

  /** Reads a value up to the first place where something may follow it. */
  private value(): void {
    for (;;) {
      this.space();
      const next = this.peek();
      if (next !== '{' && next !== '[') return this.scalar(next);
      this.at += 1;
      this.space();
      if (this.peek() === (next === '{' ? '}' : ']')) {
        this.at += 1;
        return;
      }
      this.open.push(next === '{');
      if (next === '{') this.key();
    }
  }

  private key(): void {
    this.space();
    if (this.peek() !== '"') this.refuse('looking for beginning of object key string');
    this.string();
    this.space();
    if (this.peek() !== ':') this.refuse('after object key');
    this.at += 1;
  }

  private scalar(next: string): void {
    if (next === '"') return this.string();
    if (next === '-' || DIGIT.test(next)) return this.number();
    const word = NAMED.get(next);
    if (word === undefined) this.refuse('looking for beginning of value');
    for (let index = 1; index < word.length; index += 1) {
      this.at += 1;
      if (this.peek() !== word[index]) this.refuse(`in literal ${word} (expecting '${word[index] ?? ''}')`);
    }
    this.at += 1;
  }

  private string(): void {
    for (this.at += 1; ; this.at += 1) {
      const next = this.peek();
      if (next === '"') break;
      if (next < ' ') this.refuse('in string literal');
      if (next !== '\\') continue;
      this.at += 1;
      if (this.peek() === 'u') this.hexDigits();
      else if (!ESCAPES.has(this.peek())) this.refuse('in string escape code');
    }
    this.at += 1;
  }

  private hexDigits(): void {
    for (let digit = 0; digit < 4; digit += 1) {
      this.at += 1;
      if (!HEX.test(this.peek())) this.refuse('in \\u hexadecimal character escape');
    }
  }

  private number(): void {
    if (this.peek() === '-') this.at += 1;
    if (this.peek() === '0') this.at += 1;
    else this.digits('in numeric literal');
    if (this.text[this.at] === '.') {
      this.at += 1;
      this.digits('after decimal point in numeric literal');
    }
    if (this.text[this.at] === 'e' || this.text[this.at] === 'E') {
      this.at += 1;
      if (this.peek() === '+' || this.peek() === '-') this.at += 1;
      this.digits('in exponent of numeric literal');
    }
  }

  private digits(context: string): void {
    if (!DIGIT.test(this.peek())) this.refuse(context);
    while (DIGIT.test(this.text[this.at] ?? '')) this.at += 1;
  }

  private space(): void {
    while (WHITESPACE.has(this.text[this.at] ?? '')) this.at += 1;
  }

  private peek(): string {
    const next = this.text[this.at];
    if (next === undefined) throw new Complaint(END);
    return next;
  }

  private refuse(context: string): never {
    throw new Complaint(`invalid character ${quoteCharacter(this.text.codePointAt(this.at) ?? 0)} ${context}`);
  }
}

/** A character in single quotes. Go looks at bytes: of a character beyond ASCII it shows the first byte. */
function quoteCharacter(code: number): string {
  if (code === 0x27) return "'\\''";
  if (code === 0x22) return "'\"'";
  const byte =
    code < 0x80 ? code : code < 0x800 ? 0xc0 | (code >> 6) : code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}
