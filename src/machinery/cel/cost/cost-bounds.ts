/**
 * Bounds of costs and sizes that are estimated before an evaluation, with the arithmetic of Kubernetes: results stop at
 * 2^64 - 1.
 *
 * @module
 */

/** The least and the greatest possible cost or size, from 0 to {@link UNBOUNDED}. */
export interface CostBounds {
  readonly min: bigint;
  readonly max: bigint;
}

/** The bound of a cost or size that has no limit: 2^64 - 1. */
export const UNBOUNDED = 2n ** 64n - 1n;

/** Bounds of a size about which nothing is known. */
export const unknownSize: CostBounds = Object.freeze({ min: 0n, max: UNBOUNDED });

const TWO_TO_64 = 2 ** 64;

/** Returns a cost or size that is known exactly. */
export const exactly = (value: bigint | number): CostBounds => ({ min: BigInt(value), max: BigInt(value) });

const limited = (value: bigint): bigint => (value > UNBOUNDED ? UNBOUNDED : value);

/** Returns the sum. */
export const addBounds = (a: CostBounds, b: CostBounds): CostBounds => ({
  min: limited(a.min + b.min),
  max: limited(a.max + b.max),
});

/** Returns the product. */
export const multiplyBounds = (a: CostBounds, b: CostBounds): CostBounds => ({
  min: limited(a.min * b.min),
  max: limited(a.max * b.max),
});

/** Returns the bounds times a factor, rounded up to integers. */
export const scaleBounds = ({ min, max }: CostBounds, factor: number): CostBounds => ({
  min: scaled(min, factor),
  max: scaled(max, factor),
});

/** Kubernetes multiplies doubles: large results have the same rounding errors here. */
function scaled(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= TWO_TO_64 ? UNBOUNDED : BigInt(product);
}

/** Returns the bounds that include both. */
export const uniteBounds = (a: CostBounds, b: CostBounds): CostBounds => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});
