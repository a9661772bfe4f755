/**
 * Estimated costs of functions whose cost depends on sizes: those of CEL by overload, those of the extension libraries
 * by function. All other calls cost 1. The numbers are those of Kubernetes 1.31.
 *
 * @module
 */
import {
  addBounds,
  exactly,
  multiplyBounds,
  scaleBounds,
  UNBOUNDED,
  unknownSize,
  type CostBounds,
} from '../cost/cost-bounds.js';
import type { CallEstimator, EstimatedOperand } from '../cost/estimate.js';
import { PATTERN_FACTOR, TRAVERSAL_FACTOR } from '../cost/meter.js';
import type { FunctionDeclaration, Overload } from '../types/declarations.js';

const ONE = exactly(1);
const NONE = exactly(0);

const sizeOf = (operand: EstimatedOperand | undefined): CostBounds => operand?.size ?? unknownSize;
/** Returns the cost of walking through a value of that size, `times` times. */
export const traversalBounds = (size: CostBounds, times = 1): CostBounds => scaleBounds(size, times * TRAVERSAL_FACTOR);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Cost of walking through one operand. */
const walking =
  (index: number): CallEstimator =>
  (operands) => ({ cost: traversalBounds(sizeOf(operands[index])) });

/** Cost of walking through a text; the result is as long as the text. */
export const textOfSameSize: CallEstimator = ([text]) => {
  const size = sizeOf(text);
  return { cost: traversalBounds(size), resultSize: size };
};

/** Cost of walking through a text once: parsing it, for example. */
export const textTraversal: CallEstimator = walking(0);

const added: CallEstimator = ([a, b]) => {
  const resultSize = addBounds(sizeOf(a), sizeOf(b));
  return { cost: traversalBounds(resultSize), resultSize };
};

/**
 * Values are compared up to the end of the shorter one. Quantities, addresses and other values of the extension types
 * have no known size, so that the estimate of comparing them has no bound, except for URLs of bounded texts.
 */
const compared: CallEstimator = ([a, b]) => {
  const max = smaller(sizeOf(a).max, sizeOf(b).max);
  return { cost: traversalBounds({ min: max > 0n ? 1n : 0n, max }) };
};

/** One is added to the length of the text: matching a pattern has a cost even when the text is empty. */
const patternCost = (text: EstimatedOperand | undefined, pattern: EstimatedOperand | undefined): CostBounds =>
  multiplyBounds(traversalBounds(addBounds(sizeOf(text), ONE)), scaleBounds(sizeOf(pattern), PATTERN_FACTOR));

const overloads: Readonly<Record<string, CallEstimator>> = {
  add_bytes: added,
  add_list: ([a, b]) => ({ cost: ONE, resultSize: addBounds(sizeOf(a), sizeOf(b)) }),
  add_string: added,
  bytes_to_string: ([bytes]) => {
    const { min, max } = sizeOf(bytes);
    return { cost: traversalBounds({ min, max }), resultSize: { min: min / 4n, max } };
  },
  contains_string: ([text, part]) => ({
    cost: multiplyBounds(traversalBounds(sizeOf(text)), traversalBounds(sizeOf(part))),
  }),
  ends_with_string: walking(1),
  equals: compared,
  greater_bytes: compared,
  greater_equals_bytes: compared,
  greater_equals_string: compared,
  greater_string: compared,
  in_list: ([, list]) => ({ cost: sizeOf(list) }),
  less_bytes: compared,
  less_equals_bytes: compared,
  less_equals_string: compared,
  less_string: compared,
  matches_string: ([text, pattern]) => ({ cost: patternCost(text, pattern) }),
  not_equals: compared,
  starts_with_string: walking(1),
  string_format: textTraversal,
  string_to_bytes: ([text]) => {
    const { min, max } = sizeOf(text);
    return { cost: traversalBounds({ min, max }), resultSize: { min, max: wrapped(max * 4n) } };
  },
  strings_quote: ([text]) => {
    const { min, max } = sizeOf(text);
    return { cost: traversalBounds({ min, max }), resultSize: { min: wrapped(min + 2n), max: wrapped(max * 2n + 2n) } };
  },
};

