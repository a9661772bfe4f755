import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { isLargeWork, noteLength } from '../../src/foundation/json/large-value.js';
import { keysInSteps } from '../../src/foundation/collections/keys-in-steps.js';
import { partOf } from '../../src/foundation/work/work-part.js';
import { atOnce, UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';

const workOf = (): Work => ({ ...UNBOUNDED_WORK });

/** An object of many members that counts how often its keys are listed. */
function counting(size: number): { readonly object: JsonObject; readonly listed: () => number } {
  let listed = 0;
  const members = Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, index]));
  const object = new Proxy(members, { ownKeys: (target) => ((listed += 1), Reflect.ownKeys(target)) });
  return { object, listed: () => listed };
}

test('a large value is looked at once in a request', () => {
  const { object, listed } = counting(2_000);
  const work = workOf();
  expect([isLargeWork(work, object), isLargeWork(work, object), isLargeWork(partOf(work), object)]).toEqual([
    ...[true, true, true],
  ]);
  expect(listed()).toBe(1);
});

test('a request with a long text is taken for large without a look', () => {
  const { object, listed } = counting(2_000);
  const work = workOf();
  noteLength(work, 64 * 1024);
  expect(isLargeWork(work, object)).toBe(true);
  expect(listed()).toBe(0);
});

test('a small value is looked at once between the steps of a request, with its field ownership again', () => {
  const { object, listed } = counting(100);
  const work = workOf();
  expect([isLargeWork(work, object), isLargeWork(work, object)]).toEqual([false, false]);
  expect(listed()).toBe(1);
  expect(isLargeWork(work, object, true)).toBe(false);
  expect(listed()).toBe(2);
  expect(isLargeWork(work, { other: 1 })).toBe(false);
  expect(isLargeWork(work, object)).toBe(false);
  expect(listed()).toBe(3);
});

test('a value with long texts is large, whatever has them', () => {
  const text = 'x'.repeat(64 * 1024);
  for (const value of [text, [text], { a: text }, { [text]: 1 }, { a: { b: [text] } }])
    expect(isLargeWork(workOf(), value)).toBe(true);
  const half = 'x'.repeat(32 * 1024);
  expect(isLargeWork(workOf(), { a: half })).toBe(false);
  expect(isLargeWork(workOf(), { a: half, b: [half] })).toBe(true);
});

test('a small value does not make a request large, nor one without limits', () => {
  const work = workOf();
  noteLength(work, 64 * 1024 - 1);
  expect(isLargeWork(work, { a: 1 })).toBe(false);
  noteLength(UNBOUNDED_WORK, 64 * 1024);
  expect(isLargeWork(UNBOUNDED_WORK, counting(2_000).object)).toBe(true);
  expect(isLargeWork(UNBOUNDED_WORK, { a: 1 })).toBe(false);
});

test('the keys of a large object are listed with a pause behind them', () => {
  const { object } = counting(1_000);
  const steps = keysInSteps(object, { ...UNBOUNDED_WORK, spend: (units) => units >= 1_000 });
  expect(steps.next().done).toBe(false);
  expect(atOnce(keysInSteps(object, UNBOUNDED_WORK))).toHaveLength(1_000);
});
