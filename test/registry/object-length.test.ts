import { describe, expect, test } from 'vitest';
import type { ApiObject, StoredObject } from '../../src/foundation/objects/object.js';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import { MAX_OBJECT_CHARACTERS, refuseLongObject } from '../../src/registry/writes/object-length.js';

const objectOf = (...texts: string[]): ApiObject & StoredObject =>
  ({ kind: 'A', apiVersion: 'v1', metadata: { name: 'a' }, spec: { texts } }) as never;
const text = 'x'.repeat(MAX_OBJECT_CHARACTERS / 2);

describe('an object that grows too long', () => {
  test('is refused', () => {
    expect(() => refuseLongObject(objectOf(text, text), objectOf(text), UNBOUNDED_WORK)).toThrow(
      expect.objectContaining({ code: 413, message: 'Request entity too large: limit is 16777216' }),
    );
  });

  test('may stay as long as it is, and shrink', () => {
    expect(refuseLongObject(objectOf(text, text), objectOf(text, text), UNBOUNDED_WORK)).toBeUndefined();
    expect(refuseLongObject(objectOf(text, text), objectOf(text, text, text), UNBOUNDED_WORK)).toBeUndefined();
    expect(refuseLongObject(objectOf(text), objectOf(), UNBOUNDED_WORK)).toBeUndefined();
  });

  test('is refused for the members of an object in it', () => {
    const withKeys = (count: number): ApiObject & StoredObject =>
      ({
        ...objectOf(),
        spec: { keys: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])) },
      }) as never;
    const [few, most, more] = [withKeys(1), withKeys(100_000), withKeys(100_001)];
    expect(refuseLongObject(most, few, UNBOUNDED_WORK)).toBeUndefined();
    expect(refuseLongObject(more, more, UNBOUNDED_WORK)).toBeUndefined();
    expect(() => refuseLongObject(more, most, UNBOUNDED_WORK)).toThrow(
      expect.objectContaining({
        code: 413,
        message: 'Request entity too large: an object in it has more than 100000 members',
      }),
    );
  });

  test('is looked at in slices when it has many values', async () => {
    let waits = 0;
    const work: Work = {
      ...UNBOUNDED_WORK,
      spend: () => true,
      next: () => {
        waits += 1;
        return Promise.resolve();
      },
    };
    const many = objectOf(...Array.from({ length: 2_000 }, () => 'x'));
    await refuseLongObject(many, many, work);
    expect(waits).toBeGreaterThan(2_000);
    const long = objectOf(...Array.from({ length: 2_000 }, () => 'x'.repeat(10_000)));
    await expect(refuseLongObject(long, many, work)).rejects.toThrow('limit is 16777216');
  });
});
