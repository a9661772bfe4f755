import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StorageError, type Storage, type StorageRecord } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion, feedRuns } from './etcd-process.js';
import { TcpProxy } from '../remote/tcp-proxy.js';

const KEY = '/registry/samples/a';
const text = (value: string) => (revision: number) =>
  JSON.stringify({ metadata: { resourceVersion: String(revision) }, value });
/** Enough for the request of a write, and more than a ping. */
const REQUEST_BYTES = 100;

describe.skipIf(etcdVersion === undefined)('an unanswered write', () => {
  let etcd: EtcdProcess;
  let proxy: TcpProxy;
  let prefixes = 0;
  /** Through the proxy. */
  let storage: Storage;
  /** Bypasses the proxy. */
  let direct: Storage;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(async () => {
    proxy = await TcpProxy.start(etcd.port);
    const prefix = `/unanswered-${(prefixes += 1)}`;
    storage = await etcd.open({ endpoints: [proxy.url], prefix });
    direct = await etcd.open({ prefix });
    // By then, everything but the write under test has passed the proxy.
    await feedRuns(storage, direct);
  });
  afterEach(async () => {
    await Promise.all([storage.close(), direct.close()]);
    await proxy.close();
  });

  /** Makes a write that is lost or whose answer is lost; `meanwhile` happens before the writer notices. */
  async function lose(
    dropped: 'answers' | 'requests',
    write: () => Promise<StorageRecord>,
    meanwhile: () => Promise<unknown>,
  ): Promise<StorageRecord | StorageError> {
    proxy.drop(dropped);
    const passed = proxy.requested(REQUEST_BYTES);
    const outcome = write().catch((error: unknown) => {
      if (error instanceof StorageError) return error;
      throw error;
    });
    await passed;
    await meanwhile();
    proxy.drop('nothing');
    proxy.cut();
    return outcome;
  }

  /** Resolves when the key has, or no longer has, its old version. */
  const written = async (condition: (record: StorageRecord | undefined) => boolean): Promise<void> => {
    while (!condition((await direct.get(KEY)).record));
  };
  const present = async (): Promise<StorageRecord | undefined> => (await direct.get(KEY)).record;
  const plain = ({ key, text: value, modRevision, createRevision }: StorageRecord): object => ({
    key,
    value,
    modRevision,
    createRevision,
  });
  const unknown = {
    code: 'Unavailable',
    key: KEY,
    message: expect.stringContaining(`the outcome of the write of ${KEY} is unknown`) as string,
  };

  test('a create that was carried out is found', async () => {
    const outcome = await lose(
      'answers',
      () => storage.create(KEY, text('mine')),
      () => written((record) => record !== undefined),
    );
    const record = await present();
    expect(outcome).not.toBeInstanceOf(Error);
    expect(plain(outcome as StorageRecord)).toEqual(plain(record as StorageRecord));
  });

  test('a create that was carried out, and whose object was changed since, is found', async () => {
    const outcome = await lose(
      'answers',
      () => storage.create(KEY, text('mine')),
      async () => {
        await written((record) => record !== undefined);
        await direct.update(KEY, text('theirs'), (await present())?.modRevision ?? 0);
      },
    );
    expect(plain(outcome as StorageRecord)).toMatchObject({
      modRevision: (await present())?.createRevision,
      value: expect.stringContaining('mine') as string,
    });
  });

  test('the outcome of a lost create is unknown', async () => {
    expect(
      await lose(
        'requests',
        () => storage.create(KEY, text('mine')),
        async () => undefined,
      ),
    ).toMatchObject(unknown);
    expect(await present()).toBeUndefined();
  });

  test('the outcome of a lost create is unknown if another client has created the key', async () => {
    expect(
      await lose(
        'requests',
        () => storage.create(KEY, text('mine')),
        () => direct.create(KEY, text('theirs')),
      ),
    ).toMatchObject(unknown);
    expect((await present())?.text).toContain('theirs');
  });

  test('a create of an existing key is rejected', async () => {
    const before = await direct.create(KEY, text('theirs'));
    await storage.get(KEY);
    const outcome = await lose(
      'requests',
      () => storage.create(KEY, text('mine')),
      async () => undefined,
    );
    expect(outcome).toMatchObject({ code: 'KeyExists', key: KEY, current: { modRevision: before.modRevision } });
  });

  test('an update that was carried out is found', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'answers',
      () => storage.update(KEY, text('2'), before.modRevision),
      () => written((record) => record?.modRevision !== before.modRevision),
    );
    expect(plain(outcome as StorageRecord)).toEqual(plain((await present()) as StorageRecord));
    expect(plain(outcome as StorageRecord)).toMatchObject({ createRevision: before.createRevision });
  });

  test('an update that was carried out, and overwritten many times since, is found', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'answers',
      () => storage.update(KEY, text('2'), before.modRevision),
      async () => {
        await written((record) => record?.modRevision !== before.modRevision);
        for (let value = 3; value < 10; value += 1)
          await direct.update(KEY, text(String(value)), (await present())?.modRevision ?? 0);
      },
    );
    expect(plain(outcome as StorageRecord)).toMatchObject({
      modRevision: before.modRevision + 1,
      value: expect.stringContaining('"2"') as string,
    });
    expect((await present())?.text).toContain('"9"');
  });

  test('a lost update is a conflict if another one took its place', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'requests',
      () => storage.update(KEY, text('2'), before.modRevision),
      () => direct.update(KEY, text('theirs'), before.modRevision),
    );
    expect(outcome).toMatchObject({
      code: 'Conflict',
      key: KEY,
      current: { text: expect.stringContaining('theirs') as string },
    });
  });

  test('the outcome of a lost update that may still arrive is unknown', async () => {
    const before = await storage.create(KEY, text('1'));
    expect(
      await lose(
        'requests',
        () => storage.update(KEY, text('2'), before.modRevision),
        async () => undefined,
      ),
    ).toMatchObject(unknown);
    expect((await present())?.modRevision).toBe(before.modRevision);
  });

  test('the outcome of an update with compacted versions is unknown', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'answers',
      () => storage.update(KEY, text('2'), before.modRevision),
      async () => {
        await written((record) => record?.modRevision !== before.modRevision);
        const last = await direct.update(KEY, text('3'), (await present())?.modRevision ?? 0);
        await direct.compact(last.modRevision);
      },
    );
    expect(outcome).toMatchObject(unknown);
  });

  test('the outcome of an update whose key was removed is unknown', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'requests',
      () => storage.update(KEY, text('2'), before.modRevision),
      () => direct.delete(KEY, text('1'), before.modRevision),
    );
    expect(outcome).toMatchObject(unknown);
  });

  test('the author of a delete is unknown', async () => {
    const before = await storage.create(KEY, text('1'));
    expect(
      await lose(
        'answers',
        () => storage.delete(KEY, text('1'), before.modRevision),
        () => written((record) => record === undefined),
      ),
    ).toMatchObject(unknown);
  });

  test('a lost delete is a conflict if the key was changed', async () => {
    const before = await storage.create(KEY, text('1'));
    const outcome = await lose(
      'requests',
      () => storage.delete(KEY, text('1'), before.modRevision),
      () => direct.update(KEY, text('theirs'), before.modRevision),
    );
    expect(outcome).toMatchObject({ code: 'Conflict', key: KEY });
  });

  test('that cannot be read back either is reported as unknown, with the cause', async () => {
    const own = await etcd.open({ endpoints: [proxy.url], prefix: `/unanswered-${prefixes}`, requestTimeout: 300 });
    proxy.drop('answers');
    await expect(own.create(KEY, text('mine'))).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(
        /outcome of the write .* is unknown: .*no response within .*could not be read back/,
      ) as string,
    });
    proxy.drop('nothing');
    await own.close();
    expect((await present())?.text).toContain('mine');
  });

  test('a read is repeated as often as needed', async () => {
    await direct.create(KEY, text('1'));
    for (let round = 0; round < 5; round += 1) {
      proxy.drop('answers');
      const passed = proxy.requested(REQUEST_BYTES / 4);
      const reading = storage.get(KEY);
      await passed;
      proxy.drop('nothing');
      proxy.cut();
      expect((await reading).record?.text).toContain('"1"');
    }
  });

  test('a close leaves the outcome unknown', async () => {
    proxy.drop('answers');
    const passed = proxy.requested(REQUEST_BYTES);
    const writing = storage.create(KEY, text('mine'));
    const refused = expect(writing).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('unknown') as string,
    });
    await passed;
    await storage.close();
    await refused;
  });
});
