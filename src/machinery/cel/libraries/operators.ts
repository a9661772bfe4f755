/**
 * Operators of the standard environment (cel-spec, "Standard Definitions"): arithmetic with overflow checks, comparison
 * across numeric types, membership and indexing. `&&`, `||` and `?:` are declared here for their types; the planner
 * handles their errors.
 *
 * @module
 */
import { codePointCount, concatBytes } from '../../../foundation/index.js';
import { smallerSize, traversalCost } from '../cost/meter.js';
import { compareValues, equalInSteps, equalValues, hasItem, hasParts } from '../evaluate/equality.js';
import { failure, noSuchOverload } from '../evaluate/failures.js';
import { durationOf, timestampOf } from '../evaluate/time-values.js';
import { CelUint, sumOfLists, type CelValue } from '../evaluate/values.js';
import {
  declare,
  overload,
  overloadInSteps,
  type CelResult,
  type FunctionDeclaration,
  type Overload,
} from '../types/declarations.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
  type CelType,
} from '../types/types.js';

const A = typeParameter('A');
const B = typeParameter('B');

/** Returns the integer if it fits in 64 bits. */
export const checkedInt = (value: bigint): CelResult =>
  BigInt.asIntN(64, value) === value ? value : failure('integer overflow');
/** Returns the unsigned integer if it fits in 64 bits. */
export const checkedUint = (value: bigint): CelResult =>
  BigInt.asUintN(64, value) === value ? new CelUint(value) : failure('unsigned integer overflow');
const checkedDuration = (nanos: bigint): CelResult => durationOf(nanos) ?? failure('duration overflow');
const checkedTimestamp = (nanos: bigint, offsetMinutes: number): CelResult =>
  timestampOf(nanos, offsetMinutes) ?? failure('timestamp overflow');

/** Returns the overloads of an operator for the three numeric types. */
function arithmetic(
  id: string,
  onIntegers: (a: bigint, b: bigint) => bigint,
  onDoubles?: (a: number, b: number) => number,
): Overload[] {
  return [
    overload(`${id}_int64`, [intType, intType], intType, ([a, b]) => checkedInt(onIntegers(a, b))),
    overload(`${id}_uint64`, [uintType, uintType], uintType, ([a, b]) => checkedUint(onIntegers(a.value, b.value))),
    ...(onDoubles === undefined
      ? []
      : [overload(`${id}_double`, [doubleType, doubleType], doubleType, ([a, b]) => onDoubles(a, b))]),
  ];
}

/** Returns the overloads of an integer division, which fails for zero. */
function division(id: string, message: string, onIntegers: (a: bigint, b: bigint) => bigint): Overload[] {
  return [
    overload(`${id}_int64`, [intType, intType], intType, ([a, b]) => {
      if (b === 0n) return failure(message);
      // The least integer has no positive counterpart.
      return b === -1n && checkedInt(-a) !== -a ? failure('integer overflow') : onIntegers(a, b);
    }),
    overload(`${id}_uint64`, [uintType, uintType], uintType, ([a, b]) =>
      b.value === 0n ? failure(message) : new CelUint(onIntegers(a.value, b.value)),
    ),
  ];
}

