import { describe, it } from 'vitest';
import type { Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { BaseRecords, layeredStorage, limitedStorage, partitionOf, StoreUsage } from '../../src/storage/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { ManualClock } from '../storage/manual-clock.js';

const NO_LIMITS = { objects: Infinity, bytes: Infinity, collections: new Map() };

async function limited(inner: Storage): Promise<Storage> {
  const usage = new StoreUsage(inner);
  await usage.start();
  return limitedStorage(inner, usage, () => NO_LIMITS);
}

describe.each<[string, (inner: Storage) => Promise<Storage>]>([
  ['a part of a store', async (inner) => partitionOf(inner, '/w/0123')],
  ['a part of a store with limits', async (inner) => limited(partitionOf(inner, '/w/0123'))],
  [
    'a part of a store above an empty base',
    async (inner) => layeredStorage(partitionOf(inner, '/w/0123'), new BaseRecords([])),
  ],
])('storage contract: %s', (_, partOf) => {
  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      const engine = createMemoryStorage({ clock });
      const storage = await partOf(engine);
      const close = (): Promise<void> => storage.close().then(() => engine.close());
      return { storage, advance: async (ms) => clock.advance(ms), close };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});
