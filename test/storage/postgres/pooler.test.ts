/** Stores behind a pooler in transaction mode, which gives each transaction another process of the database. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage } from '../../../src/storage/storage.js';
import { storageContract } from '../../../src/testing/storage-contract/index.js';
import { sample, valueOf } from '../../../src/testing/storage-contract/fixture.js';
import { PATIENCE } from '../../support/patience.js';
import { DatabaseTime } from './database-time.js';
import { PgbouncerProcess, pgbouncerProgram } from './pgbouncer-process.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const KEY = '/registry/samples/a';
const isMissing = postgresPrograms === undefined || pgbouncerProgram === undefined;

describe.skipIf(isMissing)('PostgreSQL behind a pooler in transaction mode', { timeout: 300_000 }, () => {
  let postgres: PostgresProcess;
  let pooler: PgbouncerProcess;
  let closers: (() => unknown)[] = [];
  let stores = 0;
  let schema = '';
  let reports: string[] = [];
  beforeAll(async () => {
    postgres = await PostgresProcess.start();
    pooler = await PgbouncerProcess.start(postgres.url, 3);
  }, 300_000);
  afterAll(async () => {
    await pooler.remove();
    await postgres.remove();
  });
  beforeEach(() => {
    schema = `pooled_${(stores += 1)}`;
    closers = [];
    reports = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const open = async (options: Partial<PostgresStorageOptions> = {}): Promise<Storage> => {
    const storage = await postgres.open({
      ...{ url: pooler.url, preparedStatements: false, schema, watchCache: false },
      onError: (error) => void reports.push(String(error)),
      ...options,
    });
    closers.push(() => storage.close());
    return storage;
  };
  const seenBy = (storage: Storage, from: number): string[] => {
    const seen: string[] = [];
    storage.watch('/registry/', from, {
      events: (events) => void seen.push(...events.map(({ key }) => key)),
      progress: () => undefined,
      end: () => undefined,
    });
    return seen;
  };

  describe('with a URL of its own for notifications', () => {
    const cases = storageContract({
      async create() {
        schema = `pooled_${(stores += 1)}`;
        const time = new DatabaseTime((text, values) => postgres.run(text, values), schema);
        const storage = await open({ clock: time.clock, listenUrl: postgres.url });
        return { storage, advance: (ms) => time.advance(ms), close: () => storage.close() };
      },
    });
    for (const contractCase of cases) test(contractCase.name, () => contractCase.run());
  });

  test('is noticed: notifications do not arrive, and the watches get everything from the poll', async () => {
    const [one, other] = [await open(), await open()];
    await vi.waitFor(
      () =>
        expect(reports).toEqual(
          expect.arrayContaining([
            expect.stringMatching(/notifications do not arrive.*set listenUrl \(--postgres-listen-url\)/),
          ]),
        ),
      PATIENCE,
    );
    const seen = seenBy(other, await other.currentRevision());
    const keys = Array.from({ length: 20 }, (_, index) => `/registry/samples/${index}`);
    for (const key of keys) await one.create(key, sample(key));
    await vi.waitFor(() => expect(seen).toEqual(keys), PATIENCE);
  });

  test('hears nothing of it when the notifications have a URL of their own', async () => {
    const [one, other] = [await open({ listenUrl: postgres.url }), await open({ listenUrl: postgres.url })];
    const seen = seenBy(other, await other.currentRevision());
    await one.create(KEY, sample('x'));
    await vi.waitFor(() => expect(seen).toEqual([KEY]), PATIENCE);
    expect(reports).toEqual([]);
  });

  test('refuses a URL for notifications that leads to another database', async () => {
    await postgres.run(`CREATE DATABASE other_${schema}`);
    const listenUrl = postgres.url.replace(/postgres$/, `other_${schema}`);
    await expect(open({ listenUrl })).rejects.toThrow('listenUrl leads to another database than the other connections');
  });

  test('names the option where prepared statements are in the wrong process', async () => {
    // Two clients prepare the same statements in the only process.
    const narrow = await PgbouncerProcess.start(postgres.url, 1);
    closers.push(() => narrow.remove());
    const given = { url: narrow.url, listenUrl: postgres.url, preparedStatements: true };
    const failing = async (): Promise<void> => {
      const [one, other] = [await open(given), await open(given)];
      for (const storage of [one, other]) {
        await storage.get(KEY);
        await storage.create(`${KEY}-${stores}`, sample('x'));
      }
    };
    await expect(failing()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(
        /set preparedStatements to false \(--postgres-prepared-statements=false\)/,
      ) as string,
    });
  });

  test.each(['database', 'relaxed'] as const)('leaves no setting behind for other clients: %s', async (durability) => {
    const storage = await open({ durability, listenUrl: undefined });
    await storage.create(KEY, sample('x'));
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    try {
      for (let round = 0; round < 10; round += 1)
        expect((await client.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'on' }]);
    } finally {
      await client.end();
    }
  });

  test('a group whose answer is lost is found, and no process of another client is ended', async () => {
    const storage = await open({ listenUrl: postgres.url, requestTimeout: '5s' });
    await storage.create('/registry/samples/first', sample('x'));
    const holder = new pg.Client({ connectionString: postgres.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM ${schema}.head FOR UPDATE`);
    const writing = storage.create(KEY, sample('lost'));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%${schema}%commit_group%' AND wait_event_type = 'Lock'`;
    await vi.waitFor(async () => expect(await postgres.run(waiting)).toHaveLength(1), PATIENCE);
    // The process of the database does not notice it while it waits.
    await pooler.kill();
    await pooler.start();
    await holder.query('COMMIT');
    await holder.end();
    const { modRevision } = await writing;
    const { record } = await storage.get(KEY);
    expect([record?.modRevision, record && valueOf(record)]).toEqual([modRevision, 'lost']);
  });
});
