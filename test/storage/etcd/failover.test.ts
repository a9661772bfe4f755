import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEtcdStorage } from '../../../src/storage/etcd/index.js';
import { systemClock } from '../../../src/foundation/index.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import type { Storage } from '../../../src/storage/storage.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';
import { TcpProxy } from '../remote/tcp-proxy.js';

const PREFIX = '/registry/samples/';
const text = (revision: number): string => JSON.stringify({ metadata: { resourceVersion: String(revision) } });

describe.skipIf(etcdVersion === undefined)('a cluster of three', { timeout: 300_000 }, () => {
  let members: readonly EtcdProcess[];
  let storage: Storage;
  beforeEach(async () => {
    members = await EtcdProcess.startCluster(3);
    storage = await openEtcdStorage({
      endpoints: members.map(({ url }) => url),
      clock: systemClock,
      compactionInterval: 0,
    });
  });
  afterEach(async () => {
    await storage.close();
    await Promise.all(members.map((member) => member.remove()));
  });

  /**
   * Creates a key, with as many attempts as needed; the create counts if it was acknowledged or the key turns out to
   * exist.
   */
  async function create(name: string): Promise<number> {
    for (;;) {
      try {
        return (await storage.create(PREFIX + name, text)).modRevision;
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(Unavailable|KeyExists)$/) as string });
        const known = await storage.get(PREFIX + name).catch(() => undefined);
        if (known?.record !== undefined) return known.record.modRevision;
      }
    }
  }

  test('serves with the remaining members, and the watch continues on another member', async () => {
    const from = await storage.currentRevision();
    const sink = new RecordingSink(from);
    storage.watch(PREFIX, from, sink);
    const revisions: number[] = [];
    for (const [round, member] of members.entries()) {
      for (let count = 0; count < 5; count += 1) revisions.push(await create(`${round}-${count}`));
      await member.end(round % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      for (let count = 5; count < 10; count += 1) revisions.push(await create(`${round}-${count}`));
      await member.start();
    }
    await sink.untilCount(revisions.length);
    expect(sink.received.map(({ revision }) => revision)).toEqual(revisions);
    expect((await storage.list(PREFIX)).records).toHaveLength(30);
  });

  test('leaves a member that has lost the others', async () => {
    const [first, second, third] = members;
    await create('a');
    // Two paused members leave no majority; the connected one cannot serve, and either reports that or does not answer.
    second?.pause();
    third?.pause();
    await expect(storage.get(`${PREFIX}a`)).rejects.toMatchObject({ code: 'Unavailable' });
    first?.pause();
    second?.resume();
    third?.resume();
    await create('b');
    expect((await storage.list(PREFIX)).records.map(({ key }) => key)).toEqual([`${PREFIX}a`, `${PREFIX}b`]);
    first?.resume();
  });
});

describe.skipIf(etcdVersion === undefined)('several endpoints', () => {
  test('may include dead members or other servers', async () => {
    const etcd = await EtcdProcess.start();
    const proxy = await TcpProxy.start(etcd.port);
    const dead = await TcpProxy.start(1);
    const deadUrl = dead.url;
    await dead.close();
    proxy.drop('everything');
    const storage = await openEtcdStorage({ endpoints: [deadUrl, proxy.url, etcd.url], clock: systemClock });
    try {
      await storage.create(`${PREFIX}a`, text);
      expect((await storage.list(PREFIX)).records).toHaveLength(1);
    } finally {
      await storage.close();
      await proxy.close();
      await etcd.remove();
    }
  });
});
