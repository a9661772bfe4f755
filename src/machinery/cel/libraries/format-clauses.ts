/**
 * The clauses of a format string and the values that they accept. Used at compile time and in evaluations.
 *
 * @module
 */
import { failure, type CelFailure } from '../evaluate/failures.js';
import type { CelType } from '../types/types.js';

const DEFAULT_PRECISION = 6;
/** Maximum number of digits after the decimal point. */
const MAX_PRECISION = 100;

/** A clause of a format string. */
export interface FormatClause {
  /** The letter of the clause. */
  readonly name: string;
  readonly precision: number;
  /** Index of its value. */
  readonly index: number;
}

/** The values that a clause accepts. */
export interface FormatClauseFacts {
  /** Kinds of the accepted values. */
  readonly kinds: readonly CelType['kind'][];
  /** Start of the message for a value of another kind. */
  readonly refusal: string;
}

const hex: FormatClauseFacts = {
  kinds: ['int', 'uint', 'string', 'bytes'],
  refusal: 'only integers, byte buffers, and strings can be formatted as hex',
};

/** Every clause, by its letter. */
export const formatClauses: Readonly<Record<string, FormatClauseFacts>> = {
  s: {
    kinds: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { kinds: ['int', 'uint'], refusal: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], refusal: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], refusal: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], refusal: 'only integers and bools can be formatted as binary' },
  o: { kinds: ['int', 'uint'], refusal: 'octal clause can only be used on integers' },
  x: hex,
  X: hex,
};

const CLAUSE = /%(?:%|(\.\d*)?(.)?)/gsu;

/**
 * Yields the texts and clauses of a format string in order, up to the first invalid one.
 *
 * @param size number of values
 */
export function* parseFormat(template: string, size: number): Iterable<string | FormatClause | CelFailure> {
  let end = 0;
  let index = 0;
  for (const match of template.matchAll(CLAUSE)) {
    const [whole, precision, name] = match;
    yield template.slice(end, match.index);
    end = match.index + whole.length;
    if (whole === '%%') {
      yield '%';
      continue;
    }
    yield clauseOf(precision, name, index, size);
    index += 1;
  }
  yield template.slice(end);
}

function clauseOf(
  precision: string | undefined,
  name: string | undefined,
  index: number,
  size: number,
): FormatClause | CelFailure {
  const unparsed = (why: string): CelFailure => failure(`could not parse formatting clause: ${why}`);
  if (index >= size) return failure(`index ${index} out of range`);
  if (name === undefined)
    return precision === undefined
      ? failure('unexpected end of string')
      : unparsed('error while parsing precision: could not find end of precision specifier');
  if (precision === '.')
    return unparsed(
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    );
  const digits = precision === undefined ? DEFAULT_PRECISION : Number(precision.slice(1));
  if (digits > MAX_PRECISION)
    return unparsed(`error while parsing precision: ${precision?.slice(1)} exceeds the maximum of ${MAX_PRECISION}`);
  if (!Object.hasOwn(formatClauses, name)) return unparsed(`unrecognized formatting clause "${name}"`);
  return { name, precision: digits, index };
}
