import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { compare, operations, type TestedEngine } from '../model-comparison.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';

describe.skipIf(etcdVersion === undefined)('etcd storage against the model', () => {
  let etcd: EtcdProcess;
  let stores = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());

  const engine: TestedEngine = {
    synchronous: false,
    timeless: true,
    async open() {
      const prefix = `/model-${(stores += 1)}`;
      let storage = await etcd.open({ prefix });
      return {
        storage,
        async reopen() {
          await storage.close();
          storage = await etcd.open({ prefix });
          return storage;
        },
      };
    },
  };

  it('agrees from an empty store, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(operations(80), (steps) => compare(engine, 0, steps)),
      { numRuns: 25 },
    );
  }, 300_000);

  it('agrees from a store with many keys, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(operations(80), (steps) => compare(engine, 600, steps)),
      { numRuns: 2 },
    );
  }, 300_000);
});
