/**
 * Parses JSONPath in the dialect of Kubernetes.
 *
 * Source: `client-go/util/jsonpath/parser.go` of Kubernetes 1.31: the text is what is between the braces of a template.
 *
 * @module
 */
import { isBigInteger, ownMember } from '../../foundation/index.js';

/** A step of a path. */
export type PathSegment =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  /** All containers and texts below the current values, and these themselves. */
  | { readonly kind: 'descent' }
  /** Items of a list. Bounds below 0 count from its end. */
  | { readonly kind: 'slice'; readonly from: number; readonly to: number | undefined; readonly step: number }
  /** The items of a list of which a path has a value. */
  | { readonly kind: 'existing'; readonly path: Path }
  /** The items of a list that compare. */
  | { readonly kind: 'comparing'; readonly left: Path; readonly operator: string; readonly right: Path }
  | { readonly kind: 'union'; readonly paths: readonly Path[] }
  /** A constant: a text for the whole path, another value for each current value. */
  | { readonly kind: 'constant'; readonly value: string | number | bigint | boolean }
  /** A word that templates give a meaning, which paths cannot have. */
  | { readonly kind: 'word' };

/** A parsed path. */
export type Path = readonly PathSegment[];

/**
 * Parses a path, such as `.status.conditions[?(@.type=="Ready")].status`.
 *
 * @throws SyntaxError with Go's message
 */
export function parseJsonPath(text: string): Path {
  return new PathParser(text).parse();
}

/** Characters that end a name, unless a backslash is before them. */
const NAME_END = /[\s.,[\]$@{}]/;
const NUMBER = /[+-]?[\d.]*/y;
const FILTER = /^([^!<>=]+)([!<>=]+)(.+?)$/;
const QUOTED_KEY = /^'([^']*)'$/;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const ALPHANUMERIC = /[\p{L}\p{Nd}_]/u;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' };

class PathParser {
  readonly #text: string;
  readonly #segments: PathSegment[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Path {
    while (this.#at < this.#text.length) this.#next();
    return this.#segments;
  }

  #next(): void {
    const text = this.#text;
    const character = text.charAt(this.#at);
    if (text.startsWith('[?(', this.#at)) return this.#filter();
    if (text.startsWith('..', this.#at)) return this.#descent();
    if (character === '\n' || character === '\r') throw new SyntaxError('unclosed action');
    if (character === ' ' || character === '@' || character === '$') this.#at += 1;
    else if (character === '[') this.#brackets();
    else if (character === '"' || character === "'") this.#quote(character);
    else if (character === '.') {
      this.#at += 1;
      this.#field();
    } else if (/[+\-\d]/.test(character)) this.#number();
    else if (ALPHANUMERIC.test(character)) this.#word();
    else throw new SyntaxError(`unrecognized character in action: ${JSON.stringify(character)}`);
  }

  #descent(): void {
    if (this.#segments.at(-1)?.kind === 'descent') throw new SyntaxError('invalid multiple recursive descent');
    this.#at += 2;
    this.#segments.push({ kind: 'descent' });
    if (ALPHANUMERIC.test(this.#text.charAt(this.#at))) this.#field();
  }

  #field(): void {
    const name = this.#name();
    this.#segments.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  }

  /** Reads up to a character that ends a name. */
  #name(): string {
    const begin = this.#at;
    while (this.#at < this.#text.length && !NAME_END.test(this.#text.charAt(this.#at)))
      this.#at += this.#text.charAt(this.#at) === '\\' ? 2 : 1;
    return this.#text.slice(begin, this.#at);
  }

  #word(): void {
    const word = this.#name();
    const isTruth = word === 'true' || word === 'false';
    this.#segments.push(isTruth ? { kind: 'constant', value: word === 'true' } : { kind: 'word' });
  }

  #number(): void {
    NUMBER.lastIndex = this.#at;
    const found = NUMBER.exec(this.#text)?.[0] ?? '';
    const value = Number(found);
    if (Number.isNaN(value) || !/\d/.test(found)) throw new SyntaxError(`cannot parse number ${found}`);
    this.#at += found.length;
    this.#segments.push({ kind: 'constant', value: isBigInteger(found) ? BigInt(found) : value });
  }

  #quote(quote: string): void {
    let value = '';
    let at = this.#at + 1;
    for (; this.#text.charAt(at) !== quote; at += 1) {
      if (at >= this.#text.length || this.#text.charAt(at) === '\n')
        throw new SyntaxError('unterminated quoted string');
      if (this.#text.charAt(at) === '\\') at += 1;
      const character = this.#text.charAt(at);
      value += this.#text.charAt(at - 1) === '\\' ? (ownMember(ESCAPES, character) ?? character) : character;
    }
    this.#at = at + 1;
    this.#segments.push({ kind: 'constant', value });
  }

  /** Reads brackets: an index, a slice, a key in quotes, or a union of them. */
  #brackets(): void {
    const end = this.#text.indexOf(']', this.#at);
    const inside = end === -1 ? '\n' : this.#text.slice(this.#at + 1, end);
    if (inside.includes('\n')) throw new SyntaxError('unterminated array');
    this.#at = end + 1;
    const parts = (inside === '*' ? ':' : inside).split(',');
    if (parts.length > 1)
      this.#segments.push({ kind: 'union', paths: parts.map((part) => parseJsonPath(`[${part.trim()}]`)) });
    else for (const segment of subscript(parts[0] ?? '')) this.#segments.push(segment);
  }

  #filter(): void {
    const begin = this.#at + 3;
    const end = this.#filterEnd(begin);
    if (this.#text.charAt(end + 1) !== ']') throw new SyntaxError('unclosed array expect ]');
    const inside = this.#text.slice(begin, end);
    this.#at = end + 2;
    const [, left, operator, right] = FILTER.exec(inside) ?? [];
    this.#segments.push(
      left === undefined || operator === undefined || right === undefined
        ? { kind: 'existing', path: parseJsonPath(inside) }
        : { kind: 'comparing', left: parseJsonPath(left), operator, right: parseJsonPath(right) },
    );
  }

  /** Returns the position of the parenthesis that ends a filter. One text in quotes may contain others. */
  #filterEnd(begin: number): number {
    let quote = '';
    let isQuoteOver = false;
    for (let at = begin; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (character === '\n') break;
      if (character === ')' && (quote === '' || isQuoteOver)) return at;
      if (character !== '"' && character !== "'") continue;
      if (quote === '') quote = character;
      else if (character === quote && this.#text.charAt(at - 1) !== '\\') isQuoteOver = true;
    }
    throw new SyntaxError('unterminated filter');
  }
}

/** Parses what is in brackets, apart from a union or a filter. As in Kubernetes, a point in a key needs a backslash. */
function subscript(text: string): Path {
  const key = QUOTED_KEY.exec(text)?.[1];
  if (key !== undefined) return parseJsonPath(`.${key}`);
  const bounds = SLICE.exec(text);
  if (bounds === null) throw new SyntaxError(`invalid array index ${text}`);
  const [, first = '', second, third = ''] = bounds;
  const from = first === '' ? 0 : index(first);
  const step = third.length > 1 ? index(third.slice(1)) : 1;
  // A single index is a slice of one item; -1 is the last item.
  if (second === undefined) return [{ kind: 'slice', from, to: from === -1 ? undefined : from + 1, step }];
  return [{ kind: 'slice', from, to: second.length > 1 ? index(second.slice(1)) : undefined, step }];
}

function index(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new SyntaxError(`array index ${text} is not a number`);
  return value;
}
