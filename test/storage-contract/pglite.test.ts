import { afterAll, beforeAll, describe, it } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { everything } from '../storage/encrypted/configurations.js';
import { coldStorage } from '../storage/postgres/cold-storage.js';
import { DatabaseTime } from '../storage/postgres/database-time.js';
import { PglitePool } from '../storage/postgres/pglite-pool.js';

describe.each([
  ['no encryption', undefined],
  ['aesgcm', undefined],
  ['no encryption', 0],
  ['aesgcm', 400],
])('storage contract: PostgreSQL in this process (PGlite) with %s, texts in memory: %s', (provider, cacheObjects) => {
  let pool: PglitePool;
  let stores = 0;
  beforeAll(async () => {
    pool = new PglitePool();
    // Compiling it takes longer than a case.
    await pool.run('SELECT 1', []);
  }, 300_000);
  afterAll(() => pool.close());

  const cases = storageContract({
    async create() {
      const schema = `case_${(stores += 1)}`;
      const time = new DatabaseTime((text, values) => pool.run(text, values), schema);
      const { clock } = time;
      const encryption = provider === 'no encryption' ? undefined : await everything(provider);
      const options = { pool, clock, schema, compactionInterval: 0, encryption };
      const storage =
        cacheObjects === undefined
          ? await openPostgresStorage({ ...options, watchCache: false })
          : await coldStorage(cacheObjects, (cold) => openPostgresStorage({ ...options, ...cold }));
      return { storage, advance: (ms) => time.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
});
