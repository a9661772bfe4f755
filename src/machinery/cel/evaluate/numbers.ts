/**
 * Numbers as text, as Go prints them.
 *
 * @module
 */
import { goFloat } from '../../../foundation/index.js';

/** Formats a number like `%g`: as {@link goFloat} does, and special values by their names. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return Object.is(value, -0) ? '-0' : goFloat(value);
}

/** Maximum number of digits that the host writes: enough to distinguish a tie of a double from its neighbours. */
const ALL_DIGITS = 100;

/**
 * Corrects the rounding of the host, which rounds ties up: Go rounds them to the even neighbour.
 *
 * @param rounded the number with the requested digits
 * @param exact the number with {@link ALL_DIGITS} digits after the point
 * @param precision requested number of digits after the point
 */
function tiesToEven(rounded: string, exact: string, precision: number): string {
  const end = exact.indexOf('.') + (precision === 0 ? 0 : 1 + precision);
  const kept = exact.slice(0, end);
  return /^\.?50*$/.test(exact.slice(end)) && /[02468]$/.test(kept) ? kept : rounded;
}

/** Formats a number like `%.<precision>f` in release 1.31 for English: with commas between thousands. */
export function formatFixed(value: number, precision: number): string {
  const [whole = '', fraction] = decimal(value, precision).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Formats a number of any size without an exponent. */
function decimal(value: number, precision: number): string {
  if (Math.abs(value) < 1e21) return tiesToEven(value.toFixed(precision), value.toFixed(ALL_DIGITS), precision);
  return precision === 0 ? String(BigInt(value)) : `${String(BigInt(value))}.${'0'.repeat(precision)}`;
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  0: '⁰',
  1: '¹',
  2: '²',
  3: '³',
  4: '⁴',
  5: '⁵',
  6: '⁶',
  7: '⁷',
  8: '⁸',
  9: '⁹',
};

/**
 * Formats a number like `%.<precision>e` in release 1.31 for English: `1.05 × 10⁰³`, with narrow spaces and an exponent
 * of at least two digits.
 */
export function formatScientific(value: number, precision: number): string {
  const [rounded = '', exponentText = '0'] = value.toExponential(precision).split('e');
  const [exact = '', exactExponent = '0'] = value.toExponential(ALL_DIGITS).split('e');
  // A tie rounded up to the next power of ten had an odd last digit.
  const digits = exactExponent === exponentText ? tiesToEven(rounded, exact, precision) : rounded;
  const exponent = Number(exponentText);
  const raised = String(Math.abs(exponent))
    .padStart(2, '0')
    .replaceAll(/\d/g, (digit) => SUPERSCRIPTS[digit] ?? digit);
  return `${digits}\u202f×\u202f10${exponent < 0 ? '⁻' : ''}${raised}`;
}
