/** A store in PostgreSQL of which few texts are in memory. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { MemoryBudget } from '../../../src/entries/storage.js';
import { systemClock } from '../../../src/foundation/index.js';
import { openPostgresStorage, type PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import type { Storage, StorageEvent, StorageRecord } from '../../../src/storage/storage.js';
import { coldStorage } from './cold-storage.js';
import { PglitePool } from './pglite-pool.js';
import { WatchedPool } from './watched-pool.js';

const PREFIX = '/registry/samples/';
const keyOf = (index: number): string => `${PREFIX}s${String(index).padStart(4, '0')}`;
const COUNT = 60;
/** A database in this process is slow on a busy machine. */
const TIMEOUT = 120_000;
const textOf = (key: string, revision: number, value = 'first'): string =>
  JSON.stringify({
    kind: 'Sample',
    apiVersion: 'v1',
    metadata: { name: key, resourceVersion: String(revision) },
    color: Number(key.slice(-1)) % 2 === 0 ? 'red' : 'blue',
    value: `${value} `.repeat(200),
  });
const lengthOfOne = textOf(keyOf(1), 10).length;

let pool: PglitePool;
let stores = 0;
let schema = '';
let writer: Storage;
beforeAll(async () => {
  pool = new PglitePool();
  await pool.run('SELECT 1', []);
}, TIMEOUT);
afterAll(() => pool.close());
beforeEach(async () => {
  schema = `cold${(stores += 1)}`;
  writer = await open({ watchCache: false });
  const store = writer;
  await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      store.create(keyOf(index), (revision) => textOf(keyOf(index), revision)),
    ),
  );
  return () => store.close();
}, TIMEOUT);

const open = (options: Partial<PostgresStorageOptions>): Promise<Storage> =>
  openPostgresStorage({ pool, schema, clock: systemClock, compactionInterval: 0, ...options });

/** Opens the store again, as another server would: nothing of it is in memory. */
async function opened(
  cacheObjects = 3 * lengthOfOne,
  budget = new MemoryBudget(),
): Promise<{ readonly storage: Storage; readonly watched: WatchedPool }> {
  const watched = new WatchedPool(pool);
  // Without the texts of recent versions, which the engine keeps for its watches.
  const storage = await coldStorage(
    cacheObjects,
    (options) => open({ ...options, pool: watched, maxCachedTextLength: 0 }),
    budget,
  );
  return { storage, watched };
}

async function put(storage: Storage, key: string, value?: string): Promise<StorageRecord> {
  const { record } = await storage.get(key);
  const encode = (revision: number): string => textOf(key, revision, value);
  return record === undefined ? storage.create(key, encode) : storage.update(key, encode, record.modRevision);
}

const check = (record: StorageRecord | undefined, value?: string): void =>
  expect(record?.text).toBe(textOf(record?.key ?? '', record?.modRevision ?? 0, value));

test('starts from the keys, and reads the texts of a page with one request', { timeout: TIMEOUT }, async () => {
  const { storage, watched } = await opened();
  expect(watched.sent.filter((name) => /^(page|page_at|versions|get)$/.test(name))).toEqual([]);
  const page = await storage.list(PREFIX, { limit: 40 });
  expect(page.remaining).toBe(COUNT - 40);
  expect(page.records.map(({ key }) => key)).toEqual(Array.from({ length: 40 }, (_, index) => keyOf(index)));
  for (const record of page.records) check(record);
  expect(watched.count('versions')).toBe(1);
  expect(watched.count('page')).toBe(0);
  await storage.close();
});

test('the reads of a turn share one request, and a text in memory needs none', { timeout: TIMEOUT }, async () => {
  const { storage, watched } = await opened();
  const found = await Promise.all(
    [5, 6, 7, 5, 8].map((index) => storage.list(keyOf(index), { notOlderThan: 0 }).then(({ records }) => records[0])),
  );
  for (const record of found) check(record);
  expect(found[3]).toBe(found[0]);
  expect(watched.count('versions')).toBe(1);
  const again = await storage.list(keyOf(8), { notOlderThan: 0 });
  expect(again.records[0]).toBe(found[4]);
  expect(watched.count('versions')).toBe(1);
  await storage.close();
});

test('counts the keys, and the texts in memory up to the limit', { timeout: TIMEOUT }, async () => {
  const budget = new MemoryBudget({ historyBytes: 10_000_000, memoryBytes: 100_000_000 });
  const { storage } = await opened(10 * lengthOfOne, budget);
  expect(budget.usedFor('objectTexts')).toBe(0);
  const keys = COUNT * keyOf(0).length;
  expect(budget.usedFor('watchCache')).toBeGreaterThan(keys);
  expect(budget.usedFor('watchCache')).toBeLessThan(keys + COUNT * 256);
  for (const record of (await storage.list(PREFIX)).records) check(record);
  for (let index = 0; index < COUNT; index += 1) check((await storage.get(keyOf(index))).record);
  expect(budget.usedFor('objectTexts')).toBeGreaterThan(8 * lengthOfOne);
  expect(budget.usedFor('objectTexts')).toBeLessThanOrEqual(10 * lengthOfOne);
  await storage.close();
  expect(budget.usedFor('objectTexts')).toBe(0);
  expect(budget.usedFor('watchCache')).toBe(0);
});

