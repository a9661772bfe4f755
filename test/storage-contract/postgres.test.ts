import { afterAll, beforeAll, describe, it } from 'vitest';
import { decorateStorage, type StorageDecorator } from '../../src/entries/storage.js';
import { storageContract } from '../../src/testing/storage-contract/index.js';
import { DatabaseTime } from '../storage/postgres/database-time.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';

describe.skipIf(postgresPrograms === undefined).each<[string, StorageDecorator]>([
  ['PostgreSQL', (engine) => engine],
  ['PostgreSQL below a decorator', (engine) => decorateStorage(engine, {})],
])('storage contract: %s', (_, decorate) => {
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
      const storage = decorate(await postgres.open({ clock: time.clock, schema, watchCache: false }));
      return { storage, advance: (ms) => time.advance(ms), close: () => storage.close() };
    },
  });
  for (const contractCase of cases) it(contractCase.name, { timeout: 30_000 }, () => contractCase.run());
});
