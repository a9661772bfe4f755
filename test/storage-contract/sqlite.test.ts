import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { everything } from '../storage/encrypted/configurations.js';
import { ManualClock } from '../storage/manual-clock.js';
import { DATA_FOLDER } from '../support/data-folder.js';

describe.each(['no encryption', 'aescbc', 'aesgcm', 'secretbox'])('storage contract: sqlite with %s', (provider) => {
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
        encryption: provider === 'no encryption' ? undefined : await everything(provider),
      });
      return { storage, advance: async (ms) => clock.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, () => contractCase.run());
});
