import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import { plainValues } from '../../../src/storage/encrypted/value-codec.js';
import { ColdTexts } from '../../../src/storage/sqlite/cold-texts.js';
import { defaultDriver } from '../../../src/storage/sqlite/open.js';
import { openSqliteStorage, type SqliteStorageOptions } from '../../../src/storage/sqlite/index.js';
import type { Storage, StorageEvent, StorageRecord } from '../../../src/storage/storage.js';
import { configuration, encryption, entry, everything, KEY_1, provider } from '../encrypted/configurations.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

const TEXT = 'x'.repeat(1000);
const textOf = (key: string, revision: number): string => JSON.stringify({ key, revision, TEXT });
const keyOf = (index: number): string => `/registry/samples/default/s${String(index).padStart(4, '0')}`;

/** A store in a file, opened with the texts of three objects in memory. */
function fileStore(): {
  readonly path: string;
  readonly clock: ManualClock;
  open(options?: Partial<SqliteStorageOptions>): Promise<Storage>;
} {
  const path = join(storeDirectory(), 'store.db');
  const clock = new ManualClock();
  return { path, clock, open: (options) => openSqliteStorage({ path, clock, cacheObjects: 3500, ...options }) };
}

async function fill(storage: Storage, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      storage.create(keyOf(index), (revision) => textOf(keyOf(index), revision)),
    ),
  );
}

async function recordOf(storage: Storage, key: string): Promise<StorageRecord> {
  const { record } = await storage.get(key);
  if (record === undefined) throw new Error(`${key} does not exist`);
  return record;
}

/** Changes the file with a connection of its own, while no engine has it open. */
function change(path: string, sql: string): void {
  const require = createRequire(import.meta.url);
  interface Database {
    exec(statement: string): void;
    close(): void;
  }
  const open = isBuiltin('node:sqlite')
    ? (require('node:sqlite') as { DatabaseSync: new (path: string) => Database }).DatabaseSync
    : (require('libsql') as new (path: string) => Database);
  const database = new open(path);
  database.exec(sql);
  database.close();
}

it('reads no text when it opens: a damaged one is found when it is read, and the others are served', async () => {
  const { path, open } = fileStore();
  const filling = await open();
  await fill(filling, 20);
  await filling.close();
  change(path, `UPDATE versions SET text = replace(text, 'x', 'y') WHERE key = '${keyOf(7)}'`);
  const storage = await open();
  const { records } = await storage.list('/registry/');
  expect(records.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, index) => keyOf(index)));
  for (const record of records) {
    if (record.key === keyOf(7)) expect(() => record.text).toThrow(/is damaged: the write of revision \d+ is damaged/);
    else expect(record.text).toBe(textOf(record.key, record.modRevision));
  }
  await storage.close();
});

it('returns the same record before and after its text has left the memory', async () => {
  const { open } = fileStore();
  const storage = await open();
  await fill(storage, 20);
  const first = await recordOf(storage, keyOf(0));
  for (const { text } of (await storage.list('/registry/')).records) expect(text).toContain('x');
  expect(await recordOf(storage, keyOf(0))).toBe(first);
  expect(first.text).toBe(textOf(keyOf(0), first.modRevision));
  await storage.close();
});

it('a version that the history has dropped stays readable for those who have it', async () => {
  const { open } = fileStore();
  const storage = await open();
  await fill(storage, 10);
  const events: StorageEvent[] = [];
  storage.watch('/registry/', 1, {
    events: (batch) => void events.push(...batch.slice()),
    progress: () => undefined,
    end: () => undefined,
  });
  const { records: before } = await storage.list('/registry/');
  for (const { key, modRevision } of before)
    await storage.update(key, (revision) => textOf(key, revision), modRevision);
  const { records: between } = await storage.list('/registry/');
  for (const { key, modRevision } of between)
    await storage.delete(key, (revision) => textOf(key, revision), modRevision);
  await storage.compact(await storage.currentRevision());
  // Each group of writes removes unneeded rows.
  for (let index = 0; index < 5; index += 1)
    await storage.create(`/other/${index}`, (revision) => textOf('other', revision));
  for (const record of [...before, ...between]) expect(record.text).toBe(textOf(record.key, record.modRevision));
  for (const { record, previous } of events.filter(({ key }) => key.startsWith('/registry/'))) {
    expect(record.text).toBe(textOf(record.key, record.modRevision));
    if (previous !== undefined) expect(previous.text).toBe(textOf(previous.key, previous.modRevision));
  }
  await storage.close();
});

