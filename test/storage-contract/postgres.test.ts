import { afterAll, beforeAll, describe, it } from 'vitest';
import { decorateStorage } from '../../src/entries/storage.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { openToRead, waysToRead } from '../storage/postgres/cold-storage.js';
import { DatabaseTime } from '../storage/postgres/database-time.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';

describe
  .skipIf(postgresPrograms === undefined)
  .each([
    ...waysToRead.map((way) => ({ ...way, name: 'PostgreSQL', isDecorated: false })),
    { ...waysToRead[0], name: 'PostgreSQL below a decorator', isDecorated: true },
  ])('storage contract: $name, $reads', ({ cacheObjects, isDecorated }) => {
  let postgres: PostgresProcess;
  let stores = 0;

  beforeAll(async () => {
    postgres = await PostgresProcess.start();
  });
  afterAll(() => postgres.remove());

  const cases = storageContract({
    async create() {
      const schema = `case_${(stores += 1)}`;
      const time = new DatabaseTime((text, values) => postgres.run(text, values), schema);
      const opened = await openToRead({ cacheObjects }, (given) =>
        postgres.open({ clock: time.clock, schema, ...given }),
      );
      const storage = isDecorated ? decorateStorage(opened, {}) : opened;
      return { storage, advance: (ms) => time.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
});
