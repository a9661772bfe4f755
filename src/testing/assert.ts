/**
 * The assertions of the suites, which depend on no test framework.
 *
 * @module
 */
import { jsonText } from '../foundation/index.js';
import { StorageError, type StorageErrorCode } from '../storage/index.js';

function show(value: unknown): string {
  const text = jsonText(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}

/** Checks that a condition holds. */
export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`${what}: does not hold`);
}

/** Checks that two values are the same; objects are compared by their JSON. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  if (Object.is(actual, expected)) return;
  if (typeof actual === 'object' && typeof expected === 'object' && jsonText(actual) === jsonText(expected)) return;
  throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
}

/** Returns a value that must not be undefined. */
export function defined<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`${what}: expected a value, got undefined`);
  return value;
}

/** Returns the error of an operation that must fail with a {@link StorageError} of a code. */
export async function refused(
  operation: Promise<unknown>,
  code: StorageErrorCode,
  what: string,
): Promise<StorageError> {
  let outcome: unknown;
  try {
    outcome = await operation;
  } catch (error) {
    if (!(error instanceof StorageError))
      throw new Error(`${what}: expected a StorageError ${code}, got ${String(error)}`, { cause: error });
    equal(error.code, code, `${what}: code of the refusal`);
    return error;
  }
  throw new Error(`${what}: expected a StorageError ${code}, but it succeeded with ${show(outcome)}`);
}
