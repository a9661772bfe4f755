import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openSqliteStorage, type SqliteStorageOptions } from '../../src/storage/sqlite/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { everything } from '../storage/encrypted/configurations.js';
import { ManualClock } from '../storage/manual-clock.js';
import { DATA_FOLDER } from '../support/data-folder.js';

type Options = readonly [
  name: string,
  options: () => Promise<Pick<SqliteStorageOptions, 'encryption' | 'cacheObjects'>>,
];

const OPTIONS: readonly Options[] = [
  ['no encryption', async () => ({})],
  ...['aescbc', 'aesgcm', 'secretbox'].map((provider): Options => [
    provider,
    async () => ({ encryption: await everything(provider) }),
  ]),
  ['no texts in memory', async () => ({ cacheObjects: 0 })],
  ['the texts of a few objects in memory', async () => ({ cacheObjects: 400 })],
];

describe.each(OPTIONS)('storage contract: sqlite with %s', (_name, options) => {
  let directory = '';
  let stores = 0;
  beforeAll(() => {
    directory = mkdtempSync(join(DATA_FOLDER, 'orch-sqlite-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const cases = storageContract({
    async create() {
      const clock = new ManualClock();
      const storage = await openSqliteStorage({
        clock,
        path: join(directory, `${stores++}.db`),
        ...(await options()),
      });
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});