test(
  'a read reserves the memory of the texts first, and is refused where it cannot',
  { timeout: TIMEOUT },
  async () => {
    const { storage, watched } = await opened();
    const reserved: number[] = [];
    await storage.list(PREFIX, { limit: 10, reserve: (bytes) => reserved.push(bytes) });
    expect(reserved.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThanOrEqual(10 * lengthOfOne);
    const before = watched.count('versions');
    const refuse = (): never => {
      throw new Error('no memory');
    };
    await expect(storage.list(PREFIX, { reserve: refuse })).rejects.toThrow('no memory');
    expect(watched.count('versions')).toBe(before);
    await storage.close();
  },
);

/** Writes long texts behind the short ones. */
async function writeLong(): Promise<void> {
  for (let index = 0; index < LONG_COUNT; index += 1)
    await writer.create(`${PREFIX}t${index}`, (revision) => textOf(`t${index}`, revision, 'x'.repeat(1500)));
}
const LONG = 300_000;
const LONG_COUNT = 20;
/** Maximum length of the texts in one answer. */
const ANSWER_LENGTH = 2 * 1024 * 1024;

/** Measures the texts of the answers of a pool, and what has been reserved before each. */
function measured(watched: WatchedPool) {
  const answers: { readonly length: number; readonly total: number; readonly reserved: number }[] = [];
  let total = 0;
  let reserved = 0;
  watched.after = (name, rows) => {
    if (name !== 'versions' && name !== 'page' && name !== 'page_at') return;
    let length = 0;
    for (const row of rows)
      for (const cell of row) if (typeof cell === 'string' && cell.startsWith('{')) length += cell.length;
    total += length;
    answers.push({ length, total, reserved });
  };
  return { answers, reserve: (bytes: number) => void (reserved += bytes) };
}

test.each([
  ['of the copy of the keys', {}],
  ['of the database', { watchCache: false }],
  ['of the database in the past', { watchCache: false }],
] as const)(
  'a list %s reserves long texts behind short ones before it reads them',
  { timeout: TIMEOUT },
  async (what, options) => {
    await writeLong();
    const watched = new WatchedPool(pool);
    const place = { ...options, pool: watched, maxCachedTextLength: 0 };
    const storage =
      what === 'of the copy of the keys'
        ? await coldStorage(0, (given) => open({ ...given, ...place }))
        : await open(place);
    const { records: short, revision } = await storage.list(PREFIX, { limit: 40 });
    expect(short).toHaveLength(40);
    if (what.endsWith('past')) await put(writer, keyOf(0), 'second');
    const { answers, reserve } = measured(watched);
    const { records } = await storage.list(PREFIX, { reserve, ...(what.endsWith('past') ? { revision } : {}) });
    expect(records).toHaveLength(COUNT + LONG_COUNT);
    expect(answers.at(-1)?.total).toBeGreaterThan(LONG * LONG_COUNT);
    for (const { length, total, reserved } of answers) {
      expect(length).toBeLessThanOrEqual(ANSWER_LENGTH);
      expect(total).toBeLessThanOrEqual(reserved);
    }
    // Not many more than the texts need, and no more memory than they take, but for what the last answer had to spare.
    expect(answers.length).toBeLessThan(10);
    expect(answers.at(-1)?.reserved).toBeLessThan((answers.at(-1)?.total ?? 0) + ANSWER_LENGTH);
    await storage.close();
  },
);

test('an index reads long texts behind short ones in answers of limited length', { timeout: TIMEOUT }, async () => {
  await writeLong();
  const budget = new MemoryBudget();
  const { storage, watched } = await opened(0, budget);
  const { answers } = measured(watched);
  const { after } = watched;
  const held: number[] = [];
  watched.after = (name, rows) => {
    after(name, rows);
    if (answers.length > held.length) held.push(budget.usedFor('bodies'));
  };
  const index = storage.index?.(PREFIX, ({ text }) => ({ isLong: text.length > LONG ? 'yes' : 'no' }));
  const requirements = [{ attribute: 'isLong', values: ['no'] }];
  const found = await index?.find({ prefix: PREFIX, requirements });
  expect(found?.records).toHaveLength(COUNT);
  expect(answers.at(-1)?.total).toBeGreaterThan(LONG * LONG_COUNT);
  for (const { length } of answers) expect(length).toBeLessThanOrEqual(ANSWER_LENGTH);
  // The texts for the index are reserved before they are read, the long ones last.
  const ofIndex = answers.findIndex(({ total }) => total > LONG * LONG_COUNT) + 1;
  for (const [number, { length }] of answers.slice(0, ofIndex).entries())
    expect(held[number]).toBeGreaterThanOrEqual(length);
  expect(budget.usedFor('bodies')).toBe(0);
  await storage.close();
});

test('an index whose texts have no memory reads none, and does not answer', { timeout: TIMEOUT }, async () => {
  const budget = new MemoryBudget({ memoryBytes: 512 * 1024 });
  const { storage, watched } = await opened(0, budget);
  const requests = budget.open('bodies');
  // It leaves less than the texts of a whole answer may have.
  requests.hold(400 * 1024);
  const index = storage.index?.(PREFIX, ({ key }) => ({ isFirst: key === keyOf(0) ? 'yes' : 'no' }));
  const query = { prefix: PREFIX, requirements: [{ attribute: 'isFirst', values: ['yes'] }] };
  const before = watched.count('versions');
  expect(await index?.find(query)).toBeUndefined();
  expect(watched.count('versions')).toBe(before);
  requests.close();
  expect((await index?.find(query))?.records.map(({ key }) => key)).toEqual([keyOf(0)]);
  await storage.close();
});

test('shows the writes of another server, now and in the past', { timeout: TIMEOUT }, async () => {
  const { storage } = await opened(0);
  const { revision } = await storage.list(PREFIX, { limit: 1 });
  await put(writer, keyOf(3), 'second');
  const { record: gone } = await writer.get(keyOf(4));
  await writer.delete(keyOf(4), (at) => textOf(keyOf(4), at), gone?.modRevision ?? 0);
  check((await storage.get(keyOf(3))).record, 'second');
  const { records: now } = await storage.list(PREFIX);
  expect(now).toHaveLength(COUNT - 1);
  check(now[3], 'second');
  const { records: then } = await storage.list(PREFIX, { revision });
  expect(then).toHaveLength(COUNT);
  for (const record of then) check(record);
  const events: StorageEvent[] = [];
  storage.watch(PREFIX, revision, {
    events: (batch) => void events.push(...batch),
    progress: () => undefined,
    end: () => undefined,
  });
  await expect
    .poll(() => events.map(({ type, key }) => `${type} ${key}`))
    .toEqual([`update ${keyOf(3)}`, `delete ${keyOf(4)}`]);
  check(events[0]?.record, 'second');
  check(events[0]?.previous);
  check(events[1]?.previous);
  await storage.close();
});

test('a version that is compacted while it is read: the list shows a later state', { timeout: TIMEOUT }, async () => {
  const { storage, watched } = await opened(0);
  const { revision } = await storage.list(PREFIX, { limit: 1 });
  let isChanged = false;
  watched.before = async (name) => {
    if (name !== 'versions' || isChanged) return;
    isChanged = true;
    await put(writer, keyOf(2), 'second');
    // The newest row stays.
    await put(writer, keyOf(5), 'second');
    await writer.compact(await writer.currentRevision());
  };
  const { records } = await storage.list(PREFIX, { notOlderThan: 0 });
  expect(isChanged).toBe(true);
  for (const [index, record] of records.entries()) check(record, index === 2 || index === 5 ? 'second' : 'first');
  // The copy still has what was replaced since, and the store the rest.
  for (const record of (await storage.list(PREFIX, { revision })).records) check(record);
  await storage.close();
});

test(
  'a read whose connection is lost is sent again; while the database is away, reads fail as others do',
  { timeout: TIMEOUT },
  async () => {
    const { storage, watched } = await opened(0);
    let failures = 1;
    watched.before = (name) => {
      if (name === 'versions' && failures-- > 0) throw new Error('Connection terminated unexpectedly');
    };
    check((await storage.list(keyOf(1), { notOlderThan: 0 })).records[0]);
    failures = 2;
    await expect(storage.list(keyOf(1), { notOlderThan: 0 })).rejects.toMatchObject({ code: 'Unavailable' });
    check((await storage.list(keyOf(1), { notOlderThan: 0 })).records[0]);
    await storage.close();
  },
);

test('an index reads the texts once, in a few requests, and follows the writes', { timeout: TIMEOUT }, async () => {
  const { storage, watched } = await opened(0);
  const index = storage.index?.(PREFIX, ({ text }) => {
    const { color } = JSON.parse(text) as { readonly color: string };
    return { color };
  });
  const red = { prefix: PREFIX, requirements: [{ attribute: 'color', values: ['red'] }] };
  const first = await index?.find(red);
  expect(first?.records.map(({ key }) => key)).toEqual(
    Array.from({ length: COUNT / 2 }, (_, position) => keyOf(2 * position)),
  );
  expect(watched.count('versions')).toBe(2);
  await put(writer, keyOf(COUNT));
  await put(writer, keyOf(0), 'second');
  const second = await index?.find({ ...red, after: keyOf(COUNT - 3) });
  expect(second?.records.map(({ key }) => key)).toEqual([keyOf(COUNT - 2), keyOf(COUNT)]);
  const updated = await index?.find({ ...red, limit: 1 });
  check(updated?.records[0], 'second');
  // One for each answer, and one of the watch for what an update replaced.
  expect(watched.count('versions')).toBeLessThanOrEqual(5);
  await storage.close();
});

test('needs the watch cache', { timeout: TIMEOUT }, async () => {
  await expect(open({ cacheObjects: 0, watchCache: false })).rejects.toThrow(
    'cacheObjects limits the texts in the watch cache: leave it out, or do not turn the cache off',
  );
});
