/** A store file made from a snapshot that is read while its server writes, and checked for damage. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { stampRevision } from '../../../src/registry/records/record-codec.js';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import {
  buildSqliteStore,
  checkSqliteStore,
  openSqliteSnapshot,
  openSqliteStorage,
  vacuumSqliteStore,
} from '../../../src/storage/sqlite/index.js';
import { defaultDriver } from '../../../src/storage/sqlite/open.js';
import type { Storage, StorageEvent, StorageWatchEnd } from '../../../src/entries/storage.js';
import type { SnapshotRecord, StoreSnapshot } from '../../../src/storage/transfer/index.js';
import { storeDirectory } from './store-directory.js';

const keyOf = (index: number): string => `/registry/samples/${String(index).padStart(5, '0')}`;
const encoding =
  (value: string) =>
  (revision: number): string =>
    JSON.stringify({ kind: 'Sample', apiVersion: 'v1', metadata: { resourceVersion: String(revision) }, value });

let directory: string;
let path: string;
beforeEach(() => {
  directory = storeDirectory();
  path = join(directory, 'store.db');
});

const open = (file = path): Promise<Storage> => openSqliteStorage({ path: file, clock: systemClock, stampRevision });

/** A store with updates, deletes, a time to live, and non-ASCII text. */
async function populate(storage: Storage): Promise<void> {
  for (let index = 0; index < 40; index += 1) await storage.create(keyOf(index), encoding(`v${index} ü \u{1f600} \0`));
  const changed = await storage.update(keyOf(3), encoding('changed'), 5);
  await storage.update(keyOf(3), encoding('changed again'), changed.modRevision, { ttl: 3_600_000 });
  await storage.delete(keyOf(4), encoding('gone'), 6);
}

async function recordsOf(snapshot: StoreSnapshot): Promise<SnapshotRecord[]> {
  const records: SnapshotRecord[] = [];
  for await (const batch of snapshot.batches()) records.push(...batch);
  return records;
}

async function presentOf(storage: Storage): Promise<object[]> {
  const expiries = await storage.expiries();
  return (await storage.list('')).records.map(({ key, text, createRevision, modRevision }) => ({
    key,
    text,
    createRevision,
    modRevision,
    expiresAt: expiries.get(key),
  }));
}

const byKey = (left: SnapshotRecord, right: SnapshotRecord): number => (left.key < right.key ? -1 : 1);

/** The outcome of a watch from a revision: its first events, or the reason for its end. */
async function watched(
  storage: Storage,
  from: number,
): Promise<{ events: string[]; end: StorageWatchEnd | undefined }> {
  const reported: { events: string[]; end: StorageWatchEnd | undefined } = { events: [], end: undefined };
  const watch = storage.watch('', from, {
    events: (events: readonly StorageEvent[]) =>
      reported.events.push(...events.map(({ type, key, revision }) => `${type} ${key} ${revision}`)),
    progress: () => undefined,
    end: (reason) => (reported.end = reason),
  });
  await storage.create(`/registry/last-${from}`, encoding('last'));
  watch.stop();
  return reported;
}

