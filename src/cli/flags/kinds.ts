import { isIP } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { goQuote, ownMember, quantityError, quantityToNumber } from '../../foundation/index.js';
import { parseCsv } from '../../security/index.js';
import { parseBool } from '../../server/index.js';
import type { Flag } from './flag.js';

/** Returns a flag whose value is any text. */
export function text(valueName: string, fallback: string, help: string): Flag<string> {
  return { valueName, help, fallback, shown: fallback, parse: (value) => value };
}

/**
 * Returns a flag of pairs (`a=true,b=false`), kept as text; repeated values are joined. `check` throws for invalid
 * text.
 */
export function pairs(valueName: string, help: string, check: (value: string) => unknown): Flag<string> {
  const parse = (value: string, before: string | undefined): string => {
    check(value);
    return before === undefined ? value : `${before},${value}`;
  };
  return { valueName, help, fallback: '', shown: '', form: 'pairs', parse };
}

/** Returns a flag whose value is a text that `check` accepts; it throws for an invalid one. */
export function checked(
  valueName: string,
  fallback: string,
  help: string,
  check: (value: string) => unknown,
): Flag<string> {
  const parse = (value: string): string => {
    check(value);
    return value;
  };
  return { valueName, help, fallback, shown: fallback, parse };
}

/** Returns a flag of texts separated by commas, quoted as in CSV; repeated values are appended. */
export function list(valueName: string, fallback: readonly string[], help: string): Flag<readonly string[]> {
  const parse = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    ...(parseCsv(value)[0] ?? []),
  ];
  return { valueName, help, fallback, shown: fallback.join(','), form: 'list', parse };
}

/** Returns a repeatable flag that takes one text, not split, per occurrence. */
export function repeated(valueName: string, help: string): Flag<readonly string[]> {
  const parse = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];
  return { valueName, help, fallback: [], shown: '', form: 'repeated', parse };
}

/** Returns a flag whose value is undefined when the flag is not given, so an explicit default can be detected. */
export function ifGiven<Value>(flag: Flag<Value>): Flag<Value | undefined> {
  return { ...flag, fallback: undefined };
}

/** Returns a flag that selects one of several values by name. */
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
  return { valueName, help, fallback, shown, choices: [...values.keys()], parse };
}

/** Returns a switch: `--name`, `--name=false`. */
export function bool(fallback: boolean, help: string): Flag<boolean> {
  return { valueName: '', help, fallback, shown: String(fallback), bare: 'true', form: 'boolean', parse: parseBool };
}

/** Returns a flag of a non-negative integer. */
export function count(valueName: string, fallback: number, help: string): Flag<number> {
  return { valueName, help, fallback, shown: String(fallback), form: 'number', parse: parseCount };
}

/** Returns a flag of a non-negative number with decimals. */
export function decimal(valueName: string, fallback: number, help: string): Flag<number> {
  const parse = (value: string): number => {
    if (!/^[0-9]{1,15}(\.[0-9]{1,15})?$/.test(value)) throw new Error('must be a non-negative number');
    return Number(value);
  };
  return { valueName, help, fallback, shown: String(fallback), form: 'number', parse };
}

/** A port to listen on: `none` for 0, `any` for any free port. */
export type Port = number | 'none' | 'any';

/** Returns a flag of a TCP port: 0 for none, `auto` for any free port. */
export function port(fallback: number, help: string): Flag<Port> {
  const parse = (value: string): Port => {
    if (value === 'auto') return 'any';
    if (!/^[0-9]{1,15}$/.test(value))
      throw new Error('must be a number between 0 and 65535, or auto for any free port');
    const number = Number(value);
    if (number > 65_535) throw new Error(`${number} is not a valid port: must be between 0 and 65535, inclusive`);
    return number === 0 ? 'none' : number;
  };
  return { valueName: 'PORT', help, fallback, shown: String(fallback), form: 'quantity', parse };
}

