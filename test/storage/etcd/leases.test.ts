import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../../src/storage/storage.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import { apiServer, asked } from '../remote/api-servers.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';
import { LeaseTime } from './lease-time.js';

const PREFIX = '/registry/events/';
const HOUR = 3_600_000;
const text = (revision: number): string => JSON.stringify({ metadata: { resourceVersion: String(revision) } });

describe.skipIf(etcdVersion === undefined)('leases', () => {
  let etcd: EtcdProcess;
  let time: LeaseTime;
  let storage: Storage;
  let prefix: string;
  let prefixes = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(async () => {
    time = new LeaseTime(etcd.url);
    prefix = `/leases-${(prefixes += 1)}`;
    storage = await etcd.open({ prefix, clock: time.clock });
  });
  afterEach(async () => {
    await storage.close();
    await time.close();
  });

  const leases = (): string[] =>
    etcd
      .ctl(['lease', 'list'])
      .split('\n')
      .filter((line) => /^[0-9a-f]{16}$/.test(line));
  const create = (name: string, ttl: number) => storage.create(PREFIX + name, text, { ttl });

  test('are shared by keys that expire at about the same time', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => create(`at-once-${index}`, HOUR)));
    for (let index = 0; index < 10; index += 1) await create(`later-${index}`, HOUR);
    expect(leases()).toHaveLength(1);
    await time.advance(59_000);
    await create('within-a-minute', HOUR);
    expect(leases()).toHaveLength(1);
    await time.advance(10_000);
    await create('too-late', HOUR);
    await create('shorter', HOUR / 2);
    expect(leases()).toHaveLength(3);
  });

  test('hold at most a thousand keys', async () => {
    for (let start = 0; start < 1_100; start += 100)
      await Promise.all(Array.from({ length: 100 }, (_, index) => create(`k-${start + index}`, HOUR)));
    const held = leases()
      .map((id) => (etcd.ctl(['lease', 'timetolive', '--keys', id]).match(/events/g) ?? []).length)
      .sort();
    expect(held).toEqual([100, 1_000].map(String).sort().map(Number));
  });

  test('keep a key for its requested time, and at most a twentieth or a minute longer', async () => {
    for (const ttlMs of [1, 1_000, 10_000, 100_000, HOUR, 24 * HOUR]) {
      const created = await create(`t-${ttlMs}`, ttlMs);
      const [name, deadline] = [...(await storage.expiries())].find(([key]) => key === created.key) ?? [];
      const left = (deadline ?? 0) - time.clock.now();
      expect(name).toBe(created.key);
      // etcd counts whole seconds, and grants no lease below two.
      expect(left).toBeGreaterThan(ttlMs - 1_500);
      expect(left).toBeLessThanOrEqual(Math.max(ttlMs + Math.min(60_000, ttlMs / 20) + 2_000, 3_000));
    }
  });

  test('that have expired are replaced', async () => {
    await create('a', HOUR);
    for (const id of leases()) etcd.ctl(['lease', 'revoke', id]);
    const again = await create('b', HOUR);
    expect((await storage.get(again.key)).record).toBe(again);
    expect([...(await storage.expiries()).keys()]).toEqual([again.key]);
  });

  test('survive a restart of the server, and of etcd', async () => {
    const created = await create('a', HOUR);
    await storage.close();
    await etcd.end('SIGKILL');
    await etcd.start();
    storage = await etcd.open({ prefix, clock: time.clock });
    expect([...(await storage.expiries()).keys()]).toEqual([created.key]);
    const sink = new RecordingSink(created.modRevision);
    storage.watch(PREFIX, created.modRevision, sink);
    await time.advance(HOUR + 61_000);
    await sink.untilCount(1);
    expect(sink.received[0]).toMatchObject({
      type: 'delete',
      key: created.key,
      previous: { modRevision: created.modRevision },
    });
  });

  test('that expire deliver the deletes of their keys together', async () => {
    const created = [await create('a', HOUR), await create('b', HOUR), await create('c', HOUR)];
    const deliveries: string[][] = [];
    const received = new Promise<void>((resolve) => {
      storage.watch(PREFIX, created[2]?.modRevision ?? 0, {
        events: (events) => {
          deliveries.push(
            events.map(({ key, revision }) => `${key} ${revision - (created[2]?.modRevision ?? 0)}`).sort(),
          );
          if (deliveries.flat().length === created.length) resolve();
        },
        progress: () => undefined,
        end: () => undefined,
      });
    });
    await time.advance(2 * HOUR);
    await received;
    expect(deliveries).toEqual([created.map(({ key }) => `${key} 1`)]);
  });

  test('expire the events of the API together, and every watcher receives each delete', async () => {
    await using server = apiServer(storage);
    const events = '/api/v1/namespaces/default/events';
    for (const name of ['a', 'b', 'c']) {
      await asked(server, 'POST', events, 201, {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      });
    }
    const [kind] = (await import('../../../src/kinds/builtin/index.js')).builtinResources.filter(
      (definition) => definition.kind === 'Event' && definition.group === '',
    );
    if (kind === undefined) throw new Error('no events');
    const watch = server
      .client()
      .resource(kind)
      .namespace('default')
      .watch({ resourceVersion: String(await storage.currentRevision()) });
    const gone: (string | undefined)[] = [];
    const watching = (async () => {
      for await (const { type, object } of watch) {
        if (type !== 'DELETED') throw new Error(`expected DELETED, got ${type}`);
        gone.push(object.metadata.name);
        if (gone.length === 3) return;
      }
    })();
    await time.advance(2 * HOUR);
    await watching;
    expect(gone.sort()).toEqual(['a', 'b', 'c']);
    expect((await asked(server, 'GET', events, 200))['items']).toEqual([]);
  });
});
