import { afterAll, beforeAll, describe, it } from 'vitest';
import { decorateStorage } from '../../src/entries/storage.js';
import { watchCache } from '../../src/storage/cached/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { LeaseTime } from '../storage/etcd/lease-time.js';
import { ManualClock } from '../storage/manual-clock.js';
import { filledCache } from '../support/filled-cache.js';

describe('storage contract: memory below a watch cache', () => {
  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      const { storage } = await filledCache(createMemoryStorage({ clock }), { clock });
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

describe('storage contract: memory below a watch cache that no server uses', () => {
  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      // Its indexes do not answer yet, and the suite asks only those that do.
      const storage = decorateStorage(watchCache({ clock })(createMemoryStorage({ clock })), { index: undefined });
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});

describe.skipIf(etcdVersion === undefined)('storage contract: etcd below a watch cache', () => {
  let etcd: EtcdProcess;
  let stores = 0;

  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());

  const cases = storageContract({
    async create() {
      const time = new LeaseTime(etcd.url);
      const { clock } = time;
      const engine = await etcd.open({ clock, prefix: `/case-${(stores += 1)}`, watchCache: false });
      const { storage } = await filledCache(engine, { clock });
      return {
        storage,
        advance: (ms) => time.advance(ms),
        close: async () => {
          await storage.close();
          await time.close();
        },
      };
    },
  });
  for (const contractCase of cases) it(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
});