/** Returns a flag of an IPv4 or IPv6 address. */
export function address(fallback: string, help: string): Flag<string> {
  const parse = (value: string): string => {
    if (isIP(value) === 0) throw new Error(`failed to parse IP: ${goQuote(value)}`);
    return value;
  };
  return { valueName: 'IP', help, fallback, shown: fallback, parse };
}

/** Returns a flag of an amount of memory in bytes: a share of the maximum heap (`25%`) or a quantity (`256Mi`). */
export function heapMemory(shown: string, help: string): Flag<number> {
  return { valueName: 'SIZE', form: 'quantity', help, fallback: parseHeapMemory(shown), shown, parse: parseHeapMemory };
}

/**
 * Returns a flag of the size of all objects: a share of the maximum heap (`25%`) or a quantity (`1Gi`), or 0 for no
 * limit.
 *
 * @param least smallest limit, in bytes
 */
export function limitedHeapMemory(shown: string, least: number, help: string): Flag<number> {
  const parse = (value: string): number => {
    if (/^0+%?$/.test(value)) return 0;
    const bytes = parseHeapMemory(value);
    if (bytes < least) throw new Error(`must be 0 for no limit, or at least ${Math.ceil(least / 2 ** 20)}Mi`);
    return bytes;
  };
  return { valueName: 'SIZE', form: 'quantity', help, fallback: parse(shown), shown, parse };
}

function parseHeapMemory(value: string): number {
  const heapBytes = getHeapStatistics().heap_size_limit;
  const percent = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(value)?.[1];
  const bytes = percent === undefined ? quantityBytes(value) : Math.floor((heapBytes * Number(percent)) / 100);
  if (bytes < 1 || bytes > heapBytes)
    throw new Error(
      `must be greater than 0 and at most the maximum heap of this process, ${Math.floor(heapBytes / 2 ** 20)}Mi (node --max-old-space-size)`,
    );
  return bytes;
}

function quantityBytes(value: string, what = 'a share (25%) or a quantity of bytes (256Mi)'): number {
  const problem = quantityError(value);
  if (problem !== undefined) throw new Error(`must be ${what}: ${problem}`);
  return Math.floor(quantityToNumber(value) ?? 0);
}

/** Returns a flag of a size in bytes, written as a quantity: `3Mi`. */
export function size(shown: string, help: string): Flag<number> {
  const parse = (value: string): number => {
    const bytes = quantityBytes(value, 'a quantity of bytes (3Mi)');
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new Error('must be a quantity of bytes (3Mi)');
    return bytes;
  };
  return { valueName: 'SIZE', form: 'quantity', help, fallback: parse(shown), shown, parse };
}

/** Restricts a number flag to a range. @param between text of the range in the error */
export function within(flag: Flag<number>, least: number, most: number, between: string): Flag<number> {
  const parse = (value: string, before: number | undefined): number => {
    const number = flag.parse(value, before);
    if (number < least || number > most) throw new Error(`must be ${between}`);
    return number;
  };
  return { ...flag, parse };
}

/** Restricts a number flag to positive values. */
export function positive(flag: Flag<number>): Flag<number> {
  return within(flag, Number.MIN_VALUE, Number.MAX_SAFE_INTEGER, 'greater than 0');
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns a flag of a duration in milliseconds, written as `1m30s`. */
export function duration(shown: string, help: string): Flag<number> {
  return { valueName: 'DURATION', help, fallback: parseDuration(shown), shown, parse: parseDuration };
}

function parseCount(value: string): number {
  if (!/^[0-9]{1,15}$/.test(value)) throw new Error('must be a non-negative integer');
  return Number(value);
}

function parseDuration(value: string): number {
  if (value === '0') return 0;
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(value)) throw new Error('must be a duration such as 500ms, 5s or 1m30s');
  let total = 0;
  for (const [, amount = '', unit = ''] of value.matchAll(/([0-9.]+)(ms|s|m|h)/g))
    total += Number(amount) * (ownMember(UNIT_MS, unit) ?? 0);
  return total;
}
