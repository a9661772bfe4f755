import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import { StorageError, type Storage } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion, feedRuns } from './etcd-process.js';
import { TcpProxy } from '../remote/tcp-proxy.js';

const PREFIX = '/registry/samples/';
const text = (value: string) => (revision: number) =>
  JSON.stringify({ metadata: { resourceVersion: String(revision) }, value });
const valueOf = (json: string): string => (JSON.parse(json) as { value: string }).value;

/** The outcome of each write, as its writer knows it. */
class Ledger {
  /** Value of each key, and the revision at which it was acknowledged. */
  readonly acknowledged = new Map<string, { value: string; revision: number }>();
  /** Values of writes whose outcome is unknown. */
  readonly unknown = new Map<string, string>();
  readonly refused = new Set<string>();
  readonly revisions: number[] = [];

  constructor(private readonly storage: Storage) {}

  /** Writes new keys until stopped; never gives up. */
  async writeUntil(stopped: () => boolean, name: string): Promise<void> {
    for (let count = 0; !stopped(); count += 1) {
      const key = `${PREFIX}${name}-${count}`;
      const value = `value of ${key}`;
      try {
        const { modRevision } = await this.storage.create(key, text(value));
        this.acknowledged.set(key, { value, revision: modRevision });
        this.revisions.push(modRevision);
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'Unavailable') throw error;
        if (error.message.includes('unknown')) this.unknown.set(key, value);
        else this.refused.add(key);
      }
    }
  }

  /** Compares with the contents of the store. */
  async check(storage: Storage): Promise<void> {
    const present = new Map((await storage.list(PREFIX)).records.map((record) => [record.key, record]));
    for (const [key, { value, revision }] of this.acknowledged)
      expect({ key, value: valueOf(present.get(key)?.text ?? '{}'), revision: present.get(key)?.modRevision }).toEqual({
        key,
        value,
        revision,
      });
    for (const key of this.refused) expect(present.has(key), `${key} was refused`).toBe(false);
    for (const key of present.keys())
      expect(this.acknowledged.has(key) || this.unknown.has(key), `${key} was written by no one`).toBe(true);
    expect(new Set(this.revisions).size).toBe(this.revisions.length);
  }
}

