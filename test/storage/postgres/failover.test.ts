import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StorageError, type Storage, type StorageEvent, type StorageWatchEnd } from '../../../src/storage/storage.js';
import { sample, valueOf } from '../../../src/testing/storage-contract/fixture.js';
import { openToRead, waysToRead } from './cold-storage.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const PATIENCE = { timeout: 60_000, interval: 50 };
const STANDBY = 'second';

describe.skipIf(postgresPrograms === undefined).each(waysToRead)(
  'a failover to a standby: $reads',
  { timeout: 300_000 },
  (way) => {
    let primary: PostgresProcess;
    let standby: PostgresProcess;
    let storage: Storage;
    beforeEach(async () => {
      primary = await PostgresProcess.start();
      standby = await primary.startStandby(STANDBY);
      storage = await openToRead(way, (given) =>
        primary.open({ url: [primary.url, standby.url], requestTimeout: '2s', ...given }),
      );
    }, 300_000);
    afterEach(async () => {
      await storage.close();
      await standby.remove();
      await primary.remove();
    });

    /** Follows all keys from a revision on. */
    function watching(from: number): { readonly events: StorageEvent[]; readonly ends: StorageWatchEnd[] } {
      const seen = { events: [] as StorageEvent[], ends: [] as StorageWatchEnd[] };
      storage.watch('/registry/', from, {
        events: (events) => void seen.events.push(...events),
        progress: () => undefined,
        end: (end) => void seen.ends.push(end),
      });
      return seen;
    }

    const keysOf = async (): Promise<string[]> => (await storage.list('/registry/')).records.map(({ key }) => key);

    test('that has every acknowledged write loses none, and watches go on', async () => {
      await primary.waitFor(STANDBY);
      const first = await storage.create('/registry/first', sample('x'));
      const seen = watching(first.modRevision);
      const acknowledged = new Map<string, number>();
      const refused: string[] = [];
      let isOver = false;
      const write = async (writer: number): Promise<void> => {
        for (let number = 0; !isOver; number += 1) {
          const key = `/registry/w${writer}-${number}`;
          try {
            acknowledged.set(key, (await storage.create(key, sample(key))).modRevision);
          } catch (error) {
            if (error instanceof StorageError && /has not taken effect/.test(error.message)) refused.push(key);
            // Without a database there is nothing to do but to wait for one.
            await new Promise((resolve) => setImmediate(resolve));
          }
        }
      };
      const writers = [0, 1, 2].map(write);
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(30), PATIENCE);
      await primary.end('SIGQUIT');
      const before = acknowledged.size;
      await standby.promote();
      await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + 30), PATIENCE);
      isOver = true;
      await Promise.all(writers);

      const there = new Set(await keysOf());
      expect([...acknowledged.keys()].filter((key) => !there.has(key))).toEqual([]);
      expect(refused.filter((key) => there.has(key))).toEqual([]);
      await vi.waitFor(() => expect(seen.events.length).toBeGreaterThanOrEqual(there.size - 1), PATIENCE);
      expect(seen.ends).toEqual([]);
      // Each once, in the order of revisions, at the revision that was acknowledged.
      const revisions = seen.events.map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(seen.events.map(({ key }) => key).sort()).toEqual([...there].filter((key) => key !== '/registry/first'));
      for (const { key, revision } of seen.events) expect(acknowledged.get(key) ?? revision).toBe(revision);
    });

    test('that lacks some of them ends all watches, and uses no revision twice', async () => {
      const kept = await storage.create('/registry/kept', sample('kept'));
      const { lsn } = (await primary.run('SELECT pg_current_wal_lsn()::text AS lsn'))[0] as { lsn: string };
      await vi.waitFor(async () => {
        const [row] = await standby.run('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS has', [lsn]);
        expect(row).toEqual({ has: true });
      }, PATIENCE);
      await standby.end();
      const lost = await storage.create('/registry/lost', sample('lost'));
      const seen = watching(lost.modRevision);
      await primary.end('SIGQUIT');
      await standby.start();
      await standby.promote();

      const next = await vi.waitFor(() => storage.create('/registry/next', sample('next')), PATIENCE);
      expect(next.modRevision).toBeGreaterThan(lost.modRevision + 1000);
      expect(await keysOf()).toEqual(['/registry/kept', '/registry/next']);
      await vi.waitFor(() => expect(seen.ends.length).toBe(1), PATIENCE);
      expect(seen.events).toEqual([]);
      const { record } = await storage.get('/registry/kept');
      expect([record?.modRevision, record && valueOf(record)]).toEqual([kept.modRevision, 'kept']);
      // Whoever resumes from what is lost has to list again.
      const late = watching(lost.modRevision);
      await vi.waitFor(() => expect(late.ends).toEqual([expect.objectContaining({ kind: 'compacted' })]), PATIENCE);
    });
  },
);
