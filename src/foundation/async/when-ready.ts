const VALUE = Symbol('value');

/** A promise that tells a value that was there when it was made. */
interface ReadyPromise<Value> extends Promise<Value> {
  [VALUE]?: Value | undefined;
}

/**
 * Returns a promise of a value that is there already. Whoever asks with {@link readyValue} need not wait for it: several
 * promises in a row, each of which takes a turn of the queue of microtasks, cost more than what most requests do.
 */
export function readyPromise<Value extends object>(value: Value): Promise<Value> {
  const promise: ReadyPromise<Value> = Promise.resolve(value);
  promise[VALUE] = value;
  return promise;
}

/** Returns the value of a {@link readyPromise}; undefined for any other promise, which has to be awaited. */
export function readyValue<Value>(promise: Promise<Value>): Value | undefined {
  const ready: ReadyPromise<Value> = promise;
  return ready[VALUE];
}

/** Returns a promise of what the work returns at once. It rejects with what the work throws. */
export function promised<Value extends object>(work: () => Value): Promise<Value> {
  try {
    return readyPromise(work());
  } catch (error) {
    return rejected(error);
  }
}

/** Returns a promise that rejects with anything that was thrown. */
export async function rejected(thrown: unknown): Promise<never> {
  throw thrown;
}

/** Applies a function to a value, synchronously unless the value is a promise that has to be awaited. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  if (!(value instanceof Promise)) return next(value);
  const known = readyValue(value);
  return known === undefined ? value.then(next) : next(known);
}
