import { describe, expect, test } from 'vitest';
import type { ApiObject, StoredObject } from '../../src/foundation/objects/object.js';
import { isUnchanged } from '../../src/registry/writes/shared-parts.js';

const objectOf = (): ApiObject & { metadata: { labels: object }; spec: Record<string, unknown> } => ({
  kind: 'Widget',
  apiVersion: 'v1',
  metadata: { name: 'x', labels: { a: '1', b: '2' } },
  spec: { list: [{ name: 'one' }, { name: 'two' }], size: 1 },
});

describe('the parts of a version', () => {
  test('are shared with the version before it where they have the same text', () => {
    const former = objectOf();
    const object = objectOf();
    object.spec['size'] = 2;
    const text = JSON.stringify(object);
    expect(isUnchanged(object, former as StoredObject, true)).toBe(false);
    expect(JSON.stringify(object)).toBe(text);
    expect(object.spec['list']).toBe(former.spec['list']);
    expect(object.metadata.labels).toBe(former.metadata.labels);
    expect(object.spec).not.toBe(former.spec);
  });

  test('keep the order of their members', () => {
    const former = objectOf();
    const object = objectOf();
    object.metadata.labels = { b: '2', a: '1' };
    const text = JSON.stringify(object);
    // The order means nothing, so the object is the same.
    expect(isUnchanged(object, former as StoredObject, true)).toBe(true);
    expect(JSON.stringify(object)).toBe(text);
  });

  test('are not shared by an object that may change', () => {
    const former = objectOf();
    const object = objectOf();
    const { spec } = object;
    const { list } = spec;
    expect(isUnchanged(object, former as StoredObject, false)).toBe(true);
    expect(object.spec).toBe(spec);
    expect(object.spec['list']).toBe(list);
  });

  test('keep lists that have changed', () => {
    const former = objectOf();
    const object = objectOf();
    const list = [{ name: 'one' }, { name: 'three' }];
    object.spec['list'] = list;
    expect(isUnchanged(object, former as StoredObject, true)).toBe(false);
    expect(object.spec['list']).toBe(list);
  });

  test('may be frozen, in both versions', () => {
    const former = objectOf();
    const object = objectOf();
    for (const one of [former.spec, former.metadata, object.spec]) Object.freeze(one);
    expect(isUnchanged(object, former as StoredObject, true)).toBe(true);
  });

  test('may have any name', () => {
    const former = { ...objectOf(), spec: JSON.parse('{"__proto__":{"a":1},"constructor":{"a":1}}') as object };
    const object = { ...objectOf(), spec: JSON.parse('{"__proto__":{"a":1},"constructor":{"a":2}}') as object };
    const text = JSON.stringify(object);
    expect(isUnchanged(object, former as StoredObject, true)).toBe(false);
    expect(JSON.stringify(object)).toBe(text);
    expect(Object.getPrototypeOf(object.spec)).toBe(Object.prototype);
  });
});
