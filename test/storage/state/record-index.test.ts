import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MemoryBudget,
  type StorageQuery,
  type StorageRecord,
  type StorageTerms,
} from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import { ManualClock } from '../manual-clock.js';

const PREFIX = '/registry/samples/';

/** The terms that a text spells, such as `a=1,b=2`; unknown for `?`. */
function termsOf({ text }: StorageRecord): StorageTerms | undefined {
  if (text === '?') return undefined;
  const pairs = text === '' ? [] : text.split(',').map((term) => term.split('='));
  return Object.fromEntries(pairs) as StorageTerms;
}

function matches(record: StorageRecord, { requirements }: Pick<StorageQuery, 'requirements'>): boolean {
  const terms = termsOf(record);
  if (terms === undefined) return true;
  return requirements.every(({ attribute, values, negated = false }) => {
    const value = terms[attribute];
    return (value !== undefined && (values === undefined || values.includes(value))) !== negated;
  });
}

type Write = { readonly key: string; readonly text: string | undefined };

const keys = fc.tuple(fc.constantFrom('a/', 'b/', ''), fc.nat(40)).map(([part, name]) => `${PREFIX}${part}${name}`);
const otherKeys = fc.nat(5).map((name) => `/registry/others/${name}`);
const texts = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.nat(3), fc.nat(30)).map(([a, b]) => `a=${a},b=${b}`) },
  { weight: 2, arbitrary: fc.constantFrom('', 'a=1', 'c=x', '?') },
);
const writes: fc.Arbitrary<Write> = fc.record({
  key: fc.oneof({ weight: 9, arbitrary: keys }, otherKeys),
  text: fc.option(texts, { nil: undefined, freq: 3 }),
});
const requirement = fc.record({
  attribute: fc.constantFrom('a', 'b', 'c', 'd'),
  values: fc.option(fc.uniqueArray(fc.constantFrom('0', '1', '2', '17', 'x'), { maxLength: 3 }), { nil: undefined }),
  negated: fc.boolean(),
});
const queries: fc.Arbitrary<StorageQuery> = fc.record({
  prefix: fc.constantFrom(PREFIX, `${PREFIX}a/`, `${PREFIX}b/`),
  requirements: fc.array(requirement, { minLength: 1, maxLength: 3 }),
  after: fc.option(fc.oneof(keys, otherKeys), { nil: undefined }),
  limit: fc.constantFrom(0, 0, 1, 3, 10),
});

function createStore(options: Partial<Parameters<typeof createMemoryStorage>[0]> = {}) {
  const storage = createMemoryStorage({ clock: new ManualClock(), ...options });
  const write = async ({ key, text }: Write): Promise<void> => {
    const { record } = await storage.get(key);
    if (text === undefined) {
      if (record !== undefined) await storage.delete(key, () => record.text, record.modRevision);
    } else if (record === undefined) await storage.create(key, () => text);
    else await storage.update(key, () => text, record.modRevision);
  };
  return { storage, write };
}

/** The answer that a read of the whole range gives. */
async function scanned(storage: ReturnType<typeof createStore>['storage'], query: StorageQuery) {
  const page = await storage.list(query.prefix, { after: query.after, revision: query.revision });
  const found = page.records.filter((record) => matches(record, query));
  const limit = query.limit ?? 0;
  const records = limit > 0 ? found.slice(0, limit) : found;
  const last = records.at(-1);
  const remaining =
    limit > 0 && records.length === limit && last !== undefined
      ? page.records.length - page.records.indexOf(last) - 1
      : 0;
  return { keys: records.map(({ key, modRevision }) => `${key}@${modRevision}`), remaining, revision: page.revision };
}

