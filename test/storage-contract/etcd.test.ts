import { afterAll, beforeAll, describe, it } from 'vitest';
import { decorateStorage, type StorageDecorator } from '../../src/entries/storage.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { everything } from '../storage/encrypted/configurations.js';
import { EtcdProcess, etcdVersion } from '../storage/etcd/etcd-process.js';
import { LeaseTime } from '../storage/etcd/lease-time.js';

// Each waits for an etcd of its own most of the time.
describe.skipIf(etcdVersion === undefined).concurrent.each<[string, StorageDecorator, string?]>([
  ['etcd with aesgcm', (engine) => engine, 'aesgcm'],
  ['etcd', (engine) => engine],
  ['etcd below a decorator', (engine) => decorateStorage(engine, {})],
])('storage contract: %s', (_, decorate, provider) => {
  let etcd: EtcdProcess;
  let stores = 0;

  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());

  const cases = storageContract({
    async create() {
      const time = new LeaseTime(etcd.url);
      const storage = decorate(
        await etcd.open({
          clock: time.clock,
          prefix: `/case-${(stores += 1)}`,
          watchCache: false,
          encryption: provider === undefined ? undefined : await everything(provider),
        }),
      );
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
  for (const contractCase of cases) it.sequential(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
});
