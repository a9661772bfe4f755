/** The options of the engine in a file, which are checked before the file is touched. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

test.each([
  [{ historyMs: 5 }, 'openSqliteStorage: the option historyMs is history now'],
  [{ durability: 'most' }, 'openSqliteStorage: the option durability must be'],
  [{ driver: 'better' }, 'openSqliteStorage: the option driver must be'],
  [{ clock: undefined }, 'openSqliteStorage: the option clock is required'],
  [{ journal: true }, 'openSqliteStorage: unknown option "journal"'],
])('%j is refused', async (options, message) => {
  const path = join(storeDirectory(), 'store.db');
  const given = { path, clock: new ManualClock(), ...options } as never;
  await expect(openSqliteStorage(given)).rejects.toThrow(message);
  expect(existsSync(path)).toBe(false);
});
