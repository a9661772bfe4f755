/** The cost of the text of many integers beyond a double. */
import { unitsOf } from '../support/units.js';
import { expect, test } from 'vitest';
import { JsonTextSteps } from '../../src/foundation/json/json-text-steps.js';
import { hasBigIntegers } from '../../src/foundation/json/json-text.js';
import type { JsonValue } from '../../src/foundation/json/json.js';
import { atOnce, UNBOUNDED_WORK } from '../../src/foundation/work/work.js';

const COUNT = 5_000;

test.each<[string, JsonValue]>([
  ['members', Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`k${index}`, 2n ** 60n]))],
  ['items', Array.from({ length: COUNT }, () => [2n ** 60n])],
])('the text of many integers beyond a double is made in time that their text takes: %s', async (_name, value) => {
  const text = new JsonTextSteps(UNBOUNDED_WORK);
  const units = await unitsOf(() => atOnce(text.value(value)));
  expect(text.hasBigIntegers).toBe(true);
  expect(units / COUNT).toBeLessThan(200);
});

test('integers are looked for to the end of a text', async () => {
  const text = String(2n ** 60n);
  expect(await unitsOf(() => expect(hasBigIntegers(text)).toBe(true))).toBeLessThan(500);
});
