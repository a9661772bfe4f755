import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { baseRecord, BaseRecords, layeredStorage, partitionOf } from '../../../src/storage/index.js';
import { StorageError, type Storage, type StorageEvent } from '../../../src/storage/storage.js';
import { ManualClock } from '../manual-clock.js';

const PREFIX = '/registry/roles/';
const BASE = ['b', 'd', 'f', 'h'].map((name) => PREFIX + name);
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => PREFIX + name);

const encoder = (value: string) => (revision: number) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Sample', metadata: { resourceVersion: String(revision) }, value });
const valueIn = (text: string): string => JSON.parse(text).value;
const revisionIn = (text: string): number => Number(JSON.parse(text).metadata.resourceVersion);

/** A store above a base, and a plain one that has the same records as its own. */
async function both(): Promise<{ layered: Storage; upper: Storage; plain: Storage }> {
  const clock = new ManualClock();
  const upper = partitionOf(createMemoryStorage({ clock }), '/w/0');
  const base = new BaseRecords(BASE.map((key) => baseRecord(key, encoder(`base ${key}`)(7))));
  const plain = createMemoryStorage({ clock });
  for (const key of BASE) await plain.create(key, encoder(`base ${key}`));
  return { layered: layeredStorage(upper, base), upper, plain };
}

const seen = ({ type, key, record, previous }: StorageEvent): unknown => [
  ...[type, key, valueIn(record.text), previous && valueIn(previous.text)],
  revisionIn(record.text) === record.modRevision,
];

function followed(storage: Storage, from: number): unknown[] {
  const events: unknown[] = [];
  storage.watch(PREFIX, from, {
    events: (batch) => events.push(...batch.map(seen)),
    progress: () => undefined,
    end: () => undefined,
  });
  return events;
}

interface Step {
  readonly verb: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly isStale: boolean;
}

/** Makes a step, and returns its result in a form without revisions. */
async function take(storage: Storage, { verb, key, isStale }: Step, value: string): Promise<string> {
  const current = (await storage.get(key)).record;
  const revision = isStale ? 1_000_000 : (current?.modRevision ?? 1_000_000);
  try {
    if (verb === 'create') return valueIn((await storage.create(key, encoder(value))).text);
    if (verb === 'update') return valueIn((await storage.update(key, encoder(value), revision)).text);
    return valueIn((await storage.delete(key, encoder(current ? valueIn(current.text) : ''), revision)).text);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `${error.code} ${error.current === undefined ? '' : valueIn(error.current.text)}`;
  }
}

async function pages(storage: Storage, limit: number, revision?: number): Promise<unknown[]> {
  const found: unknown[] = [];
  let page = await storage.list(PREFIX, { limit, revision });
  for (;;) {
    found.push([page.records.map(({ key, text }) => [key, valueIn(text)]), page.remaining]);
    const after = page.records.at(-1)?.key;
    if (page.remaining === 0 || after === undefined) return found;
    page = await storage.list(PREFIX, { limit, after, revision: page.revision });
  }
}

describe('a store above a base', () => {
  const step = fc.record({
    verb: fc.constantFrom('create' as const, 'update' as const, 'delete' as const),
    key: fc.constantFrom(...KEYS),
    isStale: fc.boolean(),
  });

  it('behaves as a store that has the records of the base as its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
        const { layered, plain } = await both();
        const start = { layered: await layered.currentRevision(), plain: await plain.currentRevision() };
        const events = { layered: followed(layered, start.layered), plain: followed(plain, start.plain) };
        for (const [index, each] of steps.entries())
          expect(await take(layered, each, `v${index}`)).toBe(await take(plain, each, `v${index}`));
        expect(await pages(layered, limit)).toEqual(await pages(plain, limit));
        expect(await pages(layered, 0)).toEqual(await pages(plain, 0));
        expect(await pages(layered, limit, start.layered)).toEqual(await pages(plain, limit, start.plain));
        expect(events.layered).toEqual(events.plain);
        expect(followed(layered, start.layered)).toEqual(events.plain);
        for (const key of KEYS) {
          const [own, other] = [(await layered.get(key)).record, (await plain.get(key)).record];
          expect(own && valueIn(own.text)).toBe(other && valueIn(other.text));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts exactly what a page leaves, when its own records lie beyond the base and before it', async () => {
    const { layered, plain } = await both();
    for (const storage of [layered, plain]) {
      for (let index = 0; index < 40; index += 1) await storage.create(`${PREFIX}a${index}`, encoder('own'));
      const last = (await storage.get(`${PREFIX}h`)).record;
      await storage.delete(`${PREFIX}h`, encoder('base'), last?.modRevision ?? 0);
      const changed = (await storage.get(`${PREFIX}d`)).record;
      await storage.update(`${PREFIX}d`, encoder('changed'), changed?.modRevision ?? 0);
    }
    for (const limit of [1, 3, 7, 38, 39, 40, 41])
      expect(await pages(layered, limit)).toEqual(await pages(plain, limit));
  });

  it('stores nothing for the records of the base, and shares them', async () => {
    const { layered, upper } = await both();
    expect((await layered.list(PREFIX)).records).toHaveLength(BASE.length);
    expect((await upper.list('/')).records).toEqual([]);
    expect((await layered.get(BASE[0] ?? '')).record).toBe((await layered.list(PREFIX)).records[0]);
  });

  it('refuses a time to live, after which a record of the base would appear again', async () => {
    const { layered } = await both();
    await expect(layered.update(BASE[0] ?? '', encoder('x'), 1, { ttl: 1000 })).rejects.toThrow(/time to live/);
  });
});

describe('a part of a store', () => {
  it('neither sees nor changes the keys of others, whatever a key is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 12 }), async (names) => {
        const engine = createMemoryStorage({ clock: new ManualClock() });
        const [own, other] = [partitionOf(engine, '/w/a'), partitionOf(engine, '/w/b')];
        await other.create('/registry/x', encoder('other'));
        const keys = [...new Set(names.map((name) => `/registry/${name}`))];
        for (const key of keys) await own.create(key, encoder(key));
        expect(new Set((await own.list('')).records.map(({ key }) => key))).toEqual(new Set(keys));
        expect((await other.list('')).records.map(({ key }) => key)).toEqual(['/registry/x']);
      }),
      { numRuns: 100 },
    );
  });

  it('throws on a record of another part, and names its own key in an error', async () => {
    const engine = createMemoryStorage({ clock: new ManualClock() });
    const foreign = (await engine.create('/w/b/x', encoder('other'))) && (await engine.get('/w/b/x'));
    const wrong = partitionOf({ ...engine, get: async () => foreign } as Storage, '/w/a');
    await expect(wrong.get('/x')).rejects.toThrow(/outside the part/);
    const own = partitionOf(engine, '/w/a');
    const refusal = await own.delete('/registry/x', encoder(''), 1).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'KeyNotFound', key: '/registry/x', message: 'KeyNotFound: /registry/x' });
  });
});
