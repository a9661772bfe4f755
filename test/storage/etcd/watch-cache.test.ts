import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import type { WatchCacheStatus } from '../../../src/storage/cached/index.js';
import type { EtcdStorageOptions } from '../../../src/storage/etcd/index.js';
import { StorageError, type Storage } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';
import { TcpProxy } from '../remote/tcp-proxy.js';

const PREFIX = '/registry/samples/';
const text = (value: string) => (revision: number) =>
  JSON.stringify({ metadata: { resourceVersion: String(revision) }, value });
const valueOf = (json: string | undefined): string => (JSON.parse(json ?? '{}') as { value: string }).value;

/** A store with a watch cache, and how often that was filled. */
class Reader {
  readonly statuses: WatchCacheStatus[] = [];
  storage: Storage | undefined;
  #wake: () => void = () => undefined;

  static async open(etcd: EtcdProcess, options: Partial<EtcdStorageOptions> = {}): Promise<Reader> {
    const reader = new Reader();
    reader.storage = await etcd.open({
      ...options,
      watchCache: {
        onStatus: (status) => {
          reader.statuses.push(status);
          reader.#wake();
        },
      },
    });
    reader.storage.shareBudget?.(new MemoryBudget());
    await reader.filled(1);
    return reader;
  }

  get store(): Storage {
    if (this.storage === undefined) throw new Error('not open');
    return this.storage;
  }

  get fills(): number {
    return this.statuses.filter(({ kind }) => kind === 'serving').length;
  }

  /** Resolves when the cache has been filled that many times. */
  async filled(times: number): Promise<void> {
    while (this.fills < times) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

describe.skipIf(etcdVersion === undefined)('a watch cache above etcd', () => {
  let etcd: EtcdProcess;
  let proxy: TcpProxy;
  /** Reads through a proxy, and is disturbed by the tests. */
  let reader: Reader;
  /** Another server. */
  let other: Reader;
  beforeEach(async () => {
    etcd = await EtcdProcess.start();
    proxy = await TcpProxy.start(etcd.port);
    [reader, other] = [await Reader.open(etcd, { endpoints: [proxy.url] }), await Reader.open(etcd)];
  });
  afterEach(async () => {
    await reader.store.close();
    await other.store.close();
    await proxy.close();
    await etcd.remove();
  });

  /**
   * Writes by one server, and reads by the other after each acknowledged write, until stopped. Returns the number of
   * reads. A read that fails as unavailable is not stale.
   */
  async function writeAndRead(
    name: string,
    writer: Storage,
    readers: Storage[],
    stopped: (reads: number) => boolean,
  ): Promise<number> {
    const key = PREFIX + name;
    let revision = 0;
    let reads = 0;
    for (let count = 0; !stopped(reads); count += 1) {
      const value = `${name} ${count}`;
      try {
        const written =
          revision === 0
            ? await writer.create(key, text(value))
            : count % 7 === 6
              ? await writer.delete(key, text(`${name} ${count - 1}`), revision)
              : await writer.update(key, text(value), revision);
        revision = count % 7 === 6 && revision !== 0 ? 0 : written.modRevision;
      } catch (error) {
        if (!(error instanceof StorageError) || error.code === 'Unavailable') throw error;
        throw new Error(`the only writer of ${key} was refused`, { cause: error });
      }
      const expected = revision === 0 ? undefined : value;
      for (const storage of readers) {
        try {
          const { record } = await storage.get(key);
          const { records } = await storage.list(key);
          expect([record && valueOf(record.text), records[0] && valueOf(records[0].text)]).toEqual([
            expected,
            expected,
          ]);
          reads += 2;
        } catch (error) {
          if (!(error instanceof StorageError)) throw error;
        }
      }
    }
    return reads;
  }

  test('shows every write of another server once that is acknowledged', { timeout: 300_000 }, async () => {
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, index) =>
        writeAndRead(
          name,
          index % 2 === 0 ? reader.store : other.store,
          [reader.store, other.store],
          (reads) => reads >= 400,
        ),
      ),
    );
    expect([reader.fills, other.fills]).toEqual([1, 1]);
  });

  test('never shows an older state while its connections are cut', { timeout: 300_000 }, async () => {
    let stopped = false;
    const reading = ['a', 'b', 'c'].map((name) => writeAndRead(name, other.store, [reader.store], () => stopped));
    for (let round = 0; round < 12; round += 1) {
      await proxy.requested(3_000 + 700 * round);
      proxy.cut();
    }
    stopped = true;
    expect(Math.min(...(await Promise.all(reading)))).toBeGreaterThan(10);
    // The watch resumes after an interruption, so nothing is read again.
    expect(reader.fills).toBe(1);
    expect(versions(await reader.store.list(PREFIX))).toEqual(versions(await other.store.list(PREFIX)));
  });

