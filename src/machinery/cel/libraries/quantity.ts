/**
 * Quantities (`500m`, `1.5Gi`): `quantity(text)`, `isQuantity(text)`, arithmetic and comparison.
 *
 * @module
 */
import {
  compareQuantities,
  parseQuantity,
  quantityError,
  quantityErrors,
  scanQuantity,
  type Quantity,
} from '../../../foundation/index.js';
import { textCost } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { CelOpaque } from '../evaluate/values.js';
import {
  declare,
  method,
  overload,
  type CelLibrary,
  type CelResult,
  type FunctionDeclaration,
} from '../types/declarations.js';
import {
  boolType,
  doubleType,
  intType,
  opaqueType,
  stringType,
  type CelOpaqueType,
  type CelType,
} from '../types/types.js';
import { textTraversal } from './estimates.js';

/** The value `unscaled · 10^scale`. */
interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  /**
   * True for a value that Kubernetes reads as a 64-bit integer and a scale. Others have arbitrary precision, and are
   * not integers in the sense of `isInteger`.
   */
  readonly isNarrow: boolean;
}

/** A quantity. */
class QuantityValue extends CelOpaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly amount: Amount;

  constructor(amount: Amount) {
    super();
    this.amount = amount;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof QuantityValue && compare(this.amount, other.amount) === 0;
  }
}

const quantityOfAmount: CelOpaqueType<QuantityValue> = opaqueType('kubernetes.Quantity', QuantityValue);
/** The type of quantities. */
export const quantityType: CelOpaqueType = quantityOfAmount;

const NANO = -9;
/** Maximum numbers of digits that Kubernetes reads as a 64-bit integer. */
const NARROW_DIGITS = 18;
const NARROW_BINARY_DIGITS = 14;
/** Maximum difference of two scales in an addition. */
const MAX_SCALE_DIFFERENCE = 1000;

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

function amountOf(text: string): Amount | undefined {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  if (text === '0') return { unscaled: 0n, scale: 0, isNarrow: true };
  return narrowAmount(text) ?? wideAmount(quantity);
}

/** Returns the amount of a short text. */
function narrowAmount(text: string): Amount | undefined {
  const scanned = scanQuantity(text);
  if (typeof scanned === 'string') return undefined;
  const { negative, whole, fraction, exponent, format } = scanned;
  const isBinary = format === 'BinarySI';
  const digits = whole.length + fraction.length;
  const fits = isBinary
    ? fraction === '' && digits + Math.trunc((exponent * 3) / 10) <= NARROW_BINARY_DIGITS
    : digits <= NARROW_DIGITS;
  const scale = isBinary ? 0 : exponent - fraction.length;
  if (!fits || scale < NANO) return undefined;
  const magnitude = BigInt(whole + fraction) << BigInt(isBinary ? exponent : 0);
  return { unscaled: negative ? -magnitude : magnitude, scale, isNarrow: true };
}

/** Kubernetes writes an arbitrary precision in billionths. A very large value keeps its scale. */
function wideAmount({ unscaled, scale }: Quantity): Amount {
  const isLarge = scale - NANO > MAX_SCALE_DIFFERENCE;
  return isLarge
    ? { unscaled, scale, isNarrow: false }
    : { unscaled: unscaled * 10n ** BigInt(scale - NANO), scale: NANO, isNarrow: false };
}

const compare = (a: Amount, b: Amount): number =>
  compareQuantities({ ...a, format: 'DecimalSI' }, { ...b, format: 'DecimalSI' });

function add(a: Amount, b: Amount): CelResult {
  if (a.isNarrow && b.isNarrow && (a.unscaled === 0n || b.unscaled === 0n))
    return new QuantityValue(a.unscaled === 0n && b.unscaled !== 0n ? b : a);
  const scale = Math.min(a.scale, b.scale);
  if (Math.max(a.scale, b.scale) - scale > MAX_SCALE_DIFFERENCE)
    return failure('quantities of too different sizes cannot be added');
  const [left, right] = [a, b].map((amount) => amount.unscaled * 10n ** BigInt(amount.scale - scale));
  const unscaled = (left ?? 0n) + (right ?? 0n);
  const isNarrow = a.isNarrow && b.isNarrow && [left, right, unscaled].every((value) => isInt64(value ?? 0n));
  return new QuantityValue({ unscaled, scale, isNarrow });
}

