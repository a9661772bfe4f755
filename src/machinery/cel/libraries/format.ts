/**
 * `text.format([…])`: `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x`, `%X` and `%%`, as release 1.31 writes them: values
 * inside lists and maps are written as CEL literals.
 *
 * @module
 */
import {
  compareText,
  decodeUtf8Lossy,
  encodeUtf8,
  goQuote,
  hexOfByte,
  sortedSteps,
  type Steps,
} from '../../../foundation/index.js';
import type { Meter } from '../cost/meter.js';
import { CelFailure, failure } from '../evaluate/failures.js';
import { formatDouble, formatFixed, formatScientific } from '../evaluate/numbers.js';
import { CelDuration, CelTimestamp } from '../evaluate/time-values.js';
import { CelList, CelMap, CelTypeValue, CelUint, typeNameOf, type CelValue } from '../evaluate/values.js';
import { formatClauses, parseFormat, type FormatClause } from './format-clauses.js';
import { MadeText, piecesOf } from './made-text.js';

/** Returns the short text of a value; undefined when the clause does not accept it. */
type Writer = (value: CelValue, precision: number) => string | undefined;

/** The text of a format that is being made. */
interface Writing {
  readonly made: MadeText;
  readonly meter: Meter;
}

/** Writes an integer in a base. */
const inBase = (value: CelValue, base: number): string | undefined => {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
};

/** The output of clauses for NaN and infinities, by their JavaScript text. */
const specialNumbers: Readonly<Record<string, string>> = { NaN: 'NaN', Infinity: '∞', '-Infinity': '-∞' };

/** Returns a writer for doubles. A special number may also be a string, because JSON has no such numbers. */
const onDoubles =
  (write: (value: number, precision: number) => string): Writer =>
  (value, precision) => {
    if (typeof value === 'string') return Object.hasOwn(specialNumbers, value) ? specialNumbers[value] : undefined;
    if (typeof value !== 'number') return undefined;
    return specialNumbers[String(value)] ?? write(value, precision);
  };

/** The clauses whose texts are short. */
const writers: Readonly<Record<string, Writer>> = {
  d: (value) => inBase(value, 10),
  f: onDoubles(formatFixed),
  e: onDoubles(formatScientific),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2)),
  o: (value) => inBase(value, 8),
};

/** Writes a value in base 16. Returns false for one that the clause does not accept. */
function* writeHex(value: CelValue, isUpper: boolean, { made, meter }: Writing): Steps<boolean> {
  const add = (digits: string): void => made.add(isUpper ? digits.toUpperCase() : digits);
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    const digits = inBase(value, 16);
    if (digits !== undefined) add(digits);
    return digits !== undefined;
  }
  for (const piece of typeof value === 'string' ? encodedPieces(value) : bytePieces(value)) {
    add(Array.from(piece, hexOfByte).join(''));
    if (meter.step(piece.length)) yield;
  }
  return true;
}

function* encodedPieces(text: string): Iterable<Uint8Array> {
  for (const piece of piecesOf(text)) yield encodeUtf8(piece);
}

/** Bytes that are written before a clause may pause. */
const BYTES_AT_ONCE = 4096;

function* bytePieces(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += BYTES_AT_ONCE) yield bytes.subarray(from, from + BYTES_AT_ONCE);
}

/** Returns the text of a value that is not a list or a map; undefined when it has none. */
function scalarText(value: CelValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return decodeUtf8Lossy(value);
  return value instanceof CelTimestamp || value instanceof CelDuration ? value.toString() : undefined;
}

/** Writes a value. Returns false for one that the clause does not accept. */
function* writeText(value: CelValue, writing: Writing): Steps<boolean> {
  if (value instanceof CelList) return yield* writeList(value, writing);
  if (value instanceof CelMap) return yield* writeMap(value, writing);
  const text = scalarText(value);
  if (text !== undefined) writing.made.add(text);
  return text !== undefined;
}

/** Writes a value inside a list or map. */
function* writeLiteral(value: CelValue, writing: Writing): Steps<boolean> {
  if (writing.meter.step(1)) yield;
  if (typeof value === 'number') writing.made.add(doubleLiteral(value));
  else if (typeof value === 'string') yield* writeQuoted(value, '', '', writing);
  else if (value instanceof Uint8Array) yield* writeQuoted(decodeUtf8Lossy(value), 'b', '', writing);
  else if (value instanceof CelTimestamp) yield* writeQuoted(value.toString(), 'timestamp(', ')', writing);
  else if (value instanceof CelDuration) yield* writeQuoted(value.toString(), 'duration(', ')', writing);
  else return yield* writeText(value, writing);
  return true;
}

function doubleLiteral(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return `"${value > 0 ? '+' : '-'}Inf"`;
  return value.toFixed(6);
}

/** Characters that are quoted in a unit of work. */
const QUOTED_IN_UNIT = 4;

function* writeQuoted(text: string, before: string, after: string, { made, meter }: Writing): Steps<void> {
  made.add(`${before}"`);
  for (const piece of piecesOf(text)) {
    made.add(goQuote(piece).slice(1, -1));
    if (meter.step(piece.length / QUOTED_IN_UNIT)) yield;
  }
  made.add(`"${after}`);
}

function* writeList(list: CelList, writing: Writing): Steps<boolean> {
  let separator = '[';
  for (const item of list) {
    writing.made.add(separator);
    if (!(yield* writeLiteral(item, writing))) return false;
    separator = ', ';
  }
  writing.made.add(list.size === 0 ? '[]' : ']');
  return true;
}

/** Writes a map with its entries in the order of the texts of their keys. */
function* writeMap(map: CelMap, writing: Writing): Steps<boolean> {
  const { meter, made } = writing;
  const keys = new Map<string, CelValue>();
  for (const key of map.keys()) {
    const name = new MadeText(meter);
    if (!(yield* writeLiteral(key, { made: name, meter }))) return false;
    meter.makeItems(1);
    keys.set(name.toString(), key);
  }
  const names = yield* sortedSteps([...keys.keys()], compareText, { spend: (units) => meter.step(units) });
  made.add('{');
  for (const [index, name] of names.entries()) {
    made.add(index === 0 ? `${name}:` : `, ${name}:`);
    if (!(yield* writeLiteral(map.get(keys.get(name) ?? null) ?? null, writing))) return false;
  }
  made.add('}');
  return true;
}

/** Returns the template with its clauses replaced by the values, in order. Values without a clause are ignored. */
export function* formatText(template: string, values: CelList, meter: Meter): Steps<string | CelFailure> {
  const made = new MadeText(meter);
  for (const part of parseFormat(template, values.size)) {
    if (part instanceof CelFailure) return part;
    if (meter.step(1)) yield;
    if (typeof part === 'string') made.add(part);
    else if (!(yield* writeClause(part, values.at(part.index), { made, meter })))
      return failure(
        `error during formatting: ${formatClauses[part.name]?.refusal ?? ''}, was given ${typeNameOf(values.at(part.index))}`,
      );
  }
  return made.toString();
}

/** Writes the value of a clause. Returns false for one that the clause does not accept. */
function* writeClause({ name, precision }: FormatClause, value: CelValue, writing: Writing): Steps<boolean> {
  if (name === 's') return yield* writeText(value, writing);
  if (name === 'x' || name === 'X') return yield* writeHex(value, name === 'X', writing);
  const written = writers[name]?.(value, precision);
  if (written !== undefined) writing.made.add(written);
  return written !== undefined;
}
