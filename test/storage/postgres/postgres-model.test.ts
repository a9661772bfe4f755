import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { compare, operations, type TestedEngine } from '../model-comparison.js';
import type { Storage } from '../../../src/storage/storage.js';
import { coldStorage } from './cold-storage.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

describe.skipIf(postgresPrograms === undefined)('PostgreSQL storage against the model', () => {
  let postgres: PostgresProcess;
  let stores = 0;
  beforeAll(async () => {
    postgres = await PostgresProcess.start();
  });
  afterAll(() => postgres.remove());

  /** @param start opens a store */
  const engineOf = (start: (schema: string) => Promise<Storage>): TestedEngine => ({
    synchronous: false,
    timeless: true,
    async open() {
      const schema = `model_${(stores += 1)}`;
      let storage = await start(schema);
      return {
        storage,
        async reopen() {
          await storage.close();
          storage = await start(schema);
          return storage;
        },
      };
    },
  });
  const engine = engineOf((schema) => postgres.open({ schema }));
  const cold = engineOf((schema) =>
    coldStorage(300, (options) => postgres.open({ ...options, schema, maxCachedTextLength: 0 })),
  );

  it('agrees from an empty store, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(operations(80), (steps) => compare(engine, 0, steps)),
      { numRuns: 25 },
    );
  }, 300_000);

  it('agrees with few texts in memory, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(operations(80), (steps) => compare(cold, 20, steps)),
      { numRuns: 10 },
    );
  }, 300_000);

  it('agrees from a store with many keys, across restarts', async () => {
    await fc.assert(
      fc.asyncProperty(operations(80), (steps) => compare(engine, 600, steps)),
      { numRuns: 2 },
    );
  }, 300_000);
});