  test('a read during a pause of etcd sees the writes before it, and fails when etcd stays away', async () => {
    await other.store.create(`${PREFIX}a`, text('1'));
    const impatient = await Reader.open(etcd, { requestTimeout: 300 });
    etcd.pause();
    const late = reader.store.get(`${PREFIX}a`);
    await expect(impatient.store.list(PREFIX)).rejects.toMatchObject({ code: 'Unavailable' });
    // A read that any revision satisfies is answered by the cache alone.
    expect((await impatient.store.get(`${PREFIX}a`, { notOlderThan: 0 })).record).toBeDefined();
    etcd.resume();
    expect(valueOf((await late).record?.text)).toBe('1');
    await impatient.store.close();
  });

  test('is filled again after a compaction ahead of its watch', { timeout: 300_000 }, async () => {
    await other.store.create(`${PREFIX}before`, text('x'));
    expect((await reader.store.list(PREFIX)).records.length).toBe(1);
    await proxy.refuse();
    for (let count = 0; count < 10; count += 1) await other.store.create(`${PREFIX}${count}`, text('x'));
    await other.store.compact((await other.store.currentRevision()) - 2);
    await proxy.listen();
    expect(versions(await reader.store.list(PREFIX))).toEqual(versions(await other.store.list(PREFIX)));
    await reader.filled(2);
    expect(reader.statuses[1]).toMatchObject({ kind: 'passing', reason: 'interrupted' });
    await other.store.create(`${PREFIX}after`, text('x'));
    expect(versions(await reader.store.list(PREFIX))).toEqual(versions(await other.store.list(PREFIX)));
    expect(reader.fills).toBe(2);
  });

  test('a restart of etcd does not make it read the store again', { timeout: 300_000 }, async () => {
    await other.store.create(`${PREFIX}a`, text('1'));
    await etcd.end('SIGKILL');
    await etcd.start();
    await other.store.create(`${PREFIX}b`, text('1'));
    expect((await reader.store.list(PREFIX)).records.length).toBe(2);
    expect([reader.fills, other.fills]).toEqual([1, 1]);
  });

  test('leaves a foreign value to the engine, and goes on with all others', { timeout: 300_000 }, async () => {
    await other.store.create(`${PREFIX}a`, text('1'));
    etcd.ctl(['put', '/registry/foreign/a', 'not an object']);
    await other.store.create(`${PREFIX}b`, text('1'));
    expect((await reader.store.list(PREFIX)).records.length).toBe(2);
    await expect(reader.store.list('/registry/foreign/')).rejects.toThrow('another program wrote it');
    etcd.ctl(['del', '/registry/foreign/a']);
    expect((await reader.store.list('/registry/foreign/')).records).toEqual([]);
    expect((await reader.store.list(PREFIX)).records.length).toBe(2);
    expect(reader.fills).toBe(1);
  });

  test('writes of other programs beside the store do not stop its reads', async () => {
    await other.store.create(`${PREFIX}a`, text('1'));
    etcd.ctl(['put', '/elsewhere', 'x']);
    const { revision, records } = await reader.store.list(PREFIX);
    expect(records.length).toBe(1);
    await other.store.create(`${PREFIX}b`, text('1'));
    const next = await reader.store.list(PREFIX);
    expect(next.records.length).toBe(2);
    expect(next.revision).toBe(revision + 1);
  });

  test('the write that arranges a compaction does not leave it behind', { timeout: 300_000 }, async () => {
    const compacting = await Reader.open(etcd, { compactionInterval: 50 });
    const { modRevision } = await compacting.store.create(`${PREFIX}a`, text('1'));
    for (;;) {
      const { revision, records } = await compacting.store.list(PREFIX);
      expect(records.length).toBe(1);
      // A read that etcd answers does not change what the cache knows.
      if (revision > modRevision && (compacting.store.knownRevision?.() ?? 0) >= revision) break;
    }
    await compacting.store.close();
  });

  test('without the option, every read goes to etcd', async () => {
    const plain = await etcd.open({ watchCache: false });
    expect(plain.index).toBeUndefined();
    expect(plain.knownRevision).toBeUndefined();
    await plain.close();
  });
});

function versions({ records }: Awaited<ReturnType<Storage['list']>>): string[] {
  return records.map(({ key, modRevision }) => `${key}@${modRevision}`);
}