describe.skipIf(etcdVersion === undefined)('etcd', () => {
  let etcd: EtcdProcess;
  let proxy: TcpProxy;
  let storage: Storage;
  let errors: unknown[];
  beforeEach(async () => {
    errors = [];
    etcd = await EtcdProcess.start();
    proxy = await TcpProxy.start(etcd.port);
    storage = await etcd.open({ endpoints: [proxy.url], onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await storage.close();
    await proxy.close();
    await etcd.remove();
  });

  const watched = (from: number): RecordingSink => {
    const sink = new RecordingSink(from);
    storage.watch(PREFIX, from, sink);
    return sink;
  };

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'ended by %s under load, and restarted: no acknowledged write is lost, no event is delivered twice',
    { timeout: 300_000 },
    async (signal) => {
      const sink = watched(await storage.currentRevision());
      const ledger = new Ledger(storage);
      let stopped = false;
      const writers = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => ledger.writeUntil(() => stopped, name));
      for (let round = 0; round < 3; round += 1) {
        const before = ledger.acknowledged.size;
        await sink.until(() => ledger.acknowledged.size > before + 100);
        await etcd.end(signal);
        await etcd.start();
        const after = ledger.acknowledged.size;
        await sink.until(() => ledger.acknowledged.size > after + 20);
      }
      stopped = true;
      await Promise.all(writers);
      await ledger.check(storage);
      const { records } = await storage.list(PREFIX);
      await sink.untilCount(records.length);
      expect(sink.received.map(({ key, revision }) => `${key}@${revision}`).sort()).toEqual(
        records.map(({ key, modRevision }) => `${key}@${modRevision}`).sort(),
      );
      expect(sink.ends).toEqual([]);
      expect(errors.length).toBeGreaterThan(0);
    },
  );

  test('with connections cut at any moment: no watch misses or repeats an event', { timeout: 300_000 }, async () => {
    const sink = watched(await storage.currentRevision());
    const ledger = new Ledger(storage);
    let stopped = false;
    const writers = ['a', 'b', 'c', 'd'].map((name) => ledger.writeUntil(() => stopped, name));
    for (let round = 0; round < 25; round += 1) {
      const before = sink.received.length;
      await sink.untilCount(before + 1 + ((round * 7) % 20));
      proxy.cut();
    }
    stopped = true;
    await Promise.all(writers);
    await ledger.check(storage);
    const { records } = await storage.list(PREFIX);
    await sink.untilCount(records.length);
    expect(sink.received.map(({ revision }) => revision)).toEqual(
      records.map(({ modRevision }) => modRevision).sort((left, right) => left - right),
    );
  });

  test('out of reach: reads and writes fail, and work again without intervention once it is back', async () => {
    const impatient = await etcd.open({ endpoints: [proxy.url], requestTimeout: 300 });
    await impatient.create(`${PREFIX}a`, text('1'));
    await proxy.refuse();
    for (const operation of [
      () => impatient.get(`${PREFIX}a`),
      () => impatient.list(PREFIX),
      () => impatient.currentRevision(),
      () => impatient.ping(),
      () => impatient.compact(1),
      () => impatient.expiries(),
    ]) {
      await expect(operation()).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringContaining('no member of etcd can be reached') as string,
      });
    }
    // The request was never sent, so the outcome is known.
    await expect(impatient.create(`${PREFIX}b`, text('1'))).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.not.stringContaining('unknown') as string,
    });
    await proxy.listen();
    expect((await impatient.list(PREFIX)).records.map(({ key }) => key)).toEqual([`${PREFIX}a`]);
    await impatient.create(`${PREFIX}b`, text('1'));
    await impatient.close();
  });

  test('that does not answer is abandoned in time, and used again when it answers', async () => {
    const impatient = await etcd.open({ endpoints: [proxy.url], requestTimeout: 400 });
    const created = await impatient.create(`${PREFIX}a`, text('1'));
    etcd.pause();
    const outcomes = await Promise.allSettled([
      impatient.get(`${PREFIX}a`),
      impatient.update(`${PREFIX}a`, text('2'), created.modRevision),
      impatient.ping(),
    ]);
    expect(
      outcomes.map((outcome) =>
        outcome.status === 'rejected' ? (outcome.reason as StorageError).code : outcome.status,
      ),
    ).toEqual(['Unavailable', 'Unavailable', 'Unavailable']);
    etcd.resume();
    expect(['1', '2']).toContain(valueOf((await storage.get(`${PREFIX}a`)).record?.text ?? '{}'));
    await expect(impatient.ping()).resolves.toBeUndefined();
    await impatient.close();
  });

  test('a compaction ahead of a watch ends it; later watches start after the compaction', async () => {
    const direct = await etcd.open();
    await feedRuns(storage, direct);
    const from = await storage.currentRevision();
    const behind = watched(from);
    const future = watched(from + 20);
    await proxy.refuse();
    for (let count = 0; count < 10; count += 1) await direct.create(`${PREFIX}${count}`, text('x'));
    const revision = await direct.currentRevision();
    await direct.compact(revision - 2);
    await proxy.listen();
    await behind.until(() => behind.ends.length > 0);
    expect(behind.ends).toEqual([{ kind: 'compacted', compactRevision: revision - 2 }]);
    expect(behind.received).toEqual([]);
    expect(await storage.compactedRevision()).toBe(revision - 2);
    const again = watched(revision - 2);
    await again.untilCount(2);
    const late = watched(revision - 3);
    await late.until(() => late.ends.length > 0);
    expect(late.ends).toEqual([{ kind: 'compacted', compactRevision: revision - 2 }]);
    // A watch that has missed no event continues.
    while ((await direct.currentRevision()) <= from + 20)
      await direct.create(`${PREFIX}more-${await direct.currentRevision()}`, text('x'));
    await future.untilCount(1);
    expect(future.ends).toEqual([]);
    await expect(storage.list(PREFIX, { revision: from })).rejects.toMatchObject({
      code: 'Compacted',
      revision: revision - 2,
    });
    await direct.close();
  });

  test('a compaction by another client during a list of a past state is reported with the kept revision', async () => {
    const direct = await etcd.open();
    await direct.create(`${PREFIX}a`, text('x'));
    const { modRevision } = await direct.create(`${PREFIX}b`, text('x'));
    await direct.compact(modRevision);
    await expect(storage.list(PREFIX, { revision: modRevision - 1 })).rejects.toMatchObject({
      code: 'Compacted',
      revision: modRevision,
    });
    await direct.close();
  });

  test('another cluster at the same address is rejected', async () => {
    const stranger = await EtcdProcess.start();
    try {
      await storage.create(`${PREFIX}a`, text('1'));
      proxy.target = stranger.port;
      proxy.cut();
      await expect(storage.get(`${PREFIX}a`)).rejects.toMatchObject({
        code: 'Unavailable',
        message: expect.stringContaining('another etcd cluster responds') as string,
      });
      proxy.target = etcd.port;
      proxy.cut();
      expect((await storage.get(`${PREFIX}a`)).record).toBeDefined();
    } finally {
      await stranger.remove();
    }
  });
});

describe.skipIf(etcdVersion === undefined)('an etcd without space', () => {
  test('rejects writes, serves reads, and accepts writes again once there is space', { timeout: 300_000 }, async () => {
    const etcd = await EtcdProcess.start({ flags: ['--quota-backend-bytes', String(2 * 1024 * 1024)] });
    const storage = await etcd.open();
    try {
      const ledger = new Map<string, number>();
      let refusal: unknown;
      for (let count = 0; refusal === undefined; count += 1) {
        const key = `${PREFIX}${count}`;
        await storage.create(key, text('x'.repeat(100_000))).then(
          ({ modRevision }) => ledger.set(key, modRevision),
          (error: unknown) => (refusal = error),
        );
      }
      expect(refusal).toMatchObject({
        ...{ code: 'Unavailable', isDiskFull: true },
        message: expect.stringContaining('space exceeded') as string,
      });
      expect((await storage.list(PREFIX)).records.map(({ key, modRevision }) => [key, modRevision]).sort()).toEqual(
        [...ledger].sort(),
      );
      await expect(storage.ping()).resolves.toBeUndefined();
      await expect(storage.pingWrites?.()).rejects.toThrow(/^etcd refuses writes: memberID:\d+ alarm:NOSPACE$/);
      for (const [key, modRevision] of ledger) await storage.delete(key, text('x'.repeat(100_000)), modRevision);
      await storage.compact(await storage.currentRevision());
      etcd.ctl(['defrag']);
      etcd.ctl(['alarm', 'disarm']);
      await storage.pingWrites?.();
      await storage.create(`${PREFIX}again`, text('x'));
    } finally {
      await storage.close();
      await etcd.remove();
    }
  });
});
