import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage, StorageEvent, StorageWatchEnd } from '../../../src/storage/storage.js';
import { sample, valueOf } from '../../../src/testing/storage-contract/fixture.js';
import { TcpProxy } from '../remote/tcp-proxy.js';
import { openToRead, waysToRead } from './cold-storage.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const KEY = '/registry/samples/a';
const PATIENCE = { timeout: 20_000, interval: 20 };

/** Events and ends of a watch. */
interface Seen {
  readonly events: StorageEvent[];
  readonly ends: StorageWatchEnd[];
}

function watching(storage: Storage, from: number): Seen {
  const seen: Seen = { events: [], ends: [] };
  storage.watch('/registry/', from, {
    events: (events) => void seen.events.push(...events),
    progress: () => undefined,
    end: (end) => void seen.ends.push(end),
  });
  return seen;
}

describe.skipIf(postgresPrograms === undefined).each(waysToRead)(
  'a store in PostgreSQL: $reads',
  { timeout: 300_000 },
  (way) => {
    let postgres: PostgresProcess;
    let proxy: TcpProxy;
    let schema: string;
    let storage: Storage;
    let direct: Storage;
    let stores = 0;
    const open = (options: Partial<PostgresStorageOptions>): Promise<Storage> =>
      openToRead(way, (given) => postgres.open({ ...options, ...given, schema }));
    beforeAll(async () => {
      postgres = await PostgresProcess.start();
    });
    afterAll(() => postgres.remove());
    beforeEach(async () => {
      schema = `faults_${(stores += 1)}`;
      proxy = await TcpProxy.start(Number(new URL(postgres.url).port));
      const url = `postgres://orch@127.0.0.1:${new URL(proxy.url).port}/postgres`;
      storage = await open({ url, requestTimeout: '2s' });
      direct = await open({});
    });
    afterEach(async () => {
      await storage.close();
      await direct.close();
      await proxy.close();
    });

    /** Resolves when the feed of a store delivers what another one writes. */
    async function follows(follower: Storage, writer: Storage): Promise<void> {
      const seen = watching(follower, await writer.currentRevision());
      await writer.create(`/registry/warm/${stores}-${await writer.currentRevision()}`, sample('x'));
      await vi.waitFor(() => expect(seen.events.length).toBeGreaterThan(0), PATIENCE);
    }

    test('a write whose answer is lost is found, and acknowledged once', async () => {
      await storage.create('/registry/samples/first', sample('x'));
      await follows(storage, direct);
      const seen = watching(direct, await direct.currentRevision());
      const arrived = proxy.requested(100);
      proxy.drop('answers');
      const writing = storage.create(KEY, sample('lost'));
      await arrived;
      await vi.waitFor(() => expect(seen.events.map(({ key }) => key)).toContain(KEY), PATIENCE);
      proxy.drop('nothing');
      proxy.cut();
      const record = await writing;
      expect(record.modRevision).toBe(seen.events.find(({ key }) => key === KEY)?.revision);
      expect(seen.events.filter(({ key }) => key === KEY)).toHaveLength(1);
      expect((await direct.get(KEY)).record?.modRevision).toBe(record.modRevision);
    });

    test('a write that did not arrive says so, and a later one succeeds', async () => {
      await storage.create('/registry/samples/first', sample('x'));
      proxy.drop('requests');
      const writing = storage.create(KEY, sample('never'));
      const refused = expect(writing).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringMatching(/has not taken effect/) as unknown,
      });
      await proxy.requested(50);
      proxy.drop('nothing');
      proxy.cut();
      await refused;
      expect((await direct.get(KEY)).record).toBeUndefined();
      await vi.waitFor(() => storage.create(KEY, sample('later')), PATIENCE);
    });

    test('a refused write of a group whose answer is lost has the current version', async () => {
      const first = await direct.create(KEY, sample('one'));
      const newer = await storage.update(KEY, sample('two'), first.modRevision);
      await follows(storage, direct);
      const seen = watching(direct, await direct.currentRevision());
      const arrived = proxy.requested(100);
      proxy.drop('answers');
      const refused = storage.update(KEY, sample('three'), first.modRevision);
      const done = storage.create('/registry/samples/b', sample('b'));
      const outcome = expect(refused).rejects.toMatchObject({
        code: 'Conflict',
        current: { modRevision: newer.modRevision },
      });
      await arrived;
      await vi.waitFor(() => expect(seen.events).toHaveLength(1), PATIENCE);
      proxy.drop('nothing');
      proxy.cut();
      await outcome;
      expect((await done).modRevision).toBeGreaterThan(newer.modRevision);
    });

    test('several writes of a key in a group whose answer is lost each have their own outcome', async () => {
      const first = await direct.create(KEY, sample('one'));
      const { modRevision } = await storage.update(KEY, sample('two'), first.modRevision);
      const gone = await storage.create('/registry/samples/gone', sample('one'));
      await follows(storage, direct);
      const seen = watching(direct, await direct.currentRevision());
      const arrived = proxy.requested(100);
      proxy.drop('answers');
      const writes = Promise.allSettled([
        // Not the version that there is, which the one after it names.
        storage.delete(KEY, sample('two'), first.modRevision),
        storage.update(KEY, sample('three'), modRevision),
        storage.update(KEY, sample('four'), modRevision),
        // Both take effect.
        storage.delete(gone.key, sample('one'), gone.modRevision),
        storage.create(gone.key, sample('again')),
        storage.create(gone.key, sample('twice')),
      ]);
      await arrived;
      await vi.waitFor(() => expect(seen.events).toHaveLength(3), PATIENCE);
      proxy.drop('nothing');
      proxy.cut();
      const [updated, deleted, created] = seen.events;
      const done = (revision: number | undefined) => ({ status: 'fulfilled', value: { modRevision: revision } });
      const refused = (code: string, revision: number | undefined) => ({
        status: 'rejected',
        reason: { code, current: { modRevision: revision } },
      });
      expect(await writes).toMatchObject([
        refused('Conflict', updated?.revision),
        done(updated?.revision),
        refused('Conflict', updated?.revision),
        done(deleted?.revision),
        done(created?.revision),
        refused('KeyExists', created?.revision),
      ]);
    });

    test.each(['SIGINT', 'SIGQUIT'] as const)(
      'loses and repeats nothing when the database ends by %s',
      async (signal) => {
        const from = await storage.currentRevision();
        const seen = watching(storage, from);
        const acknowledged: string[] = [];
        let isOver = false;
        const writer = async (name: string): Promise<void> => {
          for (let step = 0; !isOver; step += 1) {
            const key = `/registry/samples/${name}-${step}`;
            await storage.create(key, sample('x')).then(
              () => void acknowledged.push(key),
              () => undefined,
            );
            if (acknowledged.length % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
        };
        const writers = Promise.all(['a', 'b', 'c', 'd'].map(writer));
        await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(20), PATIENCE);
        await postgres.end(signal);
        await postgres.start();
        const before = acknowledged.length;
        await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(before + 20), PATIENCE);
        isOver = true;
        await writers;
        const newest = await storage.currentRevision();
        await vi.waitFor(() => expect(seen.events.at(-1)?.revision).toBe(newest), PATIENCE);
        expect(seen.ends).toEqual([]);
        expect(seen.events.map(({ revision }) => revision)).toEqual(
          Array.from({ length: newest - from }, (_, index) => from + 1 + index),
        );
        const stored = new Set((await storage.list('/registry/samples/')).records.map(({ key }) => key));
        expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
      },
    );

    test('shows a commit that is delayed after all before it, and none after it', async () => {
      const from = await direct.currentRevision();
      const seen = watching(direct, from);
      const { default: pg } = await import('pg');
      const slow = new pg.Client({ connectionString: postgres.url });
      await slow.connect();
      await slow.query('BEGIN');
      // Takes its number, and does not commit yet.
      await slow.query(`SELECT * FROM ${schema}.commit_group(gen_random_uuid(), 9e15, $1, $2, $3, $4, $5)`, [
        ['/registry/samples/slow'],
        [0],
        ['{}'],
        [null],
        [null],
      ]);
      const writing = storage.create(KEY, sample('x'));
      expect(await direct.currentRevision()).toBe(from);
      expect((await direct.list('/registry/samples/')).records).toEqual([]);
      await slow.query('COMMIT');
      await slow.end();
      expect((await writing).modRevision).toBe(from + 2);
      await vi.waitFor(() => expect(seen.events).toHaveLength(2), PATIENCE);
      expect(seen.events.map(({ key, revision }) => [key, revision])).toEqual([
        ['/registry/samples/slow', from + 1],
        [KEY, from + 2],
      ]);
    });

    test('finds by its poll what no notification told', async () => {
      await follows(direct, storage);
      const seen = watching(direct, await direct.currentRevision());
      // Another program's statement commits without a notification.
      await postgres.run(`SELECT * FROM ${schema}.commit_group(gen_random_uuid(), 9e15, $1, $2, $3, $4, $5)`, [
        [KEY],
        [0],
        ['{}'],
        [null],
        [null],
      ]);
      await vi.waitFor(() => expect(seen.events.map(({ key }) => key)).toEqual([KEY]), PATIENCE);
    });

    test('continues far above when the database has lost acknowledged commits', async () => {
      const kept = await direct.create(KEY, sample('kept'));
      const lost = await direct.update(KEY, sample('lost'), kept.modRevision);
      await follows(storage, direct);
      const newest = await direct.currentRevision();
      const seen = watching(direct, newest);
      // The state of a standby that had not received the last commits.
      await postgres.run(`UPDATE ${schema}.current SET revision = ${kept.modRevision} WHERE key = '${KEY}'`);
      await postgres.run(`DELETE FROM ${schema}.current WHERE revision > ${kept.modRevision}`);
      await postgres.run(`DELETE FROM ${schema}.versions WHERE revision > ${kept.modRevision}`);
      await postgres.run(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch-apiserver'`,
      );
      await vi.waitFor(() => expect(seen.ends).toMatchObject([{ kind: 'compacted' }]), PATIENCE);
      await vi.waitFor(async () => expect(await direct.currentRevision()).toBeGreaterThan(newest + 1000), PATIENCE);
      const { record } = await direct.get(KEY);
      expect(record === undefined ? undefined : valueOf(record)).toBe('kept');
      await expect(direct.update(KEY, sample('x'), lost.modRevision)).rejects.toMatchObject({ code: 'Conflict' });
      await expect(direct.list('/registry/', { revision: newest })).rejects.toMatchObject({ code: 'Compacted' });
      expect((await direct.update(KEY, sample('x'), kept.modRevision)).modRevision).toBeGreaterThan(newest);
    });

    test('repeats a read whose connection had ended', async () => {
      const record = await direct.create(KEY, sample('x'));
      for (let round = 0; round < 5; round += 1) {
        await direct.get(KEY);
        await postgres.run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'orch-apiserver'`,
        );
        // The session may not have learned of its end yet.
        expect((await direct.get(KEY)).record).toBe(record);
        expect((await direct.list('/registry/samples/')).records).toEqual([record]);
      }
    });

    test('is not ready while the database takes no writes', async () => {
      await storage.pingWrites?.();
      const url = `${postgres.url}?options=-c%20default_transaction_read_only%3Don`;
      const readOnly = await open({ url });
      await readOnly.ping();
      await expect(readOnly.pingWrites?.()).rejects.toMatchObject({ code: 'Unavailable' });
      await expect(readOnly.create('/registry/samples/refused', sample('x'))).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringMatching(/has not taken effect.*read-only/) as unknown,
      });
      await readOnly.close();
    });
  },
);