const addition = declare(
  '_+_',
  ...arithmetic(
    'add',
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  overload(
    'add_string',
    [stringType, stringType],
    stringType,
    ([a, b], { meter }) => (meter.makeText(a.length + b.length), a + b),
    ([a, b]) => traversalCost(codePointCount(a) + codePointCount(b)),
  ),
  overload(
    'add_bytes',
    [bytesType, bytesType],
    bytesType,
    ([a, b], { meter }) => (meter.makeText(a.length + b.length), concatBytes([a, b])),
    ([a, b]) => traversalCost(a.length + b.length),
  ),
  overloadInSteps('add_list', [listType(A), listType(A)], listType(A), ([a, b], { meter }) =>
    a.plus === undefined
      ? sumOfLists(a, b, (count) => meter.makeItems(count))
      : a.plus(b, (units) => meter.step(units)),
  ),
  overload('add_duration_duration', [durationType, durationType], durationType, ([a, b]) =>
    checkedDuration(a.nanos + b.nanos),
  ),
  overload('add_duration_timestamp', [durationType, timestampType], timestampType, ([a, b]) =>
    checkedTimestamp(a.nanos + b.nanos, b.offsetMinutes),
  ),
  overload('add_timestamp_duration', [timestampType, durationType], timestampType, ([a, b]) =>
    checkedTimestamp(a.nanos + b.nanos, a.offsetMinutes),
  ),
);

const subtraction = declare(
  '_-_',
  ...arithmetic(
    'subtract',
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  overload('subtract_duration_duration', [durationType, durationType], durationType, ([a, b]) =>
    checkedDuration(a.nanos - b.nanos),
  ),
  overload('subtract_timestamp_duration', [timestampType, durationType], timestampType, ([a, b]) =>
    checkedTimestamp(a.nanos - b.nanos, a.offsetMinutes),
  ),
  overload('subtract_timestamp_timestamp', [timestampType, timestampType], durationType, ([a, b]) =>
    checkedDuration(a.nanos - b.nanos),
  ),
);

const equality = (name: string, id: string, whenEqual: boolean): FunctionDeclaration =>
  declare(name, {
    ...overload(
      id,
      [A, A],
      boolType,
      ([a, b], { meter }) => equalValues(a, b, meter) === whenEqual,
      ([a, b]) => traversalCost(smallerSize(a, b)),
    ),
    takesLong: ([a = null, b = null]) => hasParts(a) && hasParts(b),
    *steps([a = null, b = null], { meter }) {
      return (yield* equalInSteps(a, b, meter)) === whenEqual;
    },
  });

const orderedTypes: readonly (readonly [string, CelType])[] = [
  ['bool', boolType],
  ['int64', intType],
  ['uint64', uintType],
  ['double', doubleType],
  ['string', stringType],
  ['bytes', bytesType],
  ['timestamp', timestampType],
  ['duration', durationType],
];
const numericTypes = orderedTypes.slice(1, 4);

/** Returns the overloads of a comparison: values of one type, and numbers of two types. */
function comparison(name: string, id: string, holds: (order: number) => boolean): FunctionDeclaration {
  const compare = ([a, b]: readonly CelValue[]): CelResult => {
    const order = a === undefined || b === undefined ? undefined : compareValues(a, b);
    return order === undefined ? noSuchOverload() : holds(order);
  };
  const textCost = ([a, b]: readonly CelValue[]): number => traversalCost(smallerSize(a, b));
  return declare(
    name,
    ...orderedTypes.map(([suffix, type]) =>
      overload(
        `${id}_${suffix}`,
        [type, type],
        boolType,
        compare,
        type.kind === 'string' || type.kind === 'bytes' ? textCost : undefined,
      ),
    ),
    ...numericTypes.flatMap(([left, leftType]) =>
      numericTypes
        .filter(([right]) => right !== left)
        .map(([right, rightType]) => overload(`${id}_${left}_${right}`, [leftType, rightType], boolType, compare)),
    ),
  );
}

const membership = declare(
  '@in',
  overloadInSteps(
    'in_list',
    [A, listType(A)],
    boolType,
    ([value, list], { meter }) => hasItem(list, value, meter),
    ([, list]) => list.size,
  ),
  overload('in_map', [A, mapType(A, B)], boolType, ([key, map]) => map.get(key) !== undefined),
);

/** The call of an overload that the planner implements itself and never calls. */
export const planned = (): CelResult => noSuchOverload();

const logic: readonly FunctionDeclaration[] = [
  declare('_&&_', overload('logical_and', [boolType, boolType], boolType, planned)),
  declare('_||_', overload('logical_or', [boolType, boolType], boolType, planned)),
  declare('_?_:_', overload('conditional', [boolType, A, A], A, planned)),
  declare('@not_strictly_false', overload('not_strictly_false', [boolType], boolType, planned)),
  declare(
    '_[_]',
    overload('index_list', [listType(A), intType], A, planned),
    overload('index_map', [mapType(A, B), A], B, planned),
  ),
  declare(
    '!_',
    overload('logical_not', [boolType], boolType, ([value]) => !value),
  ),
];

/** The operators. */
export const operators: readonly FunctionDeclaration[] = [
  ...logic,
  addition,
  subtraction,
  declare(
    '_*_',
    ...arithmetic(
      'multiply',
      (a, b) => a * b,
      (a, b) => a * b,
    ),
  ),
  declare(
    '_/_',
    ...division('divide', 'division by zero', (a, b) => a / b),
    overload('divide_double', [doubleType, doubleType], doubleType, ([a, b]) => a / b),
  ),
  declare('_%_', ...division('modulo', 'modulus by zero', (a, b) => a % b)),
  declare(
    '-_',
    overload('negate_int64', [intType], intType, ([value]) => checkedInt(-value)),
    overload('negate_double', [doubleType], doubleType, ([value]) => -value),
  ),
  equality('_==_', 'equals', true),
  equality('_!=_', 'not_equals', false),
  comparison('_<_', 'less', (order) => order < 0),
  comparison('_<=_', 'less_equals', (order) => order <= 0),
  comparison('_>_', 'greater', (order) => order > 0),
  comparison('_>=_', 'greater_equals', (order) => order >= 0),
  membership,
];
