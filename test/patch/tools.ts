import { expect } from 'vitest';
import { PatchError } from '../../src/patch/index.js';

/** Freezes a value and everything in it: a change then throws. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

/** The failure of a call. */
export function failureOf(call: () => unknown): PatchError {
  try {
    call();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** That a call fails with a code and a reason in full. */
export function expectFailure(call: () => unknown, code: number, detail: string | RegExp): void {
  const error = failureOf(call);
  if (typeof detail === 'string') expect(error.detail).toBe(detail);
  else expect(error.detail).toMatch(detail);
  expect(error.code).toBe(code);
}
