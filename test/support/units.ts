/**
 * Counts what code does, instead of the time it takes, so that a test gives the same result on every machine. Import
 * this module before those that it counts: it asks V8 to count the blocks of code that it compiles from then on.
 *
 * @module
 */
import { Session, type Profiler } from 'node:inspector';
import { expect } from 'vitest';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The counting itself is not counted. */
const OWN_NAME = '/test/support/units.ts';
/** A built-in function visits that many elements or characters in the time of a block, as `Work` in src/foundation/work counts. */
const VISITED_IN_A_UNIT = 16;
/** Elements and characters that built-in functions have visited: V8 counts only blocks of JavaScript. */
let visited = 0;

type Method = (this: unknown, ...given: unknown[]) => unknown;
/** The elements that a call visits, of the length of the list or text that it belongs to. */
type Cost = (length: number, given: readonly unknown[], result: unknown) => number;

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) || ArrayBuffer.isView(value)
    ? (value as unknown as { readonly length: number }).length
    : typeof value === 'object' && value !== null
      ? Reflect.ownKeys(value).length
      : 0;
const ofSelf: Cost = (length) => length;
const ofFirst: Cost = (_length, [first]) => lengthOf(first);
const ofSources: Cost = (_length, [, ...sources]) => sources.reduce<number>((sum, each) => sum + lengthOf(each), 0);
const ofResult: Cost = (_length, _given, result) => lengthOf(result);
/** A search begins at an index, and ends where it finds something. */
const ofSearch: Cost = (length, [, from = 0], result) =>
  Math.max(0, (typeof result === 'number' && result >= 0 ? result : length) - Number(from));
const ofSearchBack: Cost = (length, [, from = length], result) =>
  Math.max(0, Math.min(Number(from), length) - (typeof result === 'number' ? result : 0));
/** The elements behind the first index move. */
const ofMove: Cost = (length, [first = 0]) => length - Math.min(Number(first), length);

/** Built-in functions whose cost depends on a length, and the number of elements that a call visits. */
const builtins: readonly [owner: object, cost: Cost, names: readonly string[]][] = [
  [Array.prototype, ofSearch, ['indexOf', 'includes']],
  [Array.prototype, ofSearchBack, ['lastIndexOf']],
  [Array.prototype, ofMove, ['splice']],
  [Array.prototype, ofSelf, ['shift', 'unshift', 'join', 'reverse', 'fill', 'sort', 'copyWithin']],
  [Array.prototype, ofResult, ['slice', 'concat', 'flat', 'toSorted', 'toReversed', 'with', 'toSpliced']],
  [String.prototype, ofSearch, ['indexOf', 'includes']],
  [String.prototype, ofSearchBack, ['lastIndexOf']],
  [
    String.prototype,
    ofSelf,
    ['search', 'split', 'replace', 'replaceAll', 'match', 'normalize', 'toLowerCase', 'toUpperCase'],
  ],
  [String.prototype, ofResult, ['repeat', 'padStart', 'padEnd', 'concat']],
  [Object, ofFirst, ['freeze']],
  [Object, ofResult, ['keys', 'entries', 'values', 'getOwnPropertyNames', 'fromEntries']],
  [Object, ofSources, ['assign']],
  [JSON, ofFirst, ['parse']],
  [JSON, ofResult, ['stringify']],
  [TextEncoder.prototype, ofFirst, ['encode']],
  [TextDecoder.prototype, ofResult, ['decode']],
];

/** Spreads, loops over lists, `new Set(list)` and `Array.from` ask these for one element at a time once they are patched. */
const iterators: readonly object[] = [[], new Set(), new Map(), ''].map(
  (iterable) => Object.getPrototypeOf(iterable[Symbol.iterator]()) as object,
);

/** Replaces a method by one that counts its calls. Returns the function that restores it. */
function counting(owner: object, name: string, cost: Cost): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  if (descriptor === undefined) return () => undefined;
  const original = descriptor.value as Method;
  const counted: Method = function (...given) {
    // Before the call changes it.
    const length = typeof this === 'string' || Array.isArray(this) ? this.length : 0;
    const result = Reflect.apply(original, this, given);
    visited += cost(length, given, result);
    return result;
  };
  Object.defineProperty(owner, name, { ...descriptor, value: counted });
  return () => Object.defineProperty(owner, name, descriptor);
}

/** Makes an iterator count its elements. Returns the function that restores it. */
function countingElements(iterator: object): () => void {
  const next = Reflect.get(iterator, 'next') as Method;
  Object.defineProperty(iterator, 'next', {
    value(this: unknown) {
      visited += 1;
      return next.call(this);
    },
    configurable: true,
    writable: true,
  });
  return () => Object.defineProperty(iterator, 'next', { value: next });
}

function countBuiltins(): () => void {
  const restores = builtins.flatMap(([owner, cost, names]) => names.map((name) => counting(owner, name, cost)));
  for (const iterator of iterators) restores.push(countingElements(iterator));
  return () => restores.forEach((restore) => restore());
}

/** The number of blocks of JavaScript that have run since the previous call. V8 takes tens of milliseconds to tell. */
function executedBlocks(): number {
  let sum = 0;
  session.post('Profiler.takePreciseCoverage', (_error, { result }: Profiler.TakePreciseCoverageReturnType) => {
    // No loops by iterators: these may count elements.
    result.forEach(({ url, functions }) => {
      if (url.endsWith(OWN_NAME)) return;
      functions.forEach(({ ranges }) => ranges.forEach(({ count }) => (sum += count)));
    });
  });
  return sum;
}

/**
 * Counts the blocks of code that each of successive pieces of work runs, and what built-in functions visit. Copies of
 * objects by `{ ...object }` and regular expressions are not counted: V8 tells nothing of them.
 *
 * @param pieces the next one is asked for when the one before it is done
 */
export async function unitsOfEach(pieces: Iterable<() => unknown>): Promise<number[]> {
  const units: number[] = [];
  executedBlocks();
  const restore = countBuiltins();
  try {
    for (const piece of pieces) {
      visited = 0;
      await piece();
      const inBuiltins = visited / VISITED_IN_A_UNIT;
      units.push(Math.round(executedBlocks() + inBuiltins));
    }
  } finally {
    restore();
  }
  return units;
}

/** Counts the units of one piece of work, as {@link unitsOfEach} does. */
export async function unitsOf(run: () => unknown): Promise<number> {
  return (await unitsOfEach([run]))[0] ?? 0;
}

/** Prepares work of a given size, and returns the function that does it, as often as it is called. */
export type Sized = (size: number) => (() => unknown) | Promise<() => unknown>;

/** Growth of the cost at twice the size that still counts as proportional: sorting is allowed. */
export const PROPORTIONAL = 2.3;

/** Sizes to try, each twice the previous one: growth beyond proportion shows at every size, a change of method at one. */
const SIZES = 3;

/** Asserts that twice the size costs at most {@link PROPORTIONAL} times as many units. */
export async function expectProportional(sized: Sized, size: number, sizes = SIZES): Promise<void> {
  const [once, twice] = [await sized(size), await sized(2 * size)];
  // Code that is loaded, and results that are kept for the next call, are not counted.
  await once();
  await twice();
  const [onceUnits = 0, twiceUnits = 0] = await unitsOfEach([once, twice]);
  if (sizes > 1 && twiceUnits / onceUnits >= PROPORTIONAL) return expectProportional(sized, 2 * size, sizes - 1);
  expect(twiceUnits / onceUnits, `${size}: ${onceUnits} units, ${2 * size}: ${twiceUnits}`).toBeLessThan(PROPORTIONAL);
}