describe('the index of a store', () => {
  test('answers like a read of the range, under any writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(writes, { maxLength: 120 }),
        fc.array(fc.oneof({ weight: 4, arbitrary: writes }, queries), { maxLength: 60 }),
        async (before, steps) => {
          const { storage, write } = createStore();
          for (const each of before) await write(each);
          const index = storage.index?.(PREFIX, termsOf);
          for (const step of steps) {
            if ('key' in step) {
              await write(step);
              continue;
            }
            const expected = await scanned(storage, step);
            const found = await index?.find(step);
            expect({
              keys: found?.records.map(({ key, modRevision }) => `${key}@${modRevision}`),
              remaining: found?.remaining,
              revision: found?.revision,
            }).toEqual(expected);
            if (found?.exact === true)
              expect((await storage.list(PREFIX)).records.every((record) => record.text !== '?')).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('answers for earlier revisions like a read of their ranges, or not at all', async () => {
    let answers = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(writes, { minLength: 10, maxLength: 120 }),
        fc.array(fc.tuple(queries, fc.nat(80)), { minLength: 1, maxLength: 20 }),
        async (before, steps) => {
          const { storage, write } = createStore();
          for (const each of before) await write(each);
          const index = storage.index?.(PREFIX, termsOf);
          const newest = await storage.currentRevision();
          for (const [query, ago] of steps) {
            const past = { ...query, revision: Math.max(newest - ago, 1) };
            const found = await index?.find(past);
            if (found === undefined) continue;
            answers += 1;
            expect({
              keys: found.records.map(({ key, modRevision }) => `${key}@${modRevision}`),
              remaining: found.remaining,
              revision: found.revision,
            }).toEqual(await scanned(storage, past));
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(answers).toBeGreaterThan(300);
  });

  test('answers with one state while it is built and other writes go on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 30, maxLength: 200 }), queries, async (list, query) => {
        const { storage, write } = createStore();
        for (let number = 0; number < 400; number += 1)
          await write({ key: `${PREFIX}a/${(number * 37) % 400}`, text: `a=${number % 3},b=${number % 90}` });
        const states = new Map<number, string[]>();
        const note = async (): Promise<void> => {
          const { revision, keys: found } = await scanned(storage, query);
          states.set(revision, found);
        };
        await note();
        const index = storage.index?.(PREFIX, termsOf);
        const first = index?.find(query);
        for (const each of list) {
          await write(each);
          await note();
        }
        for (const answer of [await first, await index?.find(query)])
          expect(answer?.records.map(({ key, modRevision }) => `${key}@${modRevision}`)).toEqual(
            states.get(answer?.revision ?? 0),
          );
      }),
      { numRuns: 60 },
    );
  });

  test('shows one state of a range that takes several slices, whatever is written meanwhile', async () => {
    const { storage, write } = createStore({ maxHistoryEvents: 10 });
    const count = 140_000;
    for (let number = 0; number < count; number += 1)
      await storage.create(`${PREFIX}${number}`, () => `a=${number % 2}`);
    const index = storage.index?.(PREFIX, termsOf);
    const query = { prefix: PREFIX, requirements: [{ attribute: 'a', values: ['1'] }] };
    await index?.find(query);
    const { keys: expected, revision } = await scanned(storage, query);
    const answer = index?.find(query);
    for (const name of ['99999', '99997', '9', '130001']) await write({ key: `${PREFIX}${name}`, text: undefined });
    await write({ key: `${PREFIX}99998`, text: 'a=1' });
    await write({ key: `${PREFIX}new`, text: 'a=1' });
    const found = await answer;
    expect(found?.revision).toBe(revision);
    expect(found?.records.length).toBe(expected.length);
    expect(found?.records.map(({ key, modRevision }) => `${key}@${modRevision}`)).toEqual(expected);
    expect((await index?.find(query))?.records.length).toBe(count / 2 - 2);
  });

  test('asks for the terms of a record once, and then only for written ones', async () => {
    const { storage, write } = createStore();
    for (let number = 0; number < 1000; number += 1)
      await write({ key: `${PREFIX}${number}`, text: `a=${number % 10}` });
    let asked = 0;
    const index = storage.index?.(PREFIX, (record) => {
      asked += 1;
      return termsOf(record);
    });
    const query = { prefix: PREFIX, requirements: [{ attribute: 'a', values: ['1'] }] };
    expect(asked).toBe(0);
    for (let times = 0; times < 5; times += 1) expect((await index?.find(query))?.records.length).toBe(100);
    expect(asked).toBe(1000);
    await write({ key: `${PREFIX}1`, text: 'a=2' });
    await write({ key: '/registry/others/1', text: 'a=1' });
    expect((await index?.find(query))?.records.length).toBe(99);
    expect(asked).toBe(1002);
  });

  test('lets other work run while it is built', async () => {
    const { storage, write } = createStore();
    for (let number = 0; number < 2000; number += 1) await write({ key: `${PREFIX}${number}`, text: 'a=1' });
    let asked = 0;
    const index = storage.index?.(PREFIX, (record) => {
      asked += 1;
      const until = performance.now() + 0.05;
      while (performance.now() < until);
      return termsOf(record);
    });
    const answer = index?.find({ prefix: PREFIX, requirements: [{ attribute: 'a' }] });
    await nextTurn();
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(2000);
    expect((await answer)?.records.length).toBe(2000);
  });

  test('counts against the budget, and gives up beyond its share', async () => {
    const budget = new MemoryBudget({ historyBytes: 1_000_000 });
    const { storage, write } = createStore({ maxHistoryEvents: 1 });
    storage.shareBudget?.(budget);
    for (let number = 0; number < 500; number += 1) await write({ key: `${PREFIX}${number}`, text: `a=${number}` });
    const base = budget.keptBytes;
    const index = storage.index?.(PREFIX, termsOf);
    const query = { prefix: PREFIX, requirements: [{ attribute: 'a', values: ['1'] }] };
    expect((await index?.find(query))?.records.length).toBe(1);
    expect(budget.keptBytes - base).toBeGreaterThan(20_000);
    for (let number = 500; number < 2000; number += 1) await write({ key: `${PREFIX}${number}`, text: `a=${number}` });
    expect(await index?.find(query)).toBeUndefined();
    expect(budget.keptBytes - base).toBeLessThan(2000);
    for (let number = 300; number < 2000; number += 1) await write({ key: `${PREFIX}${number}`, text: undefined });
    expect((await index?.find(query))?.records.length).toBe(1);
    index?.drop();
    expect(budget.keptBytes - base).toBeLessThan(2000);
  });

  test('releases its memory when all records are gone', async () => {
    const budget = new MemoryBudget();
    const { storage, write } = createStore({ maxHistoryEvents: 1 });
    storage.shareBudget?.(budget);
    const index = storage.index?.(PREFIX, termsOf);
    const query = { prefix: PREFIX, requirements: [{ attribute: 'a' }] };
    await index?.find(query);
    const base = budget.keptBytes;
    for (let number = 0; number < 5000; number += 1)
      await write({ key: `${PREFIX}${number}`, text: `a=${number % 7},b=${number}` });
    expect((await index?.find(query))?.records.length).toBe(5000);
    expect(budget.keptBytes - base).toBeGreaterThan(100_000);
    for (let number = 0; number < 5000; number += 1) await write({ key: `${PREFIX}${number}`, text: undefined });
    expect((await index?.find(query))?.records.length).toBe(0);
    expect(budget.keptBytes - base).toBeLessThan(2000);
  });

  test('needs a prefix that ends in a slash', () => {
    expect(() => createStore().storage.index?.('/registry', termsOf)).toThrow(RangeError);
  });
});
