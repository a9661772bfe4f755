import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { Cluster } from '../../../src/storage/etcd/cluster.js';
import { Compactor } from '../../../src/storage/etcd/compactor.js';
import { EtcdClient } from '../../../src/storage/etcd/rpc/client.js';
import { parseEndpoints } from '../../../src/storage/etcd/rpc/endpoint.js';
import type { Storage } from '../../../src/storage/storage.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import { ManualClock } from '../manual-clock.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';

const INTERVAL = 300_000;
const PREFIX = '/registry/samples/';
/** Resolves when a condition holds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}
const text = (revision: number): string => JSON.stringify({ metadata: { resourceVersion: String(revision) } });

describe.skipIf(etcdVersion === undefined)('compaction', () => {
  let etcd: EtcdProcess;
  let storage: Storage;
  const stops: (() => void)[] = [];
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(async () => {
    storage = await etcd.open();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    await storage.close();
  });

  /** A compactor with its own clock. */
  function compactor(): { turn(): Promise<void>; readonly compacted: number[]; readonly outside: number[] } {
    const clock = new ManualClock();
    const client = new EtcdClient({
      endpoints: parseEndpoints([etcd.url]),
      clock: systemClock,
      credentials: undefined,
      tls: () => ({}),
      callTimeoutMs: 5_000,
    });
    const compacted: number[] = [];
    const outside: number[] = [];
    const errors: unknown[] = [];
    const made = new Compactor({
      cluster: new Cluster(client, systemClock),
      clock,
      intervalMs: INTERVAL,
      compacted: (revision) => compacted.push(revision),
      wroteOutside: (revision) => outside.push(revision),
      onError: (error) => errors.push(error),
    });
    made.start();
    stops.push(() => {
      made.stop();
      client.close();
      expect(clock.pending).toBe(0);
      expect(errors).toEqual([]);
    });
    return {
      compacted,
      outside,
      async turn() {
        clock.advance(INTERVAL);
        // The next turn starts only after this one has ended.
        await until(() => clock.pending > 0);
      },
    };
  }

  /** Number of turns taken. */
  const turn = (): string => /"version":(\d+)/.exec(etcd.ctl(['get', 'compact_rev_key', '-w', 'json']))?.[1] ?? '';
  const oldest = async (): Promise<number> => {
    const page = storage.list(PREFIX, { revision: 1 });
    return page.then(
      () => 0,
      (error: { revision?: number }) => error.revision ?? -1,
    );
  };

  test('is done by one of several compactors, and discards the history before the previous turn', async () => {
    const servers = [compactor(), compactor(), compactor()];
    const reported: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 5; count += 1) await storage.create(`${PREFIX}${round}-${count}`, text);
      reported.push(await storage.currentRevision());
      const before = await oldest();
      await servers[round % 3]?.turn();
      const after = await oldest();
      for (const server of servers) if (server !== servers[round % 3]) await server.turn();
      // The others were too late.
      expect(await oldest()).toBe(after);
      expect(after).toBeGreaterThanOrEqual(before);
    }
    const compacted = await oldest();
    expect(compacted).toBeGreaterThanOrEqual(reported[1] ?? 0);
    expect(compacted).toBeLessThan(reported[3] ?? 0);
    for (const server of servers) expect(server.compacted.at(-1)).toBe(compacted);
    // All of them know the revision of the last turn, which no event of the store has.
    for (const server of servers) expect(server.outside.at(-1)).toBe(await storage.currentRevision());
    expect(Number(etcd.ctl(['get', '--print-value-only', 'compact_rev_key']))).toBe(compacted);
  });

  test('does not start with revisions whose age a server has not observed', async () => {
    const before = await oldest();
    await storage.create(`${PREFIX}new`, text);
    const late = compactor();
    await late.turn();
    expect(await oldest()).toBe(before);
  });

  test('is done by the engine at intervals, and its watches continue', async () => {
    const own = await etcd.open({ prefix: '/compacting', compactionInterval: 100 });
    const from = await own.currentRevision();
    const sink = new RecordingSink(from);
    own.watch(PREFIX, from, sink);
    for (let round = 0; round < 3; round += 1) {
      const created = await own.create(`${PREFIX}${round}`, text);
      await sink.untilCount(round + 1);
      const before = turn();
      await until(() => turn() !== before);
      expect((await own.get(created.key)).record).toBe(created);
    }
    await until(async () => (await own.compactedRevision()) > from);
    expect(sink.ends).toEqual([]);
    await own.close();
  });
});
