/** The engines that hold all objects in memory count their texts, and refuse what lets them grow beyond the limit. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryBudget, StorageError, type Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { ManualClock } from './manual-clock.js';

const ENTRY = 256;
const text = (length: number) => (): string => 'x'.repeat(length);

let directory: string;
let path: string;
let budget: MemoryBudget;
let clock: ManualClock;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'objects-text-'));
  path = join(directory, 'store.db');
  budget = new MemoryBudget();
  clock = new ManualClock();
});
afterEach(() => rm(directory, { recursive: true }));

/** Returns the keys and texts of a store, as the budget should count them. */
async function counted(storage: Storage): Promise<number> {
  const { records } = await storage.list('/');
  return records.reduce((bytes, record) => bytes + record.key.length + record.text.length + ENTRY, 0);
}

const engines: Record<string, () => Promise<Storage>> = {
  memory: async () => createMemoryStorage({ clock }),
  sqlite: () => openSqliteStorage({ path, clock, durability: 'relaxed' }),
};

describe.each(Object.entries(engines))('the objects of the engine %s', (_name, open) => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await open();
    storage.shareBudget?.(budget);
  });
  afterEach(() => storage.close());

  it('are counted exactly, whatever is written, and no longer when it is closed', async () => {
    const write = fc.record({ key: fc.nat(4).map((key) => `/key/${key}`), length: fc.option(fc.nat(500)) });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 20 }), async (writes) => {
        for (const { key, length } of writes) {
          const { record } = await storage.get(key);
          if (record === undefined) await storage.create(key, text(length ?? 0));
          else if (length === null) await storage.delete(key, () => record.text, record.modRevision);
          else await storage.update(key, text(length), record.modRevision);
        }
        expect(budget.usedFor('objects')).toBe(await counted(storage));
      }),
      { numRuns: 20 },
    );
    await storage.close();
    expect(budget.usedFor('objects')).toBe(0);
  });

  it('that expire are no longer counted', async () => {
    await storage.create('/a', text(100), { ttl: 1000 });
    clock.advance(2000);
    await expect.poll(async () => (await storage.get('/a')).record).toBeUndefined();
    expect(budget.usedFor('objects')).toBe(0);
  });

  it('may fill the limit exactly; creates and updates beyond it are refused, and leave nothing behind', async () => {
    budget.limitObjectsText(1000);
    const { modRevision } = await storage.create('/a', text(498));
    await storage.create('/b', text(498));
    await expect(storage.create('/c', text(0))).rejects.toMatchObject({
      code: 'Full',
      message: expect.stringMatching(/limit of 1000 bytes .*limits\.objectsTextBytes, --max-objects-text.*delete/),
    });
    await expect(storage.update('/a', text(499), modRevision)).rejects.toThrow(StorageError);
    expect((await storage.get('/a')).record?.text).toHaveLength(498);
    expect(await storage.currentRevision()).toBe(3);
    const same = await storage.update('/a', text(498), modRevision);
    await storage.update('/a', text(400), same.modRevision);
    await storage.create('/c', text(96));
    await expect(storage.create('/d', text(0))).rejects.toMatchObject({ code: 'Full' });
  });

  it('beyond the limit can shrink and be deleted, and grow as far as a write may', async () => {
    const { modRevision } = await storage.create('/a', text(5000));
    const other = await storage.create('/b', text(5000));
    budget.limitObjectsText(1000);
    const marked = await storage.update('/a', text(5100), modRevision, { growthWhenFull: 4096 });
    await expect(
      storage.update('/a', text(20_000), marked.modRevision, { growthWhenFull: 4096 }),
    ).rejects.toMatchObject({
      code: 'Full',
    });
    await storage.update('/b', text(4999), other.modRevision);
    await storage.delete('/a', text(5100), marked.modRevision);
    expect((await storage.list('/')).records.map(({ key }) => key)).toEqual(['/b']);
  });

  it('are not refused for a new digit of the revision', async () => {
    const stamped = (revision: number): string => `${'x'.repeat(100)}${revision}`;
    let { modRevision } = await storage.create('/a', stamped);
    budget.limitObjectsText(50);
    while (modRevision < 12) ({ modRevision } = await storage.update('/a', stamped, modRevision));
    expect(modRevision).toBe(12);
  });

  it('are limited together when many are written at once', async () => {
    budget.limitObjectsText(1000);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => storage.create(`/${String(index).padStart(2, '0')}`, text(97))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(budget.usedFor('objects')).toBe(await counted(storage));
  });
});

it('the objects of a file are counted when it is opened again', async () => {
  const open = (): Promise<Storage> => openSqliteStorage({ path, clock, durability: 'relaxed' });
  let storage = await open();
  const { modRevision } = await storage.create('/a', text(100));
  await storage.update('/a', text(200), modRevision);
  await storage.create('/b', text(300));
  const { record } = await storage.get('/b');
  await storage.delete('/b', text(300), record?.modRevision ?? 0);
  await storage.close();
  storage = await open();
  storage.shareBudget?.(budget);
  expect(budget.usedFor('objects')).toBe(202 + ENTRY);
  await storage.close();
});
