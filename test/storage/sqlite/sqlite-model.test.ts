import fc from 'fast-check';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { openSqliteStorage, type SqliteStorageOptions } from '../../../src/storage/sqlite/index.js';
import { compare, operations } from '../model-comparison.js';
import type { TestedEngine } from '../model-comparison.js';
import { copyStore, storeDirectory } from './store-directory.js';

function sqlite(directory: string, options: Pick<SqliteStorageOptions, 'cacheObjects'> = {}): TestedEngine {
  let stores = 0;
  return {
    synchronous: false,
    async open(clock, history) {
      const nextPath = (): string => join(directory, `${stores++}.db`);
      let path = nextPath();
      let storage = await openSqliteStorage({ path, clock, ...options, ...history });
      return {
        storage,
        async reopen(after) {
          const left = path;
          if (after === 'kill') copyStore(left, (path = nextPath()));
          await storage.close();
          storage = await openSqliteStorage({ path, clock, ...options, ...history });
          return storage;
        },
      };
    },
  };
}

describe('sqlite storage against the model', () => {
  it('agrees from an empty store, across restarts and crashes', async () => {
    const engine = sqlite(storeDirectory());
    await fc.assert(
      fc.asyncProperty(operations(100), (steps) => compare(engine, 0, steps)),
      { numRuns: 40 },
    );
  }, 300_000);

  it('agrees from a store with many keys, across restarts and crashes', async () => {
    const engine = sqlite(storeDirectory());
    await fc.assert(
      fc.asyncProperty(operations(100), (steps) => compare(engine, 600, steps)),
      { numRuns: 5 },
    );
  }, 300_000);

  it('agrees with the texts of a few objects in memory, across restarts and crashes', async () => {
    const engine = sqlite(storeDirectory(), { cacheObjects: 300 });
    await fc.assert(
      fc.asyncProperty(operations(100), (steps) => compare(engine, 0, steps)),
      { numRuns: 30 },
    );
  }, 300_000);

  it('agrees from a store with many keys and no texts in memory', async () => {
    const engine = sqlite(storeDirectory(), { cacheObjects: 0 });
    await fc.assert(
      fc.asyncProperty(operations(100), (steps) => compare(engine, 600, steps)),
      { numRuns: 3 },
    );
  }, 300_000);
});
