/** Settings of a database that could make the engine wrong: it refuses them, or says that an outcome is unknown. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sample } from '../../../src/testing/storage-contract/fixture.js';
import { PATIENCE } from '../../support/patience.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const KEY = '/registry/samples/a';

describe.skipIf(postgresPrograms === undefined)('a PostgreSQL', { timeout: 300_000 }, () => {
  let postgres: PostgresProcess;
  beforeAll(async () => {
    postgres = await PostgresProcess.start();
  }, 300_000);
  afterAll(() => postgres.remove());

  const urlOf = (database: string, setting = ''): string => {
    const url = new URL(postgres.url);
    url.pathname = `/${database}`;
    return setting === '' ? url.href : `${url.href}?options=${encodeURIComponent(`-c ${setting}`)}`;
  };

  test('with another encoding than UTF8 is refused, and left as it is', async () => {
    await postgres.run(`CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    await expect(postgres.open({ url: urlOf('latin') })).rejects.toThrow(
      'the encoding of the database must be UTF8, not LATIN1',
    );
  });

  test('whose transactions are isolated in another way takes no writes', async () => {
    await (await postgres.open({ schema: 'isolated' })).close();
    const url = urlOf('postgres', 'default_transaction_isolation=serializable');
    const storage = await postgres.open({ url, schema: 'isolated' });
    await expect(storage.create(KEY, sample('x'))).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(
        /has not taken effect.*isolation of transactions must be read committed/,
      ) as string,
    });
    expect((await storage.get(KEY)).record).toBeUndefined();
    await storage.close();
  });

  test('of which somebody ends the wait for a synchronous standby: the outcome of the write is unknown', async () => {
    const storage = await postgres.open({ schema: 'waiting' });
    await postgres.waitFor('nobody');
    const outcome = storage.create(KEY, sample('x')).then(
      () => 'acknowledged',
      (error: unknown) => String(error),
    );
    const waits = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'orch-apiserver'`;
    await vi.waitFor(async () => expect(await postgres.run(`SELECT 1 ${waits}`)).toHaveLength(1), PATIENCE);
    await postgres.run(`SELECT pg_cancel_backend(pid) ${waits}`);
    // The primary has it, and may be replaced by a standby that has not.
    expect(await outcome).toMatch(
      /the outcome of the write is unknown: the wait for a synchronous standby was cancelled/,
    );
    await postgres.run(`ALTER SYSTEM RESET synchronous_standby_names`);
    await postgres.run('SELECT pg_reload_conf()');
    await storage.create('/registry/samples/b', sample('y'));
    expect((await storage.list('/registry/samples/')).records.map(({ key }) => key)).toEqual([
      KEY,
      '/registry/samples/b',
    ]);
    await storage.close();
  });
});
