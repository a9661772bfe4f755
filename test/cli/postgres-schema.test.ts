import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../../src/testing/storage-contract/fixture.js';
import { PostgresProcess, postgresPrograms } from '../storage/postgres/postgres-process.js';
import { command } from './stores.js';

test('a name that is not one of a schema is refused', async () => {
  expect(await command(['postgres-schema', '--postgres-schema=A b'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/--postgres-schema: must be a name of lower-case letters/) as string,
  });
});

describe.skipIf(postgresPrograms === undefined)('the SQL of a store in PostgreSQL', { timeout: 120_000 }, () => {
  let postgres: PostgresProcess;
  beforeAll(async () => {
    postgres = await PostgresProcess.start();
  });
  afterAll(() => postgres.remove());

  test('lets a role use a store that it may not make', async () => {
    await postgres.run('CREATE ROLE "the-servers" LOGIN');
    const url = postgres.url.replace('//orch@', '//the-servers@');
    for (const createTables of [true, false])
      await expect(postgres.open({ url, createTables })).rejects.toThrow(
        'let its owner run what "orch-apiserver postgres-schema" prints',
      );
    const { code, out } = await command(['postgres-schema', '--role=the-servers']);
    expect(code).toBe(0);
    // Also when it is run again.
    for (let round = 0; round < 2; round += 1) await postgres.run(out);
    for (const createTables of [true, false]) {
      const storage = await postgres.open({ url, createTables });
      const key = `/registry/samples/${createTables}`;
      const { modRevision } = await storage.create(key, sample('x'));
      const updated = await storage.update(key, sample('y'), modRevision, { ttl: 60_000 });
      expect((await storage.list('/registry/samples/')).records.map(({ key: found }) => found)).toContain(key);
      await storage.pingWrites?.();
      await storage.compact(updated.modRevision);
      await storage.close();
    }
    await expect(postgres.run(`SET ROLE "the-servers"; CREATE TABLE orch.another (id integer)`)).rejects.toThrow(
      'permission denied',
    );
  });
});
