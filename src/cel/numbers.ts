/**
 * Numbers as text, as the production system's language prints them.
 *
 * @module
 */

/** `%g`: the shortest digits that mean this number; below 1e-4, and from 1e+06 on, with an exponent of two digits or more. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  return exponent >= -4 && exponent < 6 ? String(value) : digits + exponentOf(exponent);
}

/**
 * `%.<precision>f` as release 1.31 writes it for English: with commas between thousands. Halves are rounded to the even
 * neighbour.
 */
export function formatFixed(value: number, precision: number): string {
  const scale = 10 ** precision;
  const scaled = Math.abs(value) * scale;
  const isTieAboveEven = scaled % 1 === 0.5 && scaled / scale === Math.abs(value) && Math.floor(scaled) % 2 === 0;
  const rounded = isTieAboveEven ? (Math.sign(value) * Math.floor(scaled)) / scale : value;
  const [whole = '', fraction] = decimal(rounded, precision).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Without an exponent, however large. */
function decimal(value: number, precision: number): string {
  if (Math.abs(value) < 1e21) return value.toFixed(precision);
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

/** `%.<precision>e`: `1.05 × 10⁰³`, with narrow spaces and an exponent of two digits or more, as release 1.31 writes it for English. */
export function formatScientific(value: number, precision: number): string {
  const [digits = '', exponentText = '0'] = value.toExponential(precision).split('e');
  const exponent = Number(exponentText);
  const raised = String(Math.abs(exponent))
    .padStart(2, '0')
    .replaceAll(/\d/g, (digit) => SUPERSCRIPTS[digit] ?? digit);
  return `${digits}\u202f×\u202f10${exponent < 0 ? '⁻' : ''}${raised}`;
}

const exponentOf = (exponent: number): string =>
  `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
