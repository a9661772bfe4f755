/**
 * Functions on lists: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { chargeWalk } from '../cost/meter.js';
import { compareValues, equalInSteps } from '../evaluate/equality.js';
import { CelFailure, failure, noSuchOverload } from '../evaluate/failures.js';
import { CelDuration, durationOf } from '../evaluate/time-values.js';
import { CelUint, type CelList, type CelValue } from '../evaluate/values.js';
import {
  declare,
  methodInSteps,
  type CelLibrary,
  type CelResult,
  type CelRuntime,
  type FunctionDeclaration,
} from '../types/declarations.js';
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
} from '../types/types.js';
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

/** Work of comparing an item in a search, beyond the charge for it. */
const ITEM_WORK = 1;

/** No cost before the call: the call charges every item by its size. */
const free = (): number => 0;

/** A walk through a list: it has its result when it has visited all items. */
interface Walk {
  visit(item: CelValue): void;
  result(): CelResult;
}

/** Returns the call that walks through its list. It may pause between the items, and charges for all of them. */
const walking = (begin: () => Walk) =>
  function* ([list]: readonly [CelList], { meter }: CelRuntime): Steps<CelResult> {
    const walk = begin();
    for (const item of list) {
      yield* chargeWalk(item, meter);
      walk.visit(item);
      if (meter.mayPause()) yield;
    }
    return walk.result();
  };

function sorting(): Walk {
  let previous: CelValue | undefined;
  let result: CelResult = true;
  return {
    visit(item) {
      if (previous !== undefined && result === true) {
        const order = compareValues(previous, item);
        result = order === undefined ? noSuchOverload() : order <= 0;
      }
      previous = item;
    },
    result: () => result,
  };
}

/** Returns the search for the minimum (`sign` 1) or maximum (-1) of a list. */
function extreme(name: string, sign: number): Walk {
  let found: CelResult | undefined;
  return {
    visit(item) {
      if (found instanceof CelFailure) return;
      const order = found === undefined ? sign : compareValues(found, item);
      if (order === undefined) found = noSuchOverload();
      else if (order * sign > 0) found = item;
    },
    result: () => found ?? failure(`${name} called on empty list`),
  };
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

function adding({ zero, add }: Sum): Walk {
  let total: CelResult = zero;
  return {
    visit(item) {
      if (!(total instanceof CelFailure)) total = add(total, item);
    },
    result: () => total,
  };
}

function* indexOf(
  [list, value]: readonly [CelList, CelValue],
  { meter }: CelRuntime,
  order: 'first' | 'last',
): Steps<CelResult> {
  yield* chargeWalk(list, meter);
  for (let step = 0; step < list.size; step += 1) {
    const index = order === 'first' ? step : list.size - 1 - step;
    if (meter.step(ITEM_WORK)) yield;
    if (yield* equalInSteps(list.at(index), value, meter)) return BigInt(index);
  }
  return -1n;
}

const onComparables = (
  name: string,
  id: (type: string) => string,
  result: (type: CelType) => CelType,
  begin: () => Walk,
): FunctionDeclaration =>
  declare(
    name,
    ...comparableTypes.map(([typeName, type]) =>
      methodInSteps(id(typeName), [listType(type)], result(type), walking(begin), free),
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
      sorting,
    ),
    onComparables(
      'max',
      (type) => `list_${type}_max_${type}`,
      (type) => type,
      () => extreme('max', -1),
    ),
    onComparables(
      'min',
      (type) => `list_${type}_min_${type}`,
      (type) => type,
      () => extreme('min', 1),
    ),
    declare(
      'sum',
      ...sums.map((form) =>
        methodInSteps(
          `list_${form.name}_sum_${form.name}`,
          [listType(form.type)],
          form.type,
          walking(() => adding(form)),
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
