import { describe, expect, test } from 'vitest';
import { encodeAt, parseRecord } from '../../src/registry/records/record-codec.js';
import { stampingEncoder } from '../../src/registry/records/stamped-text.js';
import type { ApiObject } from '../../src/foundation/objects/object.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ConfigMaps, configMap } from './registry.js';

const PREFIX = '{"kind":"ConfigMap","apiVersion":"v1",';

/** Returns the text of an object at a revision, and a copy of the object as the next write may change it. */
function stored(object: ApiObject, revision = 7): { readonly text: string; readonly copy: ApiObject } {
  const text = encodeAt(object, revision);
  return { text, copy: { ...object, metadata: { ...object.metadata } } };
}

const objects: Record<string, ApiObject> = {
  'a plain one': configMap('a', { data: { k: 'v' } }),
  'one without anything': { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} },
  'every member of the metadata': {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      generateName: 'a-',
      name: 'a-b',
      namespace: 'default',
      uid: '00000000-0000-4000-8000-000000000000',
      generation: 3,
      creationTimestamp: '2024-01-01T00:00:00Z',
      deletionTimestamp: '2024-01-01T00:00:00Z',
      labels: { resourceVersion: '7' },
      annotations: { 'a"resourceVersion': '7', resourceVersion: '7' },
      finalizers: ['example.com/a'],
    },
  },
  'characters above U+007F': configMap('a', { data: { text: 'Grüße, 世界, 🙂' } }),
  'the member in other places': configMap('a', { data: { resourceVersion: '7', metadata: '{"resourceVersion":"7"}' } }),
};

describe('a text at another revision', () => {
  test.each(Object.keys(objects))('is what an encoder writes: %s', (name) => {
    const { text, copy } = stored(objects[name] as ApiObject);
    const encode = stampingEncoder(copy, text, PREFIX.length);
    for (const revision of [8, 1_000_000, 9]) {
      const expected = encodeAt({ ...copy, metadata: { ...copy.metadata } }, revision);
      expect(encode?.(revision)).toBe(expected);
      expect(copy.metadata.resourceVersion).toBe(String(revision));
      expect(JSON.parse(expected)).toEqual(copy);
    }
  });

  test.each([
    ['a string with an escape before the version', `${PREFIX}"metadata":{"name":"a\\"b","resourceVersion":"7"}}`],
    ['another order', `${PREFIX}"metadata":{"labels":{"a":"b"},"resourceVersion":"7"}}`],
    ['spaces', `${PREFIX}"metadata": {"name": "a", "resourceVersion": "7"}}`],
    ['another version than the object', `${PREFIX}"metadata":{"resourceVersion":"6","resourceVersion":"7"}}`],
    ['no version', `${PREFIX}"metadata":{"name":"a"}}`],
  ])('is left to the encoder: %s', (_, text) => {
    const record = { key: 'k', text, modRevision: 7, createRevision: 7, decoded: undefined };
    expect(stampingEncoder(parseRecord(record) as ApiObject, text, PREFIX.length)).toBeUndefined();
  });
});

test('the last state of a removed object is its stored text at the revision of the delete', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  const { store, registry } = new ConfigMaps({ storage });
  const made = await store.create(registry.context, 'default', configMap('a', { data: { k: 'ä' } }));
  const { record, deleted } = await store.delete(registry.context, 'default', 'a');
  expect(deleted).toBe(true);
  expect(record.modRevision).toBe(made.modRevision + 1);
  expect(record.text).toBe(made.text.replace(`:"${made.modRevision}"`, `:"${record.modRevision}"`));
  expect(store.read(record)).toEqual(JSON.parse(record.text));
  expect(store.read(made).metadata.resourceVersion).toBe(String(made.modRevision));
});
