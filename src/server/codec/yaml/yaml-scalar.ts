/**
 * Resolves unquoted YAML scalars by the rules of Kubernetes' YAML library (a variant of YAML 1.1): `yes` and `off` are
 * booleans, `010` is eight, times are recognised, base-60 numbers are not.
 *
 * @module
 */

/** Type of a resolved scalar. */
export type ScalarTag = 'null' | 'bool' | 'int' | 'float' | 'timestamp' | 'merge' | 'str';

/** A resolved scalar. Integers are exact: a bigint if a double would round. */
export interface ResolvedScalar {
  readonly tag: ScalarTag;
  readonly value: null | boolean | number | bigint | string;
}

const WORDS: ReadonlyMap<string, ResolvedScalar> = new Map(
  (
    [
      ['bool', true, 'y Y yes Yes YES true True TRUE on On ON'],
      ['bool', false, 'n N no No NO false False FALSE off Off OFF'],
      ['null', null, '~ null Null NULL'],
      ['float', NaN, '.nan .NaN .NAN'],
      ['float', Infinity, '.inf .Inf .INF +.inf +.Inf +.INF'],
      ['float', -Infinity, '-.inf -.Inf -.INF'],
      ['merge', '<<', '<<'],
    ] as const
  ).flatMap(([tag, value, words]) => words.split(' ').map((word): [string, ResolvedScalar] => [word, { tag, value }])),
);
const EMPTY: ResolvedScalar = { tag: 'null', value: null };
/** First characters of all scalars that are not strings. */
const HINTS: ReadonlySet<string> = new Set('+-0123456789yYnNtTfFoO~.<');

const INTEGER = /^[-+]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
/** Integers as JSON writes them, which doubles hold. */
const SHORT_INTEGER = /^-?(?:0|[1-9][0-9]{0,14})$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const TIMESTAMP =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:([Tt ])([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})?)?$/;
const LONGEST_TIMESTAMP = 64;
const LONGEST_NUMBER = 400;
/** Characters up to which a text with underscores may be a number: taking out a million of them takes long. */
const LONGEST_WITH_UNDERSCORES = 4096;

/** Returns true for an unquoted scalar whose first character shows that it is a string. */
export const isPlainText = (text: string): boolean => text !== '' && !HINTS.has(text.charAt(0));

/** Resolves an unquoted scalar. */
export function resolveScalar(text: string): ResolvedScalar {
  if (text === '') return EMPTY;
  const first = text.charAt(0);
  if (!HINTS.has(first)) return { tag: 'str', value: text };
  return WORDS.get(text) ?? resolveNumber(text, first) ?? { tag: 'str', value: text };
}

function resolveNumber(text: string, first: string): ResolvedScalar | undefined {
  if (SHORT_INTEGER.test(text)) return { tag: 'int', value: text === '-0' ? 0 : Number(text) };
  if (first === '.') return FLOAT.test(text) ? finite(text) : undefined;
  if (first !== '+' && first !== '-' && (first < '0' || first > '9')) return undefined;
  if (isTimestamp(text)) return { tag: 'timestamp', value: text };
  const plain = withoutUnderscores(text);
  if (plain === undefined) return undefined;
  if (plain.length <= LONGEST_NUMBER && INTEGER.test(plain)) return { tag: 'int', value: integer(plain) };
  return FLOAT.test(plain) ? finite(plain) : undefined;
}

/** Returns a text without its underscores; undefined for one that is too long for a number with some. */
function withoutUnderscores(text: string): string | undefined {
  if (!text.includes('_')) return text;
  return text.length > LONGEST_WITH_UNDERSCORES ? undefined : text.replaceAll('_', '');
}

/** Returns a finite float; numbers that overflow stay strings. */
function finite(text: string): ResolvedScalar | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? { tag: 'float', value } : undefined;
}

function integer(text: string): number | bigint {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '');
  const octal = /^0[0-7]+$/.test(digits);
  const magnitude = BigInt(octal ? `0o${digits}` : digits.toLowerCase());
  const value = negative ? -magnitude : magnitude;
  const exact = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return exact ? Number(value) : value;
}

function isTimestamp(text: string): boolean {
  if (text.length > LONGEST_TIMESTAMP) return false;
  const parts = TIMESTAMP.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1, 4).map(Number);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  const [, , , , separator, hour, minute, second, zone] = parts;
  if (separator === undefined) return true;
  // A zone is required after T and forbidden after a space.
  if ((separator === ' ') !== (zone === undefined)) return false;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns true when an unquoted string resolves to the same string. */
export function readsAsString(text: string): boolean {
  return resolveScalar(text).tag === 'str' && !BASE_60.test(text);
}