const negated = (amount: Amount): Amount => ({ ...amount, unscaled: -amount.unscaled });
const integer = (value: bigint): Amount => ({ unscaled: value, scale: 0, isNarrow: true });

/** Returns the integer of a narrow amount without decimal places. */
function integerOf({ unscaled, scale, isNarrow }: Amount): bigint | undefined {
  if (!isNarrow || scale < 0 || (scale > NARROW_DIGITS && unscaled !== 0n)) return undefined;
  const value = unscaled === 0n ? 0n : unscaled * 10n ** BigInt(scale);
  return isInt64(value) ? value : undefined;
}

/** Multiplies doubles like Kubernetes, with the same rounding errors. */
function approximate({ unscaled, scale }: Amount): number {
  if (scale === 0) return Number(unscaled);
  return Number(unscaled) * Number(`1e${scale}`);
}

/** Declares a method with another quantity. */
const withQuantity = (
  name: string,
  id: string,
  result: CelType,
  call: (a: Amount, b: Amount) => CelResult,
): FunctionDeclaration =>
  declare(
    name,
    method(id, [quantityOfAmount, quantityOfAmount], result, ([a, b]) => call(a.amount, b.amount)),
  );

/** Declares a method with another quantity or an integer. */
const arithmetic = (name: string, id: string, call: (a: Amount, b: Amount) => CelResult): FunctionDeclaration =>
  declare(
    name,
    method(id, [quantityOfAmount, quantityOfAmount], quantityOfAmount, ([a, b]) => call(a.amount, b.amount)),
    method(`${id}_int`, [quantityOfAmount, intType], quantityOfAmount, ([a, b]) => call(a.amount, integer(b))),
  );

const parsingCost = ([text]: readonly [string]): number => textCost(text);

/** The functions on quantities. */
export const quantityLibrary: CelLibrary = {
  name: 'quantity',
  functions: [
    declare('quantity', {
      ...overload(
        'string_to_quantity',
        [stringType],
        quantityOfAmount,
        ([text]) => {
          const amount = amountOf(text);
          return amount === undefined
            ? failure(quantityError(text) ?? quantityErrors.format)
            : new QuantityValue(amount);
        },
        parsingCost,
      ),
      estimate: textTraversal,
    }),
    declare('isQuantity', {
      ...overload('is_quantity_string', [stringType], boolType, ([text]) => amountOf(text) !== undefined, parsingCost),
      estimate: textTraversal,
    }),
    // Not a method in Kubernetes either: `sign(quantity('1'))`.
    declare(
      'sign',
      overload('quantity_sign', [quantityOfAmount], intType, ([{ amount }]) =>
        amount.unscaled === 0n ? 0n : amount.unscaled > 0n ? 1n : -1n,
      ),
    ),
    withQuantity('isGreaterThan', 'quantity_is_greater_than', boolType, (a, b) => compare(a, b) > 0),
    withQuantity('isLessThan', 'quantity_is_less_than', boolType, (a, b) => compare(a, b) < 0),
    withQuantity('compareTo', 'quantity_compare_to', intType, (a, b) => BigInt(Math.sign(compare(a, b)))),
    declare(
      'asApproximateFloat',
      method('quantity_get_float', [quantityOfAmount], doubleType, ([{ amount }]) => approximate(amount)),
    ),
    declare(
      'asInteger',
      method(
        'quantity_get_int',
        [quantityOfAmount],
        intType,
        ([{ amount }]) => integerOf(amount) ?? failure('cannot convert value to integer'),
      ),
    ),
    declare(
      'isInteger',
      method('quantity_is_integer', [quantityOfAmount], boolType, ([{ amount }]) => integerOf(amount) !== undefined),
    ),
    arithmetic('add', 'quantity_add', add),
    arithmetic('sub', 'quantity_sub', (a, b) => add(a, negated(b))),
  ],
};
