/**
 * `text.format([…])`: `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x`, `%X` and `%%`, as cel-spec's strings extension has them.
 *
 * @module
 */
import { encodeHex } from '../../encoding/hex.js';
import { CelFailure, failure } from '../failures.js';
import { STEP_COST, traversalCost, type Meter } from '../meter.js';
import { formatScientific } from '../numbers.js';
import { CelDuration, CelTimestamp } from '../time-values.js';
import { CelList, CelMap, CelTypeValue, CelUint, typeNameOf, type CelValue } from '../values.js';

const DEFAULT_PRECISION = 6;
const MAX_PRECISION = 100;

/** Writes a value; undefined when the clause is not for such values. */
type Clause = (value: CelValue, precision: number, meter: Meter) => string | undefined;

const infinities = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');

/** An integer in a base. */
const inBase = (value: CelValue, base: number): string | undefined => {
  if (typeof value === 'bigint') return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
};

function hex(value: CelValue): string | undefined {
  if (typeof value === 'string') return hex(new TextEncoder().encode(value));
  if (value instanceof Uint8Array) return encodeHex(value);
  return inBase(value, 16);
}

/** `%f`: halves are rounded to the even neighbour, as the production system's language does. */
function fixed(value: number, precision: number): string {
  const scale = 10 ** precision;
  const scaled = Math.abs(value) * scale;
  const isTieAboveEven = scaled % 1 === 0.5 && scaled / scale === Math.abs(value) && Math.floor(scaled) % 2 === 0;
  return (isTieAboveEven ? (Math.sign(value) * Math.floor(scaled)) / scale : value).toFixed(precision);
}

/** How the clauses for doubles write what has no digits, by how JSON has it. */
const unwritable: Readonly<Record<string, string>> = { NaN: 'NaN', Infinity: '∞', '-Infinity': '-∞' };

/** Numbers of the clauses for doubles, given as such or, where JSON has no number for them, as text. */
function onDoubles(write: (value: number, precision: number) => string): Clause {
  return (value, precision) => {
    if (typeof value === 'string') return unwritable[value];
    const number = value instanceof CelUint ? Number(value.value) : typeof value === 'bigint' ? Number(value) : value;
    if (typeof number !== 'number') return undefined;
    return Number.isFinite(number) ? write(number, precision) : unwritable[infinities(number)];
  };
}

const clauses: Readonly<Record<string, Clause>> = {
  s: (value, _precision, meter) => text(value, meter),
  d: (value) => (typeof value === 'number' && !Number.isFinite(value) ? infinities(value) : inBase(value, 10)),
  f: onDoubles(fixed),
  e: onDoubles(formatScientific),
  b: (value) => (typeof value === 'boolean' ? String(Number(value)) : inBase(value, 2)),
  o: (value) => inBase(value, 8),
  x: (value) => hex(value),
  X: (value) => hex(value)?.toUpperCase(),
};

function text(value: CelValue, meter: Meter): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : infinities(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.toString();
  if (value instanceof CelList) return listText(value, meter);
  return value instanceof CelMap ? mapText(value, meter) : undefined;
}

function listText(list: CelList, meter: Meter): string | undefined {
  const items: string[] = [];
  for (const item of list) {
    meter.charge(STEP_COST);
    const written = text(item, meter);
    if (written === undefined) return undefined;
    items.push(written);
  }
  return `[${items.join(', ')}]`;
}

function mapText(map: CelMap, meter: Meter): string | undefined {
  const entries: [string, string][] = [];
  for (const key of map.keys()) {
    meter.charge(STEP_COST);
    const [name, value] = [text(key, meter), text(map.get(key) ?? null, meter)];
    if (name === undefined || value === undefined) return undefined;
    entries.push([name, value]);
  }
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([name, value]) => `${name}: ${value}`).join(', ')}}`;
}

const CLAUSE = /%(?:%|(?:\.(\d{1,6}))?(.)?)/gsu;

/** The template with its clauses replaced by the values, in order. */
export function formatText(template: string, values: CelList, meter: Meter): string | CelFailure {
  let used = 0;
  let problem: CelFailure | undefined;
  const written = template.replace(CLAUSE, (whole, precision: string | undefined, name: string | undefined) => {
    if (whole === '%%' || problem !== undefined) return '%';
    const result = writeClause(name, Number(precision ?? DEFAULT_PRECISION), values, used, meter);
    used += 1;
    if (result instanceof CelFailure) problem = result;
    else meter.charge(traversalCost(result.length));
    return result instanceof CelFailure ? '' : result;
  });
  return (
    problem ??
    (used < values.size ? failure('error during formatting: too many arguments supplied to string.format') : written)
  );
}

function writeClause(
  name: string | undefined,
  precision: number,
  values: CelList,
  index: number,
  meter: Meter,
): string | CelFailure {
  if (name === undefined) return failure('error during formatting: unexpected end of string');
  const clause = clauses[name];
  if (clause === undefined)
    return failure(
      `error during formatting: could not parse formatting clause: unrecognized formatting clause "${name}"`,
    );
  if (precision > MAX_PRECISION)
    return failure(`error during formatting: precision ${precision} is more than ${MAX_PRECISION}`);
  if (index >= values.size) return failure(`error during formatting: index ${index} out of range`);
  const value = values.at(index);
  return (
    clause(value, precision, meter) ??
    failure(`error during formatting: %${name} clause cannot be used on ${typeNameOf(value)}`)
  );
}
