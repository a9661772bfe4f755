import { statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import type { SqliteDriver, SqliteStorageOptions } from '../../../src/storage/sqlite/index.js';
import { defaultDriver } from '../../../src/storage/sqlite/open.js';
import type { Revision, Storage, StorageEvent, StorageWatchEnd } from '../../../src/storage/storage.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const text = (value: string) => (revision: number) => `${value}@${revision}`;

interface Home {
  readonly path: string;
  readonly clock: ManualClock;
  open(options?: Partial<SqliteStorageOptions>): Promise<Storage>;
}

function home(): Home {
  const path = join(storeDirectory(), 'deep', 'down', 'store.db');
  const clock = new ManualClock();
  return { path, clock, open: (options = {}) => openSqliteStorage({ path, clock, ...options }) };
}

interface Watched {
  readonly seen: string[];
  readonly ends: StorageWatchEnd[];
}

function watch(storage: Storage, from: Revision): Watched {
  const watched: Watched = { seen: [], ends: [] };
  const note = ({ type, key, revision, record, previous }: StorageEvent): void =>
    void watched.seen.push(`${type} ${key}@${revision} ${record.text} after ${previous?.text ?? 'nothing'}`);
  storage.watch('', from, {
    events: (events) => events.forEach(note),
    progress: () => undefined,
    end: (reason) => void watched.ends.push(reason),
  });
  return watched;
}

async function rows(path: string, driver: SqliteDriver = defaultDriver()): Promise<string[]> {
  const connection = await SqliteConnection.open({ driver, file: path, lockFile: undefined, settings: '' });
  const found = await connection.run('SELECT revision, key FROM versions ORDER BY revision');
  await connection.close();
  return found.map(([revision, key]) => `${key?.toString()}@${revision?.toString()}`);
}

/** A few writes of every kind: revisions 2 to 7. */
async function writeSome(storage: Storage): Promise<void> {
  await storage.create('/a', text('1'));
  await storage.create('/b', text('1'));
  await storage.update('/a', text('2'), 2);
  await storage.delete('/b', text('gone'), 3);
  await storage.create('/c', text('1'));
  await storage.update('/a', text('3'), 4);
}

describe('sqlite storage: reopened', () => {
  it('has its records, its revision and its history', async () => {
    const { open } = home();
    const storage = await open();
    await writeSome(storage);
    const [before, past] = [await storage.list(''), await storage.list('', { revision: 4 })];
    await storage.close();
    const again = await open();
    expect(await again.list('')).toEqual({ ...before, records: before.records.map((record) => ({ ...record })) });
    expect((await again.list('', { revision: 4 })).records.map((record) => record.text)).toEqual(
      past.records.map((record) => record.text),
    );
    expect(watch(again, 3).seen).toEqual([
      'update /a@4 2@4 after 1@2',
      'delete /b@5 gone@5 after 1@3',
      'create /c@6 1@6 after nothing',
      'update /a@7 3@7 after 2@4',
    ]);
    expect((await again.create('/d', text('1'))).modRevision).toBe(8);
    await again.close();
  });

  it('does not age its history while it is closed, even after it is closed twice', async () => {
    const { open, clock } = home();
    const storage = await open({ history: 1000 });
    await storage.create('/a', text('1'));
    await storage.close();
    clock.advance(DAY_MS);
    const second = await open({ history: 1000 });
    clock.advance(900);
    await second.create('/b', text('1'));
    await second.close();
    const third = await open({ history: 1000 });
    expect(watch(third, 1).seen).toEqual(['create /a@2 1@2 after nothing', 'create /b@3 1@3 after nothing']);
    clock.advance(101);
    expect(await third.compactedRevision()).toBe(2);
    await third.close();
  });

  it('treats a clock that was set back as one that continued', async () => {
    const { path, open } = home();
    const storage = await openSqliteStorage({ path, clock: new ManualClock(2_000_000_000_000), history: 1000 });
    await storage.create('/a', text('1'));
    await storage.close();
    const again = await open({ history: 1000 });
    await again.create('/b', text('1'));
    await again.close();
    const third = await open({ history: 1000 });
    expect(watch(third, 1).seen).toHaveLength(2);
    await third.close();
  });

  it('lets a watcher resume, however long it was closed', async () => {
    const { open, clock } = home();
    const storage = await open({ history: 1000 });
    await writeSome(storage);
    await storage.close();
    clock.advance(DAY_MS);
    const again = await open({ history: 1000 });
    expect(watch(again, 5).seen).toHaveLength(2);
    clock.advance(1001);
    const late = watch(again, 5);
    expect(late).toEqual({ seen: [], ends: [{ kind: 'compacted', compactRevision: 7 }] });
    await again.close();
  });

  it('keeps forgotten history forgotten, and continues its revisions although the last writes are gone', async () => {
    const { open, path } = home();
    const storage = await open();
    await writeSome(storage);
    const c = (await storage.get('/c')).record;
    await storage.delete('/c', text('gone'), c?.modRevision ?? 0);
    await storage.compact(8);
    await storage.close();
    expect(await rows(path)).toEqual(['/a@7']);
    const again = await open();
    expect([await again.currentRevision(), await again.compactedRevision()]).toEqual([8, 8]);
    await expect(again.list('', { revision: 7 })).rejects.toMatchObject({ code: 'Compacted', revision: 8 });
    expect((await again.create('/d', text('1'))).modRevision).toBe(9);
    await again.close();
  });

  it('deletes the rows of expired history while it works, and no needed row', async () => {
    const { open, path, clock } = home();
    const storage = await open({ history: 1000 });
    await writeSome(storage);
    clock.advance(2000);
    for (let round = 0; round < 3; round++) await storage.create(`/later/${round}`, text('1'));
    expect(await rows(path)).toEqual(['/c@6', '/a@7', '/later/0@8', '/later/1@9', '/later/2@10']);
    await storage.close();
    const again = await open({ history: 1000 });
    expect((await again.list('', { revision: 8 })).records.map((record) => record.text)).toEqual(['3@7', '1@6', '1@8']);
    await again.close();
  });

  it('deletes many rows while the queue is idle', async () => {
    const { open, path } = home();
    const storage = await open();
    await Promise.all(Array.from({ length: 3000 }, (_, index) => storage.create(`/many/${index}`, text('1'))));
    await Promise.all(
      Array.from({ length: 3000 }, (_, index) => storage.update(`/many/${index}`, text('2'), index + 2)),
    );
    await storage.compact(await storage.currentRevision());
    // Long before it is closed.
    for (let left = 6000; left > 3600; left = (await rows(path)).length)
      await new Promise((resolve) => setImmediate(resolve));
    await storage.close();
    const again = await open();
    expect((await again.list('')).records).toHaveLength(3000);
    await again.close();
    expect(await rows(path)).toHaveLength(3000);
  });

  it('expires keys whose time passed while it was closed, with a text for the new revision if it has a stamp function', async () => {
    const { open, clock } = home();
    const storage = await open();
    const ttl = { ttl: 1000, encodeExpired: text('expired') };
    await storage.create('/soon', text('1'), ttl);
    await storage.create('/late', text('1'), { ...ttl, ttl: 2 * DAY_MS });
    await storage.create('/lifted', text('1'), ttl);
    await storage.update('/lifted', text('2'), 4);
    await storage.close();
    clock.advance(DAY_MS);
    const again = await open({ stampRevision: (stored, revision) => stored.replace(/@\d+/, `@${revision}`) });
    expect((await again.list('')).records).toHaveLength(3);
    const { seen } = watch(again, 5);
    clock.advance(0);
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['delete /soon@6 1@6 after 1@2']);
    expect([...(await again.expiries()).keys()]).toEqual(['/late']);
    await again.close();
  });

  it('has every text unchanged, whatever its characters', async () => {
    const { open } = home();
    const storage = await open();
    const texts = [
      '',
      'a\0b',
      '\0',
      '\ud800',
      'x\udc00y',
      'é😀',
      '"quoted"',
      '\\u0000',
      '1;2 3',
      'x'.repeat(3_000_000),
      '\u{10ffff}',
    ];
    for (const [index, value] of texts.entries()) {
      await storage.create(`/${index}`, () => value);
      await storage.create(`/key ${index} ${value.slice(0, 100)}`, () => value);
    }
    await storage.close();
    const again = await open();
    for (const [index, value] of texts.entries()) {
      expect((await again.get(`/${index}`)).record?.text).toBe(value);
      expect((await again.get(`/key ${index} ${value.slice(0, 100)}`)).record?.text).toBe(value);
    }
    await again.close();
  });

  it('is not written to by an opening and a close', async () => {
    const { open, path } = home();
    const storage = await open();
    await writeSome(storage);
    await storage.close();
    const { mtimeMs } = statSync(path);
    await (await open()).close();
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  it('makes its files unreadable for other users', async () => {
    const { open, path } = home();
    const storage = await open();
    await storage.create('/a', text('1'));
    for (const name of [path, `${path}-wal`, `${path}-shm`, `${path}-lock`, join(path, '..'), join(path, '..', '..')])
      expect([name, statSync(name).mode & 0o077]).toEqual([name, 0]);
    await storage.close();
  });

  const drivers: SqliteDriver[] = isBuiltin('node:sqlite') ? ['libsql', 'node:sqlite'] : ['libsql'];
  for (const written of drivers) {
    for (const read of drivers) {
      it(`by ${read} after ${written}`, async () => {
        const { open } = home();
        const storage = await open({ driver: written });
        await writeSome(storage);
        await storage.close();
        const again = await open({ driver: read });
        expect((await again.list('')).records.map((record) => record.text)).toEqual(['3@7', '1@6']);
        await again.create('/d', text('1'));
        await again.close();
        const back = await open({ driver: written });
        expect((await back.list('')).records).toHaveLength(3);
        await back.close();
      });
    }
  }
});
