import { expect } from 'vitest';
import { PatchError } from '../../../src/machinery/patch/index.js';

/** Freezes a value deeply: any change throws. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** The error of a call. */
export function failureOf(call: () => unknown): PatchError {
  try {
    call();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Asserts that a call fails with a code and an exact reason. */
export function expectFailure(call: () => unknown, code: number, detail: string | RegExp): void {
  const error = failureOf(call);
  if (typeof detail === 'string') expect(error.detail).toBe(detail);
  else expect(error.detail).toMatch(detail);
  expect(error.code).toBe(code);
}
