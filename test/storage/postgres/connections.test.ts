/** A PostgreSQL that has no connection left: `too many connections` (53300). */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { silentLogger } from '../../../src/foundation/index.js';
import type { PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { ask, jsonOf } from '../../server/ask.js';
import { PATIENCE } from '../../support/patience.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

/** Connections of users who are not superusers. */
const CONNECTIONS = 12;
const OWN = `application_name = 'orch-apiserver'`;
const TOO_MANY = /PostgreSQL cannot be reached: .*(too many clients|remaining connection slots)/;

describe.skipIf(postgresPrograms === undefined)('a PostgreSQL without a free connection', { timeout: 300_000 }, () => {
  let postgres: PostgresProcess;
  let url = '';
  let others: pg.Client[] = [];
  let closers: (() => unknown)[] = [];
  let stores = 0;
  let schema = '';
  beforeAll(async () => {
    // The tests themselves connect as the superuser, for whom three connections are reserved.
    postgres = await PostgresProcess.start(['fsync=off', `max_connections=${CONNECTIONS + 3}`]);
    await postgres.run('CREATE ROLE app LOGIN');
    await postgres.run('GRANT CREATE ON DATABASE postgres TO app');
    url = postgres.url.replace('//orch@', '//app@');
  }, 300_000);
  afterAll(() => postgres.remove());
  beforeEach(() => {
    schema = `connections_${(stores += 1)}`;
    closers = [];
    others = [];
  });
  afterEach(async () => {
    await release();
    for (const close of closers.reverse()) await close();
  });

  const open = (options: Partial<PostgresStorageOptions> = {}): Promise<Storage> =>
    postgres.open({ url, schema, ...options });
  const count = async (): Promise<number> =>
    Number((await postgres.run(`SELECT count(*) AS n FROM pg_stat_activity WHERE ${OWN}`))[0]?.['n']);

  /** Takes every connection that is free. @returns how many */
  async function exhaust(): Promise<number> {
    for (let taken = 0; ; taken += 1) {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return taken;
      }
      others.push(client);
    }
  }
  async function release(): Promise<void> {
    await Promise.all(others.splice(0).map((client) => client.end()));
  }

  /**
   * Ends the connections of the servers, and lets others take them. One that has ended may become free a little later, so it
   * is done again until there is nothing to take.
   */
  async function takeAll(): Promise<void> {
    await vi.waitFor(async () => {
      const ended = await postgres.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OWN}`);
      expect([ended.length, await exhaust(), await count()]).toEqual([0, 0, 0]);
    }, PATIENCE);
  }

  test('is waited for while a store is opened, and then named', async () => {
    await exhaust();
    await expect(open({ openTimeout: '1s' })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(TOO_MANY) as string,
    });
    const opening = open({ openTimeout: '60s' });
    await release();
    const storage = await opening;
    expect(await storage.currentRevision()).toBe(0);
    await storage.close();
  });

  test.each([
    ['of the database', { watchCache: false }],
    ['of the copy in memory', {}],
  ] as const)('requests fail as with any unavailable store, and recover, by reads %s', async (_name, options) => {
    const server: ApiServer = apiServer(await open(options), { observability: { logger: silentLogger } });
    closers.push(() => server.close());
    await server.ready();
    await asked(server, 'POST', MAPS, 201, configMap('a'));
    await takeAll();
    for (const [method, path, body] of [
      ['POST', MAPS, configMap('b')],
      ['GET', `${MAPS}/a`, undefined],
    ] as const) {
      const answer = await ask(server, method, path, body === undefined ? {} : { body: JSON.stringify(body) });
      expect([method, answer.status, jsonOf(answer)]).toMatchObject([
        ...[method, 500],
        { reason: 'ServerTimeout', details: { retryAfterSeconds: 2 } },
      ]);
    }
    expect((await ask(server, 'GET', '/readyz')).status).toBe(500);
    await release();
    await vi.waitFor(() => asked(server, 'POST', MAPS, 201, configMap('b')), PATIENCE);
    expect((await asked(server, 'GET', MAPS, 200))['items']).toHaveLength(2);
    await vi.waitFor(async () => expect((await ask(server, 'GET', '/readyz')).status).toBe(200), PATIENCE);
  });

  test('leaves no connection open that it does not use', async () => {
    const storage = await open();
    for (let round = 0; round < 5; round += 1) {
      await takeAll();
      await expect(storage.currentRevision()).rejects.toMatchObject({ code: 'Unavailable' });
      await release();
      await vi.waitFor(() => storage.currentRevision(), PATIENCE);
      await Promise.all(Array.from({ length: 20 }, () => storage.list('/registry/')));
      expect(await count()).toBeLessThanOrEqual(4);
    }
    await storage.close();
    await vi.waitFor(async () => expect(await count()).toBe(0), PATIENCE);
  });
});
