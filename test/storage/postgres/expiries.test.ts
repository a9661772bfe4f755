import { expect, it } from 'vitest';
import { openPostgresStorage } from '../../../src/storage/postgres/index.js';
import { ManualClock } from '../manual-clock.js';
import { PglitePool } from './pglite-pool.js';

it('reads the expiries in pages, each key once', { timeout: 300_000 }, async () => {
  const pool = new PglitePool();
  const clock = new ManualClock();
  const storage = await openPostgresStorage({ pool, clock, watchCache: false, compactionInterval: 0 });
  const keys = Array.from({ length: 505 }, (_, index) => `/registry/a/${String(index).padStart(4, '0')}`);
  await Promise.all([
    ...keys.map((key) => storage.create(key, () => '{"metadata":{}}', { ttl: 3_600_000 })),
    storage.create('/registry/b/other', () => '{"metadata":{}}', { ttl: 3_600_000 }),
    storage.create('/registry/a/lasting', () => '{"metadata":{}}'),
  ]);
  expect([...(await storage.expiries('/registry/a/')).keys()]).toEqual(keys);
  expect((await storage.expiries()).size).toBe(keys.length + 1);
  await storage.close();
  await pool.close();
});
