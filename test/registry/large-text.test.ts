/** The text of a large object is made before its write, in the slices of the request. It is that of any other object. */
import { describe, expect, test } from 'vitest';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import type { ApiObject } from '../../src/foundation/objects/object.js';
import { encodeAt, ObjectTexts, transientRecord, transientRecordFor } from '../../src/registry/records/record-codec.js';

/** The work of a request, which pauses whenever it may. */
function pausingWork(): Work & { pauses: number } {
  return {
    ...UNBOUNDED_WORK,
    pauses: 0,
    spend: () => true,
    async next() {
      this.pauses += 1;
    },
  };
}

const data = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `v${index}`]));
const configMap = (name: string, members: Partial<ApiObject>): ApiObject => ({
  ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } },
  ...members,
});
const copyOf = (object: ApiObject): ApiObject => structuredClone(object);

const objects: Readonly<Record<string, ApiObject>> = {
  'many keys': configMap('a', { data: data(3_000) }),
  'many labels': configMap('a', { metadata: { name: 'a', labels: data(3_000) } }),
  'the member in other places': configMap('a"b\\é', {
    data: { ...data(3_000), resourceVersion: '7', metadata: '{"resourceVersion":"7"}' },
  }),
  'doubles that are written as integers': configMap('a', { data: data(3_000), big: [1e18, { deep: 2 ** 60 }] }),
  'managed fields': configMap('a', {
    metadata: {
      name: 'a',
      resourceVersion: '7',
      managedFields: [{ manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } }],
    },
    data: data(3_000),
  }),
};

describe('the text of a large object', () => {
  test.each(Object.keys(objects))('is that of a small one: %s', async (name) => {
    const object = objects[name] as ApiObject;
    const [small, large] = [copyOf(object), copyOf(object)];
    const work = pausingWork();
    const encode = await new ObjectTexts().encoderFor(large, work);
    expect(work.pauses).toBeGreaterThan(0);
    const before = work.pauses;
    for (const revision of [0, 12, 1_000_000]) {
      expect(encode(revision)).toBe(encodeAt(small, revision));
      expect(large).toEqual(small);
    }
    expect(work.pauses).toBe(before);
  });

  test.each(Object.keys(objects))('is made in slices for a response without a write: %s', async (name) => {
    for (const revision of [0, 7]) {
      const object = objects[name] as ApiObject;
      const record = await transientRecordFor(pausingWork(), 'k', copyOf(object), revision);
      const expected = transientRecord('k', copyOf(object), revision);
      expect(record.text).toBe(expected.text);
      expect(record.modRevision).toBe(expected.modRevision);
    }
  });

  test('is made at once for a small object, and without the work of a request', () => {
    const texts = new ObjectTexts();
    expect(texts.encoderFor(configMap('a', { data: data(10) }), pausingWork())).toBeTypeOf('function');
    expect(texts.encoderFor(configMap('a', { data: data(3_000) }), undefined)).toBeTypeOf('function');
    expect(texts.encoderFor(configMap('a', { data: data(3_000) }), UNBOUNDED_WORK)).toBeTypeOf('function');
  });
});