describe('a snapshot', () => {
  test('is one state, taken while the server continues to write', async () => {
    const storage = await open();
    await populate(storage);
    const before = await presentOf(storage);
    const snapshot = await openSqliteSnapshot({ path });
    await storage.create(keyOf(900), encoding('later'));
    expect([snapshot.revision, snapshot.count]).toEqual([44, 39]);
    expect((await recordsOf(snapshot)).sort(byKey)).toEqual(before);
    // It can be read again, with the same result.
    expect(await recordsOf(snapshot)).toHaveLength(39);
    await snapshot.close();
    expect((await storage.list('')).records).toHaveLength(40);
    await storage.close();
  });

  test('of a missing store is rejected, and creates none', async () => {
    await expect(openSqliteSnapshot({ path })).rejects.toThrow(`the store ${path} does not exist`);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a store made from a snapshot', () => {
  const copyOf = join;

  async function source(): Promise<{ present: object[]; snapshot: StoreSnapshot & { close(): Promise<void> } }> {
    const storage = await open();
    await populate(storage);
    const present = await presentOf(storage);
    await storage.close();
    return { present, snapshot: await openSqliteSnapshot({ path }) };
  }

  test('has the keys, texts, revisions and times of the snapshot, and continues with the next revision', async () => {
    const { present, snapshot } = await source();
    const copy = copyOf(directory, 'deeper', 'copy.db');
    const seen: number[] = [];
    await buildSqliteStore(snapshot, { path: copy, clock: systemClock, onProgress: (records) => seen.push(records) });
    await snapshot.close();
    expect(seen.at(-1)).toBe(39);
    expect(readdirSync(join(directory, 'deeper')).sort()).toEqual(['copy.db', 'copy.db-lock']);
    const storage = await open(copy);
    expect(await presentOf(storage)).toEqual(present);
    expect([await storage.currentRevision(), await storage.compactedRevision()]).toEqual([44, 44]);
    expect(await watched(storage, 44)).toEqual({ events: ['create /registry/last-44 45'], end: undefined });
    expect(await watched(storage, 43)).toEqual({ events: [], end: { kind: 'compacted', compactRevision: 44 } });
    await storage.close();
  });

  test('may skip revisions, and then refuses watchers of lost writes', async () => {
    const { snapshot } = await source();
    const copy = copyOf(directory, 'copy.db');
    await buildSqliteStore(snapshot, { path: copy, clock: systemClock, bumpRevision: 1_000 });
    await snapshot.close();
    const storage = await open(copy);
    expect(await storage.currentRevision()).toBe(1_044);
    expect((await storage.create(keyOf(50), encoding('next'))).modRevision).toBe(1_045);
    expect(await watched(storage, 60)).toEqual({ events: [], end: { kind: 'compacted', compactRevision: 1_044 } });
    await storage.close();
    // Also after it is reopened.
    const again = await open(copy);
    expect([
      await again.currentRevision(),
      await again.compactedRevision(),
      (await again.list('')).records.length,
    ]).toEqual([1_046, 1_044, 41]);
    await again.close();
  });

  test('does not replace another one', async () => {
    const { present, snapshot } = await source();
    await expect(buildSqliteStore(snapshot, { path, clock: systemClock })).rejects.toThrow(
      `${path} already contains a store, which is left unchanged: move it away or choose another path`,
    );
    await snapshot.close();
    const storage = await open();
    expect(await presentOf(storage)).toEqual(present);
    await storage.close();
  });

  test('is made by one process at a time, and by none while a server uses the path', async () => {
    const { snapshot } = await source();
    const copy = copyOf(directory, 'copy.db');
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => buildSqliteStore(snapshot, { path: copy, clock: systemClock })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const fresh = join(directory, 'fresh.db');
    const storage = await open(fresh);
    await expect(buildSqliteStore(snapshot, { path: fresh, clock: systemClock })).rejects.toThrow(
      `the store ${fresh} is in use by this process (${process.pid})`,
    );
    await snapshot.close();
    await storage.close();
  });

  test('does not exist if the work is aborted, fails, or its process has died', async () => {
    const { snapshot } = await source();
    const copy = copyOf(directory, 'copy.db');
    const ended = new AbortController();
    await expect(
      buildSqliteStore(snapshot, {
        path: copy,
        clock: systemClock,
        signal: ended.signal,
        onProgress: () => ended.abort(new Error('enough')),
      }),
    ).rejects.toThrow('enough');
    const failing: StoreSnapshot = {
      ...snapshot,
      async *batches() {
        yield* snapshot.batches();
        throw new Error('the source is gone');
      },
    };
    await expect(buildSqliteStore(failing, { path: copy, clock: systemClock })).rejects.toThrow('the source is gone');
    expect(readdirSync(directory).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db-lock']);
    // The files of a process that was killed halfway.
    writeFileSync(`${copy}.incomplete`, 'half of a store');
    expect(existsSync(copy)).toBe(false);
    await buildSqliteStore(snapshot, { path: copy, clock: systemClock });
    await snapshot.close();
    expect(
      readdirSync(directory)
        .filter((name) => name.startsWith('copy.db'))
        .sort(),
    ).toEqual(['copy.db', 'copy.db-lock']);
  });
});

describe('a check', () => {
  test('reports the contents of an intact store while its server continues', async () => {
    const storage = await open();
    await populate(storage);
    const report = await checkSqliteStore({ path });
    expect([report.revision, report.compacted, report.rows, report.present.size, report.problems]).toEqual([
      44,
      0,
      43,
      39,
      [],
    ]);
    expect(report.bytes).toBeGreaterThan(4096);
    await report.close();
    await storage.create(keyOf(100), encoding('still'));
    await storage.close();
  });

  test('finds every damaged and missing row, and reads the others', async () => {
    const storage = await open();
    await populate(storage);
    await storage.close();
    const connection = await SqliteConnection.open({
      driver: defaultDriver(),
      file: path,
      lockFile: undefined,
      settings: '',
    });
    await connection.transact([
      ["UPDATE versions SET text = text || ' ' WHERE revision IN (10, 20)"],
      ['DELETE FROM versions WHERE revision = 30'],
    ]);
    await connection.close();
    const report = await checkSqliteStore({ path });
    expect(report.problems).toEqual([
      'the write of revision 10 is damaged',
      'the write of revision 20 is damaged',
      'the write of revision 30 is missing',
    ]);
    const read: string[] = [];
    for await (const batch of report.records()) read.push(...batch.map(({ key }) => key));
    expect(read).toHaveLength(36);
    await report.close();
    await expect(openSqliteSnapshot({ path })).rejects.toThrow(
      `the store ${path} is damaged: the write of revision 10 is damaged`,
    );
  });
});

test('an emptied file releases its space', async () => {
  const storage = await open();
  for (let index = 0; index < 300; index += 1) await storage.create(keyOf(index), encoding('x'.repeat(4_000)));
  for (let index = 0; index < 300; index += 1) await storage.delete(keyOf(index), encoding(''), index + 2);
  await expect(vacuumSqliteStore({ path })).rejects.toThrow(
    `the store ${path} is in use by this process (${process.pid})`,
  );
  await storage.compact(await storage.currentRevision());
  await storage.close();
  const { before, after } = await vacuumSqliteStore({ path });
  expect(before).toBeGreaterThan(1_000_000);
  expect(after).toBeLessThan(100_000);
  const again = await open();
  expect(await again.currentRevision()).toBe(601);
  await again.close();
});
