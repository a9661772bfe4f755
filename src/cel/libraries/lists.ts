/**
 * Functions on lists: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`.
 *
 * @module
 */
import {
  declare,
  method,
  methodInSteps,
  type CelLibrary,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
} from '../declarations.js';
import { compareValues, equalInSteps } from '../equality.js';
import type { Steps } from '../../meta/work.js';
import { CelFailure, failure, noSuchOverload } from '../failures.js';
import { chargeWalk } from '../meter.js';
import { CelDuration, durationOf } from '../time-values.js';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
  type CelType,
} from '../types.js';
import { CelUint, type CelList, type CelValue } from '../values.js';
import { checkedInt, checkedUint } from './operators.js';

const A = typeParameter('A');

const comparableTypes: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

/** Items that are compared before a search may pause. */
const ITEMS_AT_ONCE = 64;

/** No cost before the call: `walking` charges every item by its size. */
const free = (): number => 0;

/** Returns the call, preceded by the charge for walking through its list. */
const walking =
  (call: (list: CelList) => CelResult) =>
  ([list]: readonly [CelList], { meter }: CelRuntime): CelResult => {
    chargeWalk(list, meter);
    return call(list);
  };

function isSorted(list: CelList): CelResult {
  for (let index = 1; index < list.size; index += 1) {
    const order = compareValues(list.at(index - 1), list.at(index));
    if (order === undefined) return noSuchOverload();
    if (order > 0) return false;
  }
  return true;
}

/** Returns the minimum (`sign` 1) or maximum (-1) of a list. */
function extreme(name: string, sign: number, list: CelList): CelResult {
  let found: CelValue | undefined;
  for (const item of list) {
    const order = found === undefined ? sign : compareValues(found, item);
    if (order === undefined) return noSuchOverload();
    if (order * sign > 0) found = item;
  }
  return found === undefined ? failure(`${name} called on empty list`) : found;
}

/** The addition of values of one type. */
interface Sum {
  readonly name: string;
  readonly type: CelType;
  readonly zero: CelValue;
  readonly add: (sum: CelValue, item: CelValue) => CelResult;
}

const sums: readonly Sum[] = [
  {
    name: 'int',
    type: intType,
    zero: 0n,
    add: (sum, item) =>
      typeof sum === 'bigint' && typeof item === 'bigint' ? checkedInt(sum + item) : noSuchOverload(),
  },
  {
    name: 'uint',
    type: uintType,
    zero: new CelUint(0n),
    add: (sum, item) =>
      sum instanceof CelUint && item instanceof CelUint ? checkedUint(sum.value + item.value) : noSuchOverload(),
  },
  {
    name: 'double',
    type: doubleType,
    zero: 0,
    add: (sum, item) => (typeof sum === 'number' && typeof item === 'number' ? sum + item : noSuchOverload()),
  },
  {
    name: 'duration',
    type: durationType,
    zero: new CelDuration(0n),
    add: (sum, item) =>
      sum instanceof CelDuration && item instanceof CelDuration
        ? (durationOf(sum.nanos + item.nanos) ?? failure('duration overflow'))
        : noSuchOverload(),
  },
];

function sum({ zero, add }: Sum, list: CelList): CelResult {
  let total: CelResult = zero;
  for (const item of list) {
    if (total instanceof CelFailure) return total;
    total = add(total, item);
  }
  return total;
}

function* indexOf(
  [list, value]: readonly [CelList, CelValue],
  { meter }: CelRuntime,
  order: 'first' | 'last',
): Steps<CelResult> {
  chargeWalk(list, meter);
  for (let step = 0; step < list.size; step += 1) {
    const index = order === 'first' ? step : list.size - 1 - step;
    if (yield* equalInSteps(list.at(index), value, meter)) return BigInt(index);
    if (step % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield;
  }
  return -1n;
}

const onComparables = (
  name: string,
  id: (type: string) => string,
  result: (type: CelType) => CelType,
  call: (list: CelList) => CelResult,
): FunctionDeclaration =>
  declare(
    name,
    ...comparableTypes.map(([typeName, type]) =>
      method(id(typeName), [listType(type)], result(type), walking(call), free),
    ),
  );

/** The list functions. */
export const listsLibrary: CelLibrary = {
  name: 'lists',
  functions: [
    onComparables(
      'isSorted',
      (type) => `list_${type}_is_sorted_bool`,
      () => boolType,
      isSorted,
    ),
    onComparables(
      'max',
      (type) => `list_${type}_max_${type}`,
      (type) => type,
      (list) => extreme('max', -1, list),
    ),
    onComparables(
      'min',
      (type) => `list_${type}_min_${type}`,
      (type) => type,
      (list) => extreme('min', 1, list),
    ),
    declare(
      'sum',
      ...sums.map((form) =>
        method(
          `list_${form.name}_sum_${form.name}`,
          [listType(form.type)],
          form.type,
          walking((list) => sum(form, list)),
          free,
        ),
      ),
    ),
    declare(
      'indexOf',
      methodInSteps(
        'list_a_index_of_int',
        [listType(A), A],
        intType,
        (args, runtime) => indexOf(args, runtime, 'first'),
        free,
      ),
    ),
    declare(
      'lastIndexOf',
      methodInSteps(
        'list_a_last_index_of_int',
        [listType(A), A],
        intType,
        (args, runtime) => indexOf(args, runtime, 'last'),
        free,
      ),
    ),
  ],
};
