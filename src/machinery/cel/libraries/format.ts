/**
 * `text.format([…])`: `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x`, `%X` and `%%`, as release 1.31 writes them: values
 * inside lists and maps are written as CEL literals.
 *
 * @module
 */
import { compareText, decodeUtf8Lossy, encodeHex, encodeUtf8, goQuote } from '../../../foundation/index.js';
import { STEP_COST, traversalCost, type Meter } from '../cost/meter.js';
import { CelFailure, failure } from '../evaluate/failures.js';
import { formatDouble, formatFixed, formatScientific } from '../evaluate/numbers.js';
import { CelDuration, CelTimestamp } from '../evaluate/time-values.js';
import { CelList, CelMap, CelTypeValue, CelUint, typeNameOf, type CelValue } from '../evaluate/values.js';
import { formatClauses, parseFormat, type FormatClause } from './format-clauses.js';

/** Writes a value; undefined when the clause does not accept it. */
type Writer = (value: CelValue, precision: number, meter: Meter) => string | undefined;

/** Writes an integer in a base. */
const inBase = (value: CelValue, base: number): string | undefined => {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
};

function hex(value: CelValue): string | undefined {
  if (typeof value === 'string') return encodeHex(encodeUtf8(value));
  if (value instanceof Uint8Array) return encodeHex(value);
  return inBase(value, 16);
}

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

const writers: Readonly<Record<string, Writer>> = {
  s: (value, _precision, meter) => text(value, meter),
  d: (value) => inBase(value, 10),
  f: onDoubles(formatFixed),
  e: onDoubles(formatScientific),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2)),
  o: (value) => inBase(value, 8),
  x: (value) => hex(value),
  X: (value) => hex(value)?.toUpperCase(),
};

function text(value: CelValue, meter: Meter): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return decodeUtf8Lossy(value);
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.toString();
  if (value instanceof CelList) return listText(value, meter);
  return value instanceof CelMap ? mapText(value, meter) : undefined;
}

/** Writes a value inside a list or map. */
function literal(value: CelValue, meter: Meter): string | undefined {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') {
    const sign = value > 0 ? '+' : '-';
    if (!Number.isFinite(value)) return Number.isNaN(value) ? '"NaN"' : `"${sign}Inf"`;
    return value.toFixed(6);
  }
  const written = text(value, meter);
  if (written === undefined) return undefined;
  if (value instanceof Uint8Array) return `b${goQuote(written)}`;
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(written)})`;
  return value instanceof CelDuration ? `duration(${goQuote(written)})` : written;
}

function listText(list: CelList, meter: Meter): string | undefined {
  const items: string[] = [];
  for (const item of list) {
    meter.charge(STEP_COST);
    const written = literal(item, meter);
    if (written === undefined) return undefined;
    items.push(written);
  }
  return `[${items.join(', ')}]`;
}

function mapText(map: CelMap, meter: Meter): string | undefined {
  const entries: [string, string][] = [];
  for (const key of map.keys()) {
    meter.charge(STEP_COST);
    const [name, value] = [literal(key, meter), literal(map.get(key) ?? null, meter)];
    if (name === undefined || value === undefined) return undefined;
    entries.push([name, value]);
  }
  entries.sort(([a], [b]) => compareText(a, b));
  return `{${entries.map(([name, value]) => `${name}:${value}`).join(', ')}}`;
}

/** Returns the template with its clauses replaced by the values, in order. Values without a clause are ignored. */
export function formatText(template: string, values: CelList, meter: Meter): string | CelFailure {
  let written = '';
  for (const part of parseFormat(template, values.size)) {
    if (part instanceof CelFailure) return part;
    const piece = typeof part === 'string' ? part : writeClause(part, values.at(part.index), meter);
    if (piece instanceof CelFailure) return piece;
    if (typeof part !== 'string') meter.charge(traversalCost(piece.length));
    written += piece;
  }
  return written;
}

function writeClause({ name, precision }: FormatClause, value: CelValue, meter: Meter): string | CelFailure {
  return (
    writers[name]?.(value, precision, meter) ??
    failure(`error during formatting: ${formatClauses[name]?.refusal ?? ''}, was given ${typeNameOf(value)}`)
  );
}
