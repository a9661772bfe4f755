/** The text of a review is that of the whole, and the text of a large object in it is made in pieces. */
import { expect, test } from 'vitest';
import { ReviewTexts } from '../../../src/admission/webhook/sent-review.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';

interface Counted extends Work {
  pauses: number;
  reserved: number;
}

/** Work that pauses whenever it may. */
const countedWork = (): Counted => ({
  ...UNBOUNDED_WORK,
  ...{ pauses: 0, reserved: 0 },
  spend: () => true,
  next() {
    this.pauses += 1;
    return Promise.resolve();
  },
  reserve(bytes) {
    this.reserved += bytes;
  },
});

const mapOf = (size: number): JsonObject =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, { text: 'é世\n', index }]));
const reviewOf = (object: JsonObject, oldObject: JsonObject): JsonObject => ({
  kind: 'AdmissionReview',
  request: { uid: 'a', object, oldObject, dryRun: false },
});

test.each([5, 20_000])('an object of %d items', async (size) => {
  const review = reviewOf(mapOf(size), mapOf(1));
  const work = countedWork();
  const text = await new ReviewTexts().of(review, work);
  expect(JSON.parse(text)).toEqual(review);
  expect(work.reserved).toBeGreaterThan(JSON.stringify(review).length / 2);
});

test('pauses grow with the object, and a second webhook has none', async () => {
  const pausesOf = async (size: number): Promise<readonly [first: number, second: number]> => {
    const review = reviewOf(mapOf(size), mapOf(1));
    const work = countedWork();
    const texts = new ReviewTexts();
    await texts.of(review, work);
    const first = work.pauses;
    await texts.of(review, work);
    return [first, work.pauses - first];
  };
  const [small] = await pausesOf(10);
  const [large, again] = await pausesOf(20_000);
  expect(small).toBeLessThan(4);
  expect(large).toBeGreaterThan(50);
  expect(again).toBe(0);
});
