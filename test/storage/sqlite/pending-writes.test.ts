import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ResultCode, SqliteFailure } from '../../../src/storage/sqlite/failure.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import type { Storage, StorageEvent, StorageRecord } from '../../../src/storage/storage.js';
import { ManualClock } from '../manual-clock.js';
import { StagedConnection } from './staged-connection.js';
import { storeDirectory } from './store-directory.js';

const text = (value: string) => (revision: number) => `${value}@${revision}`;
const IO_ERROR = 10;

async function open(): Promise<{ path: string; clock: ManualClock; connection: StagedConnection; storage: Storage }> {
  const path = join(storeDirectory(), 'store.db');
  const clock = new ManualClock();
  const { connection, storage } = await StagedConnection.open({ path, clock });
  onTestFinished(() => storage.close());
  return { path, clock, connection, storage };
}

/** Blocks all transactions until it is called. */
function hold(connection: StagedConnection): () => void {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  connection.stage = async (transact) => {
    await gate;
    await transact();
  };
  return release;
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function outcomeOf(promise: Promise<unknown>): { settled: string | undefined } {
  const outcome: { settled: string | undefined } = { settled: undefined };
  promise.then(
    () => (outcome.settled = 'done'),
    (error: unknown) => (outcome.settled = String((error as { code?: unknown }).code)),
  );
  return outcome;
}

function watched(storage: Storage): string[] {
  const seen: string[] = [];
  const note = ({ type, key, revision, record }: StorageEvent): void =>
    void seen.push(`${type} ${key}@${revision} ${record.text}`);
  storage.watch('', 1, { events: (events) => events.forEach(note), progress: () => undefined, end: () => undefined });
  return seen;
}

describe('sqlite storage: pending writes', () => {
  it('are invisible until they are durable', async () => {
    const { connection, storage } = await open();
    const seen = watched(storage);
    const release = hold(connection);
    const writing = storage.create('/a', text('x'));
    await turns(5);
    expect(await storage.get('/a')).toEqual({ record: undefined, revision: 1 });
    expect(await storage.list('')).toEqual({ records: [], revision: 1, remaining: 0 });
    expect(await storage.currentRevision()).toBe(1);
    expect(seen).toEqual([]);
    release();
    const record = await writing;
    expect(await storage.get('/a')).toEqual({ record, revision: 2 });
    expect(seen).toEqual(['create /a@2 x@2']);
  });

  it('are the basis for checking later writes, and conflicts wait for them', async () => {
    const { connection, storage } = await open();
    const release = hold(connection);
    const created = storage.create('/a', text('1'));
    const again = outcomeOf(storage.create('/a', text('2')));
    const updated = storage.update('/a', text('3'), 2);
    const stale = outcomeOf(storage.update('/a', text('4'), 2));
    const deleted = storage.delete('/a', text('5'), 3);
    const missing = outcomeOf(storage.update('/a', text('6'), 4));
    const recreated = storage.create('/a', text('7'));
    await turns(5);
    expect([again, stale, missing].map((outcome) => outcome.settled)).toEqual([undefined, undefined, undefined]);
    release();
    const records: StorageRecord[] = await Promise.all([created, updated, deleted, recreated]);
    expect(records.map((record) => record.text)).toEqual(['1@2', '3@3', '5@4', '7@5']);
    await turns(1);
    expect([again, stale, missing].map((outcome) => outcome.settled)).toEqual(['KeyExists', 'Conflict', 'KeyNotFound']);
  });

  it('share a transaction when they arrive together; a single one has its own', async () => {
    const { connection, storage } = await open();
    await storage.create('/lone', text('x'));
    expect(connection.transactions).toBe(1);
    await Promise.all(Array.from({ length: 100 }, (_, index) => storage.create(`/many/${index}`, text('x'))));
    expect(connection.transactions).toBe(2);
    const release = hold(connection);
    const first = storage.create('/first', text('x'));
    await turns(2);
    const during = Array.from({ length: 50 }, (_, index) => storage.create(`/during/${index}`, text('x')));
    release();
    await Promise.all([first, ...during]);
    expect(connection.transactions).toBe(4);
  });

  it('are all rolled back when a group fails, and the store continues', async () => {
    const { path, clock, connection, storage } = await open();
    const kept = await storage.create('/kept', text('x'));
    const seen = watched(storage);
    connection.stage = async () => {
      await turns(3);
      throw new SqliteFailure(ResultCode.Full, 'database or disk is full');
    };
    const failing = [
      storage.create('/a', text('1')),
      storage.create('/b', text('1')),
      storage.update('/kept', text('2'), kept.modRevision),
      storage.create('/kept', text('3')),
    ];
    await turns(2);
    const behind = [storage.update('/a', text('2'), 3), storage.create('/c', text('1'))];
    for (const write of failing)
      await expect(write).rejects.toMatchObject({
        code: 'Unavailable',
        message: 'nothing was written: database or disk is full',
      });
    for (const write of behind)
      await expect(write).rejects.toMatchObject({
        code: 'Unavailable',
        message: 'nothing was written, because a write before it failed: database or disk is full',
      });
    expect(await storage.list('')).toEqual({ records: [kept], revision: 2, remaining: 0 });
    expect(seen).toEqual(['create /kept@2 x@2']);
    connection.stage = (transact) => transact();
    expect((await storage.create('/a', text('4'))).text).toBe('4@3');
    expect(connection.reopened).toBe(0);
    await storage.close();
    const reopened = await openSqliteStorage({ path, clock });
    expect((await reopened.list('')).records.map((record) => record.text)).toEqual(['4@3', 'x@2']);
    await reopened.close();
  });

  it('of a failed large group leave nothing behind, although most of it was sent early', async () => {
    const { path, clock, connection, storage } = await open();
    const createAll = (value: string) =>
      Array.from({ length: 30 }, (_, index) => storage.create(`/${String(index).padStart(2, '0')}`, text(value)));
    connection.stage = () => Promise.reject(new SqliteFailure(ResultCode.Full, 'database or disk is full'));
    for (const outcome of await Promise.allSettled(createAll('lost')))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'Unavailable' } });
    connection.stage = (transact) => transact();
    await storage.create('/alone', text('kept'));
    await Promise.all(createAll('kept'));
    expect(connection.transactions).toBe(3);
    await storage.close();
    const reopened = await openSqliteStorage({ path, clock });
    const texts = (await reopened.list('')).records.map((record) => record.text);
    expect(texts).toEqual([...Array.from({ length: 30 }, (_, index) => `kept@${index + 3}`), 'kept@2']);
    await reopened.close();
  });

  it('rejected by a full disk do not touch the log until it has grown, so that they do not take the space that the next one needs', async () => {
    const { connection, storage } = await open();
    const long = 'x'.repeat(2 << 20);
    connection.stage = async (transact) =>
      connection.transactions > 1
        ? Promise.reject(new SqliteFailure(ResultCode.Full, 'database or disk is full'))
        : transact();
    const first = storage.create('/a', text(long));
    await turns(1);
    await expect(storage.create('/b', text('1'))).rejects.toMatchObject({ code: 'Unavailable' });
    await first;
    await storage.ping();
    connection.stage = (transact) => transact();
    await storage.create('/b', text('2'));
    await turns(20);
    expect([connection.transactions, connection.checkpoints]).toEqual([3, 0]);
    await storage.create('/c', text(long));
    while (connection.checkpoints === 0) await turns(1);
  });

  it('with an unknown outcome are looked up in the file, and take effect if found', async () => {
    const { connection, storage } = await open();
    const seen = watched(storage);
    for (const [round, written] of [true, false, true].entries()) {
      connection.stage = async (transact) => {
        if (written) await transact();
        throw new SqliteFailure(IO_ERROR, 'disk I/O error');
      };
      await expect(storage.create(`/${round}`, text('x'))).rejects.toMatchObject({
        code: 'Unavailable',
        message: 'writing failed, and its outcome is unknown: disk I/O error',
      });
      connection.stage = (transact) => transact();
      const outcome = outcomeOf(storage.create(`/${round}`, text('y')));
      await storage.ping();
      await turns(20);
      while (outcome.settled === undefined) await turns(1);
      expect(outcome.settled).toBe(written ? 'KeyExists' : 'done');
    }
    expect(connection.reopened).toBe(3);
    expect(seen).toEqual(['create /0@2 x@2', 'create /1@3 y@3', 'create /2@4 x@4']);
  });

  it('are rejected while the file is unavailable, reads are answered, and both recover by themselves', async () => {
    const { connection, storage } = await open();
    const kept = await storage.create('/kept', text('x'));
    const away = new SqliteFailure(IO_ERROR, 'disk I/O error');
    connection.stage = async () => Promise.reject(away);
    connection.onReopen = () => {
      throw away;
    };
    await expect(storage.create('/a', text('1'))).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(storage.create('/a', text('1'))).rejects.toMatchObject({
      code: 'Unavailable',
      message: 'the store cannot be reached: disk I/O error',
    });
    await expect(storage.ping()).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(storage.compact(2)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await storage.get('/kept')).toEqual({ record: kept, revision: 2 });
    connection.stage = (transact) => transact();
    connection.onReopen = () => undefined;
    await storage.ping();
    expect((await storage.create('/a', text('2'))).text).toBe('2@3');
  });

  it('are completed by a close', async () => {
    const { path, clock, connection, storage } = await open();
    const release = hold(connection);
    const writing = storage.create('/a', text('x'));
    await turns(2);
    const closing = storage.close();
    await expect(storage.get('/a')).rejects.toMatchObject({ code: 'Unavailable' });
    release();
    await writing;
    await closing;
    const reopened = await openSqliteStorage({ path, clock });
    expect((await reopened.get('/a')).record?.text).toBe('x@2');
    await reopened.close();
  });

  it('of an expired key are retried when they fail', async () => {
    const { clock, connection, storage } = await open();
    const seen = watched(storage);
    await storage.create('/a', text('x'), { ttl: 1000, encodeExpired: text('gone') });
    connection.stage = async () => Promise.reject(new SqliteFailure(ResultCode.Full, 'database or disk is full'));
    clock.advance(1000);
    await turns(20);
    expect((await storage.get('/a')).record?.text).toBe('x@2');
    connection.stage = (transact) => transact();
    clock.advance(1000);
    while (seen.length < 2) await turns(1);
    expect(seen).toEqual(['create /a@2 x@2', 'delete /a@3 gone@3']);
  });
});
