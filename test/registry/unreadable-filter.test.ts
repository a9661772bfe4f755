import { expect, test } from 'vitest';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { unreadableFilter } from '../../src/registry/selection/record-filter.js';
import type { StorageRecord } from '../../src/storage/storage.js';
import { createRegistry } from './registry.js';

test.each([
  ['short', 10, true],
  ['long', 100_000, false],
])('finds a damaged record that is %s, and parses a readable one: %s characters, %s', (_name, length, isParsed) => {
  const store = createRegistry().store(ConfigMap);
  const found: string[] = [];
  const isUnreadable = unreadableFilter(store, ({ name }) => found.push(name));
  const record = (name: string, end: string): StorageRecord => ({
    ...{ key: store.info.key('default', name), modRevision: 1, createRevision: 1, decoded: undefined },
    text: `${store.typePrefix}"metadata":{"name":"${name}"},"data":{"a":"${'x'.repeat(length)}"${end}`,
  });
  const good = record('good', '}}');
  expect([isUnreadable(good), isUnreadable(record('cut', ''))]).toEqual([false, true]);
  expect(good.decoded !== undefined).toBe(isParsed);
  expect(found).toEqual(['cut']);
});
