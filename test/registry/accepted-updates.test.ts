/**
 * Updates of one object that begin before the ones before them are durable, on a real file whose transactions wait.
 *
 * @module
 */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { ResultCode, SqliteFailure } from '../../src/storage/sqlite/failure.js';
import { partitionOf } from '../../src/storage/partition/partition.js';
import type { Storage } from '../../src/storage/storage.js';
import { StagedConnection } from '../storage/sqlite/staged-connection.js';
import { storeDirectory } from '../storage/sqlite/store-directory.js';

const COUNT = 32;

/** Turns of the event loop. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('updates of an object whose newest version is not durable yet', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const start = async (around: (storage: Storage) => Storage = (storage) => storage) => {
    const path = join(storeDirectory(), 'store.db');
    const { connection, storage } = await StagedConnection.open({ path, clock: createManualClock() });
    closing.push(() => storage.close());
    const running = await startTestServer({ storage: around(storage) });
    closing.push(() => running.close());
    await running.settled();
    const maps = running.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'a' }, data: { n: '0' } });
    await running.settled();
    connection.transactions = 0;
    return { connection, maps };
  };

  /** Holds transactions; returns what lets them go, with the failure of the next one. */
  const hold = (connection: StagedConnection): ((failure?: Error) => void) => {
    let release = (_failure?: Error): void => undefined;
    const gate = new Promise<Error | undefined>((resolve) => (release = resolve));
    connection.stage = async (transact) => {
      const failure = await gate;
      connection.stage = (next) => next();
      if (failure !== undefined) throw failure;
      await transact();
    };
    return release;
  };
  const FULL = new SqliteFailure(ResultCode.Full, 'database or disk is full');

  /** Whether a call has ended, and how. */
  const outcomeOf = (call: Promise<unknown>): { settled: string } => {
    const outcome = { settled: 'no' };
    call.then(
      () => (outcome.settled = 'done'),
      (error: unknown) => (outcome.settled = String(error)),
    );
    return outcome;
  };

  test.each([
    ['a store', (storage: Storage) => storage],
    ['a part of a store', (storage: Storage) => partitionOf(storage, '/part')],
  ])('share transactions in %s', async (_, around) => {
    const { connection, maps } = await start(around);
    const updated = await Promise.all(
      Array.from({ length: COUNT }, (__, index) => maps.patch('a', { data: { [`k${index}`]: 'v' } })),
    );
    // One by one, there would be a transaction for each.
    expect(connection.transactions).toBeLessThan(COUNT / 4);
    const versions = updated.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((one, other) => one - other));
    expect(new Set(versions).size).toBe(COUNT);
    expect(Object.keys((await maps.get('a')).data ?? {})).toHaveLength(COUNT + 1);
    expect(updated.map(({ data }) => Object.keys(data ?? {}).length)).toEqual(
      Array.from({ length: COUNT }, (__, index) => index + 2),
    );
  });

  test('are seen by nobody before they are durable', async () => {
    const { connection, maps } = await start();
    const release = hold(connection);
    const writing = [maps.patch('a', { data: { n: '1' } }), maps.patch('a', { data: { n: '2' } })];
    await turns(5);
    expect((await maps.get('a')).data).toEqual({ n: '0' });
    release();
    await Promise.all(writing);
    expect((await maps.get('a')).data).toEqual({ n: '2' });
  });

  test('that change nothing wait until that version is durable', async () => {
    const { connection, maps } = await start();
    const release = hold(connection);
    const first = maps.patch('a', { data: { n: '1' } });
    await turns(5);
    const same = maps.patch('a', { data: { n: '1' } });
    const outcome = outcomeOf(same);
    await turns(20);
    expect(outcome.settled).toBe('no');
    release();
    expect((await same).metadata.resourceVersion).toBe((await first).metadata.resourceVersion);
  });

  test('that change nothing write when that version never becomes durable', async () => {
    const { connection, maps } = await start();
    const release = hold(connection);
    const first = outcomeOf(maps.patch('a', { data: { n: '1' } }));
    await turns(5);
    const same = maps.patch('a', { data: { n: '1' } });
    await turns(5);
    release(FULL);
    expect((await same).data).toEqual({ n: '1' });
    expect(first.settled).toContain('database or disk is full');
    expect((await maps.get('a')).data).toEqual({ n: '1' });
  });

  test('that rehearse see that version once it is durable', async () => {
    const { connection, maps } = await start();
    const release = hold(connection);
    const first = maps.patch('a', { data: { n: '1' } });
    await turns(5);
    const rehearsal = maps.patch('a', { data: { m: '1' } }, { dryRun: true });
    const outcome = outcomeOf(rehearsal);
    await turns(20);
    expect(outcome.settled).toBe('no');
    release();
    await first;
    expect((await rehearsal).data).toEqual({ n: '1', m: '1' });
    expect((await maps.get('a')).data).toEqual({ n: '1' });
  });

  test('that it makes invalid are refused once it is durable, and tried again when it never is', async () => {
    const { connection, maps } = await start();
    const before = await maps.get('a');
    let release = hold(connection);
    const failing = outcomeOf(maps.patch('a', { data: { n: '1' } }));
    await turns(5);
    const bound = maps.update({ ...before, data: { n: '2' } });
    await turns(5);
    release(FULL);
    // The version that it names is the newest one after all.
    expect((await bound).data).toEqual({ n: '2' });
    expect(failing.settled).toContain('database or disk is full');

    release = hold(connection);
    const changing = maps.patch('a', { data: { n: '3' } });
    await turns(5);
    const late = outcomeOf(maps.update({ ...(await maps.get('a')), data: { n: '4' } }));
    await turns(20);
    expect(late.settled).toBe('no');
    release();
    await changing;
    await turns(20);
    expect(late.settled).toContain('the object has been modified');
  });

  test('fail with it, and are not made twice', async () => {
    const { connection, maps } = await start();
    const release = hold(connection);
    const writing = Promise.allSettled([
      maps.patch('a', { data: { n: '1' } }),
      maps.patch('a', { data: { m: '1' } }),
      maps.patch('a', { data: { o: '1' } }),
    ]);
    await turns(20);
    release(FULL);
    expect((await writing).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect((await maps.get('a')).data).toEqual({ n: '0' });
    expect((await maps.patch('a', { data: { n: '5' } })).data).toEqual({ n: '5' });
  });
});
