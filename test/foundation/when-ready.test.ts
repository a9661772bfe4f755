import { describe, expect, test } from 'vitest';
import { promised, readyPromise, readyValue, rejected, whenReady } from '../../src/foundation/async/when-ready.js';

describe('a promise of a value that is there', () => {
  test('is a promise, and tells the value', async () => {
    const value = { a: 1 };
    const promise = readyPromise(value);
    expect(promise).toBeInstanceOf(Promise);
    expect(readyValue(promise)).toBe(value);
    expect(await promise).toBe(value);
  });

  test('is told from one that has to be awaited, even when that has settled', async () => {
    const settled = Promise.resolve({ a: 1 });
    await settled;
    expect(readyValue(settled)).toBeUndefined();
  });

  test('has the result of work, or rejects with what it throws', async () => {
    const result = { a: 1 };
    expect(readyValue(promised(() => result))).toBe(result);
    const failing = promised((): object => {
      throw new RangeError('no');
    });
    expect(readyValue(failing)).toBeUndefined();
    await expect(failing).rejects.toThrow(RangeError);
    await expect(rejected('anything')).rejects.toBe('anything');
  });
});

describe('what follows a value', () => {
  const double = ({ a }: { a: number }) => 2 * a;

  test('is done at once when the value is there', () => {
    expect(whenReady({ a: 2 }, double)).toBe(4);
    expect(whenReady(readyPromise({ a: 2 }), double)).toBe(4);
  });

  test('waits for a value that is not', async () => {
    const later = whenReady(Promise.resolve({ a: 2 }), double);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(4);
  });
});