/** These sizes overflow in Kubernetes. */
const wrapped = (size: bigint): bigint => BigInt.asUintN(64, size);

/** Cost of comparing all items of a list, or of searching a text. */
const listOrText: CallEstimator = ([target]) => {
  if (target?.itemSize === undefined) return { cost: traversalBounds(sizeOf(target)) };
  const item = 'parameters' in target.type ? target.type.parameters[0]?.kind : undefined;
  const comparison = item === 'string' || item === 'bytes' ? addBounds(ONE, traversalBounds(target.itemSize)) : ONE;
  return { cost: multiplyBounds(target.size, comparison) };
};

const found: CallEstimator = ([text, pattern]) => ({
  cost: patternCost(text, pattern),
  // Every character may be a match of its own.
  resultSize: { min: 0n, max: sizeOf(text).max },
});

const split: CallEstimator = ([text, , limit]) => ({
  cost: traversalBounds(sizeOf(text), 2),
  // A negative limit means no limit.
  resultSize: {
    min: 0n,
    max: typeof limit?.literal === 'bigint' ? wrapped(limit.literal) : sizeOf(text).max,
  },
});

const join: CallEstimator = ([list, separator]) => {
  const { min, max } = sizeOf(list);
  const items = list?.itemSize === undefined ? NONE : multiplyBounds({ min, max }, list.itemSize);
  const separators = { min: min > 0n ? min - 1n : 0n, max: max > 0n ? max - 1n : 0n };
  const resultSize = separator === undefined ? items : addBounds(items, multiplyBounds(separator.size, separators));
  return { cost: traversalBounds(resultSize), resultSize };
};

/** Returns the number of parts of a length, rounded up. Kubernetes divides doubles. */
function partsIn(length: bigint, part: bigint): bigint {
  const count = Math.ceil(Number(length) / Number(part));
  return count >= 2 ** 64 ? UNBOUNDED : BigInt(count);
}

/** The extreme number of replacements, and the number of characters that stay. */
interface Replacements {
  readonly count: bigint;
  readonly kept: bigint;
}

/**
 * Returns the replacements for one bound of the length of a text.
 *
 * @param old the smallest possible replaced text for the longest result, the longest possible one for the shortest result
 * @param changes true when a replacement can make the result longer (or shorter)
 */
function replacements(length: bigint, old: bigint, changes: boolean): Replacements {
  // An empty text occurs before every character and at the end.
  if (old === 0n) return { count: smaller(length + 1n, UNBOUNDED), kept: length };
  return changes ? { count: partsIn(length, old), kept: 0n } : { count: 0n, kept: length };
}

const replace: CallEstimator = ([text, old, replacement]) => {
  const [size, oldSize, newSize] = [sizeOf(text), sizeOf(old), sizeOf(replacement)];
  const most = replacements(size.max, oldSize.min, newSize.max > oldSize.min);
  const least = replacements(size.min, oldSize.max, newSize.min < oldSize.max);
  const resultSize = addBounds(multiplyBounds({ min: least.count, max: most.count }, newSize), {
    min: least.kept,
    max: most.kept,
  });
  return { cost: traversalBounds(size, 2), resultSize };
};

const functions: Readonly<Record<string, CallEstimator>> = {
  find: found,
  findAll: found,
  indexOf: listOrText,
  isSorted: listOrText,
  join,
  lastIndexOf: listOrText,
  lowerAscii: textOfSameSize,
  max: listOrText,
  min: listOrText,
  replace,
  split,
  substring: textOfSameSize,
  sum: listOrText,
  trim: textOfSameSize,
  upperAscii: textOfSameSize,
};

/** Returns the functions with the estimates of this file. */
export const withEstimates = (declarations: readonly FunctionDeclaration[]): readonly FunctionDeclaration[] =>
  declarations.map(({ name, overloads: forms }) => ({ name, overloads: forms.map((form) => estimated(name, form)) }));

function estimated(name: string, form: Overload): Overload {
  const table = Object.hasOwn(functions, name) ? functions[name] : undefined;
  return { ...form, estimate: form.estimate ?? table ?? overloads[form.id] };
}
