import { isIP } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { parseCsv } from '../../authn/csv.js';
import { goQuote, quantityError, quantityToNumber } from '../../meta/index.js';
import { parseBool } from '../../server/flag-values.js';
import type { Flag } from './flag.js';

/** A text, taken as it is. */
export function text(valueName: string, fallback: string, help: string): Flag<string> {
  return { valueName, help, fallback, shown: fallback, parse: (value) => value };
}

/** Pairs (`a=true,b=false`) that somebody else reads; given twice, both count. `check` throws for what is not right. */
export function pairs(valueName: string, help: string, check: (value: string) => unknown): Flag<string> {
  const parse = (value: string, before: string | undefined): string => {
    check(value);
    return before === undefined ? value : `${before},${value}`;
  };
  return { valueName, help, fallback: '', shown: '', parse };
}

/** Texts, separated by commas; one with a comma in it is quoted, as in CSV. Given twice, both count. */
export function list(valueName: string, fallback: readonly string[], help: string): Flag<readonly string[]> {
  const parse = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    ...(parseCsv(value)[0] ?? []),
  ];
  return { valueName, help, fallback, shown: fallback.join(','), parse };
}

/** Texts, one each time the flag is given, whatever is in it. */
export function repeated(valueName: string, help: string): Flag<readonly string[]> {
  return { valueName, help, fallback: [], shown: '', parse: (value, before) => [...(before ?? []), value] };
}

/** A flag that makes a difference when it is given, even with its default: undefined when it is not. */
export function ifGiven<Value>(flag: Flag<Value>): Flag<Value | undefined> {
  return { ...flag, fallback: undefined };
}

/** One of some values, by its name. */
export function oneOf<Value>(
  valueName: string,
  values: ReadonlyMap<string, Value>,
  shown: string,
  fallback: Value,
  help: string,
): Flag<Value> {
  const parse = (name: string): Value => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`must be one of ${[...values.keys()].join(', ')}`);
    return value;
  };
  return { valueName, help, fallback, shown, parse };
}

/** A switch: `--name`, `--name=false`. */
export function bool(fallback: boolean, help: string): Flag<boolean> {
  return { valueName: '', help, fallback, shown: String(fallback), bare: 'true', parse: parseBool };
}

/** A whole number that is not negative. */
export function count(valueName: string, fallback: number, help: string): Flag<number> {
  return { valueName, help, fallback, shown: String(fallback), parse: parseCount };
}

/** A port to listen on: `none` when it is 0, `any` for a free one. */
export type Port = number | 'none' | 'any';

/** A TCP port, 0 for none, `auto` for any that is free. */
export function port(fallback: number, help: string): Flag<Port> {
  const parse = (value: string): Port => {
    if (value === 'auto') return 'any';
    if (!/^[0-9]{1,15}$/.test(value))
      throw new Error('must be a number between 0 and 65535, or auto for a port that is free');
    const number = Number(value);
    if (number > 65_535) throw new Error(`${number} is not a valid port: must be between 0 and 65535, inclusive`);
    return number === 0 ? 'none' : number;
  };
  return { valueName: 'PORT', help, fallback, shown: String(fallback), parse };
}

/** An IP address of either version. */
export function address(fallback: string, help: string): Flag<string> {
  const parse = (value: string): string => {
    if (isIP(value) === 0) throw new Error(`failed to parse IP: ${goQuote(value)}`);
    return value;
  };
  return { valueName: 'IP', help, fallback, shown: fallback, parse };
}

/** An amount of memory: a share of the heap that this process may have (`25%`), or a quantity of bytes (`256Mi`). In bytes. */
export function heapMemory(shown: string, help: string): Flag<number> {
  return { valueName: 'SIZE', help, fallback: parseHeapMemory(shown), shown, parse: parseHeapMemory };
}

function parseHeapMemory(value: string): number {
  const heapBytes = getHeapStatistics().heap_size_limit;
  const percent = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(value)?.[1];
  const bytes = percent === undefined ? quantityBytes(value) : Math.floor((heapBytes * Number(percent)) / 100);
  if (bytes < 1 || bytes > heapBytes)
    throw new Error(
      `must be more than nothing and at most the heap of this process, ${Math.floor(heapBytes / 2 ** 20)}Mi (node --max-old-space-size)`,
    );
  return bytes;
}

function quantityBytes(value: string, what = 'a share (25%) or a quantity of bytes (256Mi)'): number {
  const problem = quantityError(value);
  if (problem !== undefined) throw new Error(`must be ${what}: ${problem}`);
  return Math.floor(quantityToNumber(value) ?? 0);
}

/** A size in bytes, written as a quantity: `3Mi`. */
export function size(shown: string, help: string): Flag<number> {
  const parse = (value: string): number => {
    const bytes = quantityBytes(value, 'a quantity of bytes (3Mi)');
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error('must be a quantity of bytes (3Mi)');
    return bytes;
  };
  return { valueName: 'SIZE', help, fallback: parse(shown), shown, parse };
}

/** A number that has to be within bounds. @param between how the bounds are written in the error */
export function within(flag: Flag<number>, least: number, most: number, between: string): Flag<number> {
  const parse = (value: string, before: number | undefined): number => {
    const number = flag.parse(value, before);
    if (number < least || number > most) throw new Error(`must be ${between}`);
    return number;
  };
  return { ...flag, parse };
}

/** A number that is not 0. */
export function positive(flag: Flag<number>): Flag<number> {
  return within(flag, 1, Number.MAX_SAFE_INTEGER, 'more than 0');
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A length of time in milliseconds, written `1m30s`. */
export function duration(shown: string, help: string): Flag<number> {
  return { valueName: 'DURATION', help, fallback: parseDuration(shown), shown, parse: parseDuration };
}

function parseCount(value: string): number {
  if (!/^[0-9]{1,15}$/.test(value)) throw new Error('must be a whole number that is not negative');
  return Number(value);
}

function parseDuration(value: string): number {
  if (value === '0') return 0;
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(value))
    throw new Error('must be a length of time such as 500ms, 5s or 1m30s');
  let total = 0;
  for (const [, amount = '', unit = ''] of value.matchAll(/([0-9.]+)(ms|s|m|h)/g))
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  return total;
}
