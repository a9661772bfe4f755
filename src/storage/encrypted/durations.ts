const exponential = (start: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => start * 2 ** index);

/** Bounds of the histogram of transformations of values, in seconds. */
export const TRANSFORMATION_SECONDS = exponential(5e-6, 25);
/** Bounds of the histogram of generations of data keys, in seconds. */
export const DATA_KEY_SECONDS = exponential(5e-6, 14);
/** Bounds of the histogram of calls to a key service, in seconds. */
export const KMS_SECONDS = exponential(0.0001, 20);
