import { beforeEach, describe, expect, test } from 'vitest';
import { stampRevision } from '../../../src/registry/records/record-codec.js';
import { decorateStorage, type Storage } from '../../../src/entries/storage.js';
import { claimStore, STORE_MARK_KEY } from '../../../src/storage/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { fillStore, takeSnapshot, type FillOptions } from '../../../src/storage/transfer/index.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { FailingStorage } from '../../support/failing-storage.js';

const OURS = { dialect: 'orch', continueKey: 'of the first' };
const keyOf = (index: number): string => `/registry/samples/${String(index).padStart(4, '0')}`;
const encoding =
  (value: string) =>
  (revision: number): string =>
    JSON.stringify({ kind: 'Sample', apiVersion: 'v1', metadata: { resourceVersion: String(revision) }, value });

let clock: ManualClock;
let from: Storage;
let to: Storage;

beforeEach(async () => {
  clock = createManualClock();
  from = createMemoryStorage({ clock });
  to = createMemoryStorage({ clock });
  await claimStore(from, OURS);
});

const fill = async (options: Partial<FillOptions> = {}, target = to): Promise<void> =>
  fillStore(target, await takeSnapshot(from), { clock, stampRevision, ...options });

async function populate(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await from.create(keyOf(index), encoding(`v${index}`));
}

const keysOf = async (storage: Storage): Promise<string[]> => (await storage.list('')).records.map(({ key }) => key);
const withoutRevision = ({ key, text }: { readonly key: string; readonly text: string }): object => ({
  key,
  value: { ...(JSON.parse(text) as object), metadata: undefined },
});

test('a store receives every record of another one, with its own revisions in the texts, and its mark', async () => {
  await populate(1_234);
  await from.delete(keyOf(7), encoding('gone'), (await from.get(keyOf(7))).record?.modRevision ?? 0);
  const seen: number[] = [];
  await fill({ onProgress: (records) => seen.push(records) });
  const [source, target] = [(await from.list('')).records, (await to.list('')).records];
  expect(target.map(withoutRevision)).toEqual(source.map(withoutRevision));
  for (const { text, modRevision } of target)
    expect(JSON.parse(text)).toMatchObject({ metadata: { resourceVersion: String(modRevision) } });
  expect(seen.at(-1)).toBe(1_234);
  expect(await claimStore(to, { dialect: 'orch', continueKey: 'another' })).toMatchObject(OURS);
});

test('a copy is one consistent state, despite concurrent writes', async () => {
  await populate(1_500);
  const snapshot = await takeSnapshot(from);
  await from.create(keyOf(9_000), encoding('later'));
  const { record } = await from.get(keyOf(1_400));
  await from.update(keyOf(1_400), encoding('changed'), record?.modRevision ?? 0);
  await fillStore(to, snapshot, { clock, stampRevision });
  expect(await keysOf(to)).not.toContain(keyOf(9_000));
  expect((await to.get(keyOf(1_400))).record?.text).toContain('"v1400"');
});

test('keys with a time to live expire on time', async () => {
  await from.create(keyOf(1), encoding('soon'), { ttl: 10_000 });
  await from.create(keyOf(2), encoding('late'), { ttl: 60_000 });
  await clock.advance(9_000);
  const snapshot = await takeSnapshot(from);
  await clock.advance(2_000);
  await fillStore(to, snapshot, { clock, stampRevision });
  expect(await keysOf(to)).toEqual([STORE_MARK_KEY, keyOf(2)]);
  await clock.advance(48_000);
  expect(await keysOf(to)).toContain(keyOf(2));
  await clock.advance(2_000);
  expect(await keysOf(to)).toEqual([STORE_MARK_KEY]);
});

test('a text that is not an object is copied unchanged, and a store without a mark yields none', async () => {
  const plain = createMemoryStorage({ clock });
  await plain.create('/registry/a', () => 'not an object');
  await fillStore(to, await takeSnapshot(plain), { clock, stampRevision });
  expect((await to.list('')).records).toMatchObject([{ key: '/registry/a', text: 'not an object' }]);
});

describe('a store that is not empty is rejected and left unchanged', () => {
  test.each<[what: string, prepare: () => Promise<unknown>, message: string]>([
    [
      'a store',
      () => claimStore(to, { dialect: 'kubernetes', continueKey: 'k' }),
      'the store is not empty: it is a store of the dialect kubernetes; nothing was changed',
    ],
    [
      'some keys',
      () => to.create('/registry/a', encoding('x')),
      'the store is not empty: it has 1 keys, such as /registry/a; nothing was changed',
    ],
  ])('%s', async (_what, prepare, message) => {
    await prepare();
    await populate(3);
    const before = (await to.list('')).records;
    await expect(fill()).rejects.toThrow(message);
    expect((await to.list('')).records).toEqual(before);
    // Another program's data is never discarded.
    await expect(fill({ discardIncomplete: true })).rejects.toThrow('the store is not empty');
  });
});

describe('an incomplete copy', () => {
  test('leaves nothing if it was aborted', async () => {
    await populate(1_000);
    const ended = new AbortController();
    await expect(
      fill({ signal: ended.signal, onProgress: (records) => records > 300 && ended.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect(await keysOf(to)).toEqual([]);
  });

  test('leaves nothing if a write was rejected', async () => {
    await populate(100);
    const refusing = decorateStorage(to, {
      create: (key, ...rest) => (key === keyOf(60) ? Promise.reject(new Error('too large')) : to.create(key, ...rest)),
    });
    await expect(fill({}, refusing)).rejects.toThrow('too large');
    expect(await keysOf(to)).toEqual([]);
  });

  test('leaves a store that every server rejects and that the next copy can replace, if the store becomes unavailable', async () => {
    await populate(1_000);
    const failing = new FailingStorage(to);
    await expect(
      fill({ onProgress: (records) => records > 300 && (failing.works = 'nothing') }, failing.storage),
    ).rejects.toThrow(
      'the store could not be emptied after a failure (connect ECONNREFUSED 10.0.0.7:2379) and remains marked as incomplete: connect ECONNREFUSED 10.0.0.7:2379',
    );
    expect((await keysOf(to)).length).toBeGreaterThan(300);
    await expect(claimStore(to, OURS)).rejects.toThrow(
      'the store is incomplete: a copy into it was started but not finished',
    );
    await expect(fill()).rejects.toThrow(
      'the store is incomplete: another copy into it is in progress or was not finished',
    );
    await fill({ discardIncomplete: true });
    expect(await keysOf(to)).toEqual(await keysOf(from));
  });
});
