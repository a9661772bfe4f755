/** A part of a store whose texts are in memory only while they are used. */
import { expect, it } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { decorateStorage, partitionOf } from '../../../src/storage/index.js';
import type { Storage, StorageRecord } from '../../../src/storage/storage.js';
import { ManualClock } from '../manual-clock.js';

/** Returns a store that counts how often a text is read, as one does that has it in a file. */
function coldStorage(inner: Storage): { cold: Storage; read: () => number } {
  let read = 0;
  const cold = (record: StorageRecord): StorageRecord => ({
    ...record,
    textLength: record.text.length,
    get text() {
      read += 1;
      return record.text;
    },
  });
  return {
    cold: decorateStorage(inner, {
      list: async (...given) => {
        const page = await inner.list(...given);
        return { ...page, records: page.records.map(cold) };
      },
    }),
    read: () => read,
  };
}

it('leaves the texts of its records in the file until somebody reads them', async () => {
  const engine = createMemoryStorage({ clock: new ManualClock() });
  const { cold, read } = coldStorage(engine);
  const part = partitionOf(cold, '/w/0');
  await part.create('/registry/a', () => '{"kind":"A"}');
  const [record] = (await part.list('/registry/')).records;
  expect(record).toMatchObject({ key: '/registry/a', textLength: 12 });
  expect(read()).toBe(0);
  expect([record?.text, record?.text]).toEqual(['{"kind":"A"}', '{"kind":"A"}']);
  expect(read()).toBe(2);
});
