import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  quantityError,
  quantityErrors,
  quantityToBigInt,
  quantityToNumber,
} from '../../src/foundation/objects/quantity.js';

describe('canonical form', () => {
  test.each([
    ['0', '0'],
    ['0.0', '0'],
    ['-0', '0'],
    ['0Ki', '0'],
    ['0e1000000000', '0'],
    ['000', '0'],
    ['1000m', '1'],
    ['500m', '500m'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['0.1', '100m'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['-1.5', '-1500m'],
    ['1.0', '1'],
    ['1000', '1k'],
    ['1000k', '1M'],
    ['100', '100'],
    ['12000', '12k'],
    ['12345', '12345'],
    ['1E', '1E'],
    ['1000P', '1E'],
    ['1000E', '1000E'],
    ['1000n', '1u'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1Ki', '1Ki'],
    ['-1Ki', '-1Ki'],
    ['0.5Mi', '512Ki'],
    ['0.5Ki', '512'],
    ['1.0005Ki', '1024512m'],
    ['0.1Ki', '102400m'],
    ['0.01Ki', '10240m'],
    ['16Ei', '9223372036854775807'],
    ['8Ki', '8Ki'],
    ['1024Ei', '9223372036854775807'],
    ['1e3', '1e3'],
    ['1000e0', '1e3'],
    ['1e2', '100'],
    ['1e-1', '100e-3'],
    ['1e1', '10'],
    ['15e2', '1500'],
    ['12e6', '12e6'],
    ['1e-9', '1e-9'],
    ['100e1', '1e3'],
    ['0.1n', '1n'],
    ['1.1n', '2n'],
    ['-1.1n', '-2n'],
    ['1e-1000000', '1e-9'],
    ['1.23456789012345678901', '1234567891n'],
    ['1e1000000001', '100e999999999'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('%s is %s', (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  // Kubernetes checks only the text, and considers these canonical.
  test.each(['1.500', '+5', '1E3', '+1Ki', '01Ki', '1.Ki', '1025Ki', '12E6', '1500', '1.'])(
    '%s is kept unchanged',
    (text) => {
      expect(canonicalQuantity(text)).toBe(text);
    },
  );

  test('kept text is normalized by formatQuantity', () => {
    const quantity = parseQuantity('1.500');
    expect(quantity && formatQuantity(quantity)).toBe('1500m');
  });

  test.each([
    ['', quantityErrors.format],
    ['1 ', quantityErrors.format],
    [' 1', quantityErrors.format],
    ['aoeu', quantityErrors.format],
    ['1.1.M', quantityErrors.format],
    ['1+1.0M', quantityErrors.format],
    ['0.1am', quantityErrors.format],
    ['1,5', quantityErrors.format],
    [`1${'0'.repeat(1024)}`, quantityErrors.format],
    ['0.1mi', quantityErrors.suffix],
    ['1i', quantityErrors.suffix],
    ['.5i', quantityErrors.suffix],
    ['-3.01i', quantityErrors.suffix],
    ['-3.01e-', quantityErrors.suffix],
    ['--1', quantityErrors.suffix],
    ['1KK', quantityErrors.suffix],
    ['1e99999999999', quantityErrors.suffix],
    ['1K', quantityErrors.suffix],
    ['1m3', quantityErrors.suffix],
  ])('invalid quantity: %#', (text, error) => {
    expect(quantityError(text)).toBe(error);
    expect(canonicalQuantity(text)).toBeUndefined();
    expect(compareQuantity(text, '1')).toBeUndefined();
  });

  test('the format error has the text of Kubernetes', () => {
    expect(quantityErrors.format).toBe(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
    expect(quantityError('1')).toBeUndefined();
  });
});

describe('values', () => {
  test.each([
    ['1', '1000m', 0],
    ['1Ki', '1024', 0],
    ['1Ki', '1k', 1],
    ['-1', '1', -1],
    ['1e3', '1k', 0],
    ['1e1000000000', '1e999999999', 1],
    ['-1e1000000000', '1n', -1],
    ['0', '0Gi', 0],
    ['999999999n', '1', -1],
    ['-5', '-4', -1],
    ['99', '100', -1],
    ['64Mi', '128Mi', -1],
    ['100m', '99m', 1],
    ['1Gi', '1Gi', 0],
  ])('compare %s with %s', (a, b, expected) => {
    expect(Math.sign(compareQuantity(a, b) ?? Number.NaN)).toBe(expected);
    expect(Math.sign(compareQuantity(b, a) ?? Number.NaN)).toBe(expected === 0 ? 0 : -expected);
  });

  test.each([
    ['0.000000000001Ki', 'DecimalSI'],
    ['0.0009Ki', 'DecimalSI'],
    ['-0.0009Ki', 'DecimalSI'],
    ['0.0009765625Ki', 'BinarySI'],
    ['0.5Ki', 'BinarySI'],
    ['0.0Ki', 'BinarySI'],
    ['1Ki', 'BinarySI'],
  ])('a part of one has no powers of two: %s is %s', (text, format) => {
    expect(parseQuantity(text)?.format).toBe(format);
  });

  test('as numbers', () => {
    expect(quantityToNumber('500m')).toBe(0.5);
    expect(quantityToNumber('1Gi')).toBe(1_073_741_824);
    expect(quantityToNumber('1e1000000000')).toBe(Infinity);
    expect(quantityToNumber('x')).toBeUndefined();
    expect(quantityToBigInt('1500m')).toBe(2n);
    expect(quantityToBigInt('-1500m')).toBe(-2n);
    expect(quantityToBigInt('1500m', -3)).toBe(1500n);
    expect(quantityToBigInt('1n')).toBe(1n);
    expect(quantityToBigInt('0')).toBe(0n);
    expect(quantityToBigInt('1e1000000000')).toBeUndefined();
    expect(quantityToBigInt('x')).toBeUndefined();
  });
});

/** A naive parser of a quantity: an exact fraction in units of 10^-40, computed only with multiplication. */
function naiveValue(text: string): bigint {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const units: Record<string, bigint> = {
    Ki: 1n << 10n,
    Mi: 1n << 20n,
    Gi: 1n << 30n,
    Ti: 1n << 40n,
    Pi: 1n << 50n,
    Ei: 1n << 60n,
  };
  const powers: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
  const unit = units[suffix] ?? 1n;
  const power = powers[suffix] ?? (units[suffix] ? 0 : Number(suffix.slice(1)));
  const scaled = BigInt(`${whole}${fraction}` || '0') * unit * 10n ** BigInt(40 + power - fraction.length);
  return sign === '-' ? -scaled : scaled;
}

/** Rounded away from zero to a billionth, up to the maximum for binary suffixes. */
function naiveRound(value: bigint, binary: boolean): bigint {
  const nano = 10n ** 31n;
  const size = value < 0n ? -value : value;
  const rounded = ((size + nano - 1n) / nano) * nano;
  const ceiling = (2n ** 63n - 1n) * 10n ** 40n;
  const capped = binary && rounded > ceiling ? ceiling : rounded;
  return value < 0n ? -capped : capped;
}

describe('compared with a naive implementation', () => {
  const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '5', '8', '9'), maxLength: 8 });
  const suffix = fc.constantFrom(
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'Ei',
    'e3',
    'E-4',
    'e0',
    'e+7',
    'e-12',
    'e19',
  );
  const quantity = fc
    .tuple(fc.constantFrom('', '', '-', '+'), digits, fc.option(digits, { nil: undefined }), suffix)
    .filter(([, whole, fraction]) => whole !== '' || (fraction ?? '') !== '')
    .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`);

  test('the canonical text has the rounded value, and is canonical', () => {
    fc.assert(
      fc.property(quantity, (text) => {
        const canonical = canonicalQuantity(text);
        expect(canonical).toBeDefined();
        expect(naiveValue(canonical ?? '')).toBe(naiveRound(naiveValue(text), /i$/.test(text)));
        // Like 812.5Ki, which is 832000: without a suffix, the text is of a decimal quantity, 832k.
        const isOfOtherFormat = /i$/.test(text) && /\d$/.test(canonical ?? '');
        const again = canonicalQuantity(canonical ?? '') ?? '';
        if (!isOfOtherFormat) expect(again).toBe(canonical);
        expect(naiveValue(again)).toBe(naiveValue(canonical ?? ''));
        expect(canonicalQuantity(again)).toBe(again);
        const parsed = parseQuantity(text);
        expect(parsed && formatQuantity(parsed)).toMatch(/^(0|-?[1-9]\d*([numkMGTPE]|[KMGTPE]i|e-?\d+)?)$/);
      }),
      { numRuns: 3000 },
    );
  });

  test('the comparison is that of the values', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        const left = naiveRound(naiveValue(a), /i$/.test(a));
        const right = naiveRound(naiveValue(b), /i$/.test(b));
        expect(Math.sign(compareQuantity(a, b) ?? Number.NaN)).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
      { numRuns: 2000 },
    );
  });

  test('an ordinary quantity is canonical exactly if computing its canonical text gives the same text', () => {
    const amounts = fc.tuple(
      fc.oneof(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.integer({ min: 1, max: 2000 }).map((whole) => whole * 1000),
        fc.integer({ min: 1, max: 2000 }).map((whole) => whole * 1024),
      ),
      suffix,
    );
    fc.assert(
      fc.property(amounts, ([whole, unit]) => {
        const parsed = parseQuantity(`${whole}${unit}`);
        expect(canonicalQuantity(`${whole}${unit}`)).toBe(parsed && (parsed.originalText ?? formatQuantity(parsed)));
      }),
      { numRuns: 5000 },
    );
  });
});