it('counts the keys of all objects, and the texts in memory up to the limit', async () => {
  const { open } = fileStore();
  const filling = await open();
  await fill(filling, 100);
  await filling.close();
  const storage = await open({ history: 0 });
  const budget = new MemoryBudget({ historyBytes: 1_000_000, memoryBytes: 10_000_000 });
  storage.shareBudget?.(budget);
  expect(budget.usedFor('objectTexts')).toBe(0);
  const keys = 100 * keyOf(0).length;
  expect(budget.usedFor('objects')).toBeGreaterThan(keys);
  expect(budget.usedFor('objects')).toBeLessThan(keys + 100 * 256);
  for (const { text } of (await storage.list('/registry/')).records) expect(text).toContain('x');
  expect(budget.usedFor('objectTexts')).toBeGreaterThan(2000);
  expect(budget.usedFor('objectTexts')).toBeLessThanOrEqual(3500);
  await storage.close();
  expect(budget.usedFor('objectTexts')).toBe(0);
  expect(budget.usedFor('objects')).toBe(0);
});

it('a store of more text than the limit of objects takes further ones: only keys count', async () => {
  const { open } = fileStore();
  const storage = await open();
  const budget = new MemoryBudget({ historyBytes: 1_000_000, memoryBytes: 10_000_000 });
  budget.limitObjectsText(20_000);
  storage.shareBudget?.(budget);
  await fill(storage, 100);
  expect((await storage.list('/registry/')).records).toHaveLength(100);
  await storage.close();
});

it('a text that is not in memory cannot be read after the storage is closed', async () => {
  const { open } = fileStore();
  const storage = await open({ cacheObjects: 0 });
  await fill(storage, 1);
  const record = await recordOf(storage, keyOf(0));
  await storage.close();
  expect(() => record.text).toThrow('the storage is closed');
});

it(
  'decrypts a text when it is read, and refuses encrypted values that nothing decrypts',
  { timeout: 300_000 },
  async () => {
    const { path, open } = fileStore();
    const codec = await everything('aesgcm');
    const filling = await open({ encryption: codec, cacheObjects: 0 });
    await fill(filling, 3);
    expect((await recordOf(filling, keyOf(1))).text).toBe(textOf(keyOf(1), 3));
    await filling.close();
    expect(readFileSync(path).includes(TEXT)).toBe(false);
    const storage = await open({ encryption: codec, cacheObjects: 0 });
    for (const record of (await storage.list('/registry/')).records) {
      // Known without a read of the text by the caller.
      expect(storage.isStale?.(record)).toBe(false);
      expect(record.text).toBe(textOf(record.key, record.modRevision));
    }
    await storage.close();
    await expect(open()).rejects.toThrow(/unable to transform key ".*s0000": the value is encrypted, and no/);
  },
);

it('refuses key services, now and when the configuration changes: a read does not wait for a key', async () => {
  const { open } = fileStore();
  const reason = /cacheObjects.*and a key service \(KMS\) do not go together on sqlite/;
  const kms = { kms: { apiVersion: 'v2', name: 'vault', endpoint: 'unix:///nowhere.sock' } };
  const withService = await encryption(entry(['secrets'], kms, provider('identity')));
  await expect(open({ encryption: withService })).rejects.toThrow(reason);
  withService.close();
  const codec = await everything('aesgcm');
  await expect(open({ encryption: { ...codec, prepare: () => undefined } })).rejects.toThrow(reason);
  const local = await encryption(entry(['secrets'], provider('aesgcm', { one: KEY_1 })));
  const storage = await open({ encryption: local });
  expect(() => local.reload(configuration(entry(['secrets'], kms)))).toThrow(reason);
  await storage.close();
});

it('finds pages that SQLite sees as damaged, after the start', async () => {
  const { path, open } = fileStore();
  const filling = await open();
  await fill(filling, 5);
  await filling.close();
  // Rows that contradict the schema: only SQLite's own check notices.
  change(
    path,
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'expires_at INTEGER', 'expires_at INTEGER NOT NULL') WHERE name = 'versions';",
  );
  const cold = new ColdTexts({ driver: defaultDriver(), file: path, path, codec: plainValues, maxBytes: 0 });
  expect(() => cold.assertSound()).not.toThrow();
  cold.startCheck();
  await cold.close();
  expect(() => cold.assertSound()).toThrow(/is damaged/);
});
