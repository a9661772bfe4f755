/** The notation of a quantity, which formatting preserves: `500m`, `1Gi`, `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The parts of a quantity's text. */
export interface QuantityText {
  readonly negative: boolean;
  /** Digits before the point, without leading zeros; `0` when there are none. */
  readonly whole: string;
  /** Digits after the point. */
  readonly fraction: string;
  /** Power of ten, or of two for `BinarySI`. */
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** The problems of a quantity's text, with the messages of Kubernetes. */
export const quantityErrors = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  number: 'unable to parse numeric part of quantity',
  suffix: "unable to parse quantity's suffix",
} as const;

/** Powers of ten, by suffix. */
export const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

/** Powers of two, by suffix. */
export const BINARY_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

/**
 * Maximum length of a quantity's text. Real quantities are far shorter, and the work grows faster than the number of
 * digits.
 */
const MAX_TEXT_LENGTH = 1024;
const MAX_EXPONENT = 2_147_483_647;
const SUFFIX_CHARACTERS = 'eEinumkKMGTP';

/**
 * Splits the text of a quantity like the scanner of Kubernetes. Unlike the regular expression in the message, both
 * treat a text without digits as zero.
 *
 * @returns the parts, or the problem
 */
export function scanQuantity(text: string): QuantityText | string {
  if (text === '' || text.length > MAX_TEXT_LENGTH) return quantityErrors.format;
  const start = text.startsWith('-') || text.startsWith('+') ? 1 : 0;
  const wholeEnd = skipDigits(text, start);
  const hasPoint = text[wholeEnd] === '.';
  const numberEnd = hasPoint ? skipDigits(text, wholeEnd + 1) : wholeEnd;
  if (!isSuffixForm(text, numberEnd)) return quantityErrors.format;
  const suffix = interpretSuffix(text.slice(numberEnd));
  if (suffix === undefined) return quantityErrors.suffix;
  let first = start;
  while (first < wholeEnd && text[first] === '0') first += 1;
  const whole = text.slice(first, wholeEnd);
  return {
    negative: text.startsWith('-'),
    whole: whole === '' ? '0' : whole,
    fraction: hasPoint ? text.slice(wholeEnd + 1, numberEnd) : '',
    ...suffix,
  };
}

function skipDigits(text: string, start: number): number {
  let index = start;
  while (isDigit(text.charCodeAt(index))) index += 1;
  return index;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Returns true for suffix letters, then a sign, then digits, up to the end. */
function isSuffixForm(text: string, start: number): boolean {
  let index = start;
  while (index < text.length && SUFFIX_CHARACTERS.includes(text.charAt(index))) index += 1;
  if (text[index] === '-' || text[index] === '+') index += 1;
  return skipDigits(text, index) === text.length;
}

function interpretSuffix(suffix: string): { exponent: number; format: QuantityFormat } | undefined {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { exponent: decimal, format: 'DecimalSI' };
  const binary = BINARY_SUFFIXES.get(suffix);
  if (binary !== undefined) return { exponent: binary, format: 'BinarySI' };
  if (suffix[0] !== 'e' && suffix[0] !== 'E') return undefined;
  const signed = suffix[1] === '-' || suffix[1] === '+' ? 2 : 1;
  if (signed === suffix.length || skipDigits(suffix, signed) !== suffix.length) return undefined;
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > MAX_EXPONENT ? undefined : { exponent, format: 'DecimalExponent' };
}
