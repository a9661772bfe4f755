import { afterAll, beforeAll, describe, it } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { everything } from '../storage/encrypted/configurations.js';
import { DatabaseTime } from '../storage/postgres/database-time.js';
import { PglitePool } from '../storage/postgres/pglite-pool.js';

describe.each(['no encryption', 'aesgcm'])(
  'storage contract: PostgreSQL in this process (PGlite) with %s',
  (provider) => {
    let pool: PglitePool;
    let stores = 0;
    beforeAll(() => {
      pool = new PglitePool();
    });
    afterAll(() => pool.close());

    const cases = storageContract({
      async create() {
        const schema = `case_${(stores += 1)}`;
        const time = new DatabaseTime((text, values) => pool.run(text, values), schema);
        const { clock } = time;
        const encryption = provider === 'no encryption' ? undefined : await everything(provider);
        const storage = await openPostgresStorage({
          pool,
          clock,
          schema,
          watchCache: false,
          compactionInterval: 0,
          encryption,
        });
        return { storage, advance: (ms) => time.advance(ms), close: () => storage.close() };
      },
    });
    for (const contractCase of cases) it(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
  },
);
