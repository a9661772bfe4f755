/**
 * The values of literals, with the problems that Kubernetes finds in them.
 *
 * @module
 */
import { appendAll, encodeUtf8 } from '../../../foundation/index.js';
import { CelUint, type CelValue } from '../evaluate/values.js';

/** The value of a literal; a literal with a problem has another one. */
export interface LiteralValue {
  readonly value: CelValue;
  /** The message of Kubernetes. */
  readonly problem?: string | undefined;
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

/** Returns the value of an integer. @param sign `-` or nothing */
export function integerValue(source: string, sign: '-' | ''): LiteralValue {
  const digits = readInteger(source);
  const value = digits !== undefined && sign === '-' ? -digits : digits;
  return value === undefined || value > MAX_INT || value < MIN_INT
    ? { value: 0n, problem: 'invalid int literal' }
    : { value };
}

/** Returns the value of an integer with the suffix `u`. */
export function unsignedValue(source: string): LiteralValue {
  const value = readInteger(source.slice(0, -1));
  return value === undefined || value > MAX_UINT
    ? { value: new CelUint(0n), problem: 'invalid uint literal' }
    : { value: new CelUint(value) };
}

/** Most significant digits of an integer: more take long to read. */
const MAX_DIGITS = 20;

/** Returns an integer; undefined for one that is larger than all integers. */
function readInteger(source: string): bigint | undefined {
  if (source.length <= MAX_DIGITS) return BigInt(source);
  const isHexadecimal = source.startsWith('0x');
  const digits = (isHexadecimal ? source.slice(2) : source).replace(/^0+(?=.)/, '');
  return digits.length > MAX_DIGITS ? undefined : BigInt(isHexadecimal ? `0x${digits}` : digits);
}

/** Returns the value of a number with a point or an exponent. @param sign `-` or nothing */
export function doubleValue(source: string, sign: '-' | ''): LiteralValue {
  const value = Number(source);
  if (!Number.isFinite(value)) return { value: 0, problem: 'invalid double literal' };
  return { value: sign === '-' ? -value : value };
}

/** The content between the quotes of a text or of bytes. */
interface Quoted {
  readonly content: string;
  readonly isRaw: boolean;
}

/** Each end of a line is a line feed, as in Kubernetes. */
function contentOf(source: string): Quoted {
  const [prefix = '', quotes = ''] = /^([bBrR]*)("""|'''|"|')/.exec(source)?.slice(1) ?? [];
  const content = source.slice(prefix.length + quotes.length, source.length - quotes.length);
  return {
    content: content.includes('\r') ? content.replaceAll(/\r\n?/g, '\n') : content,
    isRaw: /r/i.test(prefix),
  };
}

const SHORT_ESCAPES: ReadonlyMap<string, number> = new Map(
  Object.entries({ a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 }),
);
const ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/y;

/** An escape that the scanner has accepted. */
interface Escape {
  readonly code: number;
  /** True for `\u` and `\U`, which name a character; others name a byte where they stand in bytes. */
  readonly isCharacter: boolean;
  readonly end: number;
}

function escapeAt(content: string, at: number): Escape {
  ESCAPE.lastIndex = at;
  const [source = '', byte, short, long, octal, letter = ''] = ESCAPE.exec(content) ?? [];
  const end = at + Math.max(1, source.length);
  const character = short ?? long;
  const isCharacter = character !== undefined;
  if (octal !== undefined) return { code: Number.parseInt(octal, 8), isCharacter, end };
  const digits = byte ?? character;
  if (digits !== undefined) return { code: Number.parseInt(digits, 16), isCharacter, end };
  return { code: SHORT_ESCAPES.get(letter) ?? letter.charCodeAt(0), isCharacter, end };
}

const isCodePoint = (code: number): boolean => code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);

/** Returns the value of a text with its quotes. */
export function textValue(source: string): LiteralValue {
  const { content, isRaw } = contentOf(source);
  if (isRaw || !content.includes('\\')) return { value: content };
  const parts: string[] = [];
  let from = 0;
  for (let at = content.indexOf('\\'); at >= 0; at = content.indexOf('\\', from)) {
    const { code, end } = escapeAt(content, at);
    if (!isCodePoint(code)) return { value: '', problem: 'invalid unicode code point' };
    parts.push(content.slice(from, at), String.fromCodePoint(code));
    from = end;
  }
  parts.push(content.slice(from));
  return { value: parts.join('') };
}

/** Returns the value of bytes with their quotes: characters become UTF-8, escapes become single bytes. */
export function bytesValue(source: string): LiteralValue {
  const { content, isRaw } = contentOf(source);
  if (isRaw || !content.includes('\\')) return { value: encodeUtf8(content) };
  const bytes: number[] = [];
  let from = 0;
  for (let at = content.indexOf('\\'); at >= 0; at = content.indexOf('\\', from)) {
    const { code, isCharacter, end } = escapeAt(content, at);
    if (isCharacter) return { value: new Uint8Array(), problem: 'unable to unescape string' };
    if (at > from) appendAll(bytes, encodeUtf8(content.slice(from, at)));
    bytes.push(code);
    from = end;
  }
  appendAll(bytes, encodeUtf8(content.slice(from)));
  return { value: Uint8Array.from(bytes) };
}
