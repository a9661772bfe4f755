import { expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { UnusableStoreError, type Storage } from '../../src/entries/storage.js';
import {
  claimStore,
  OLDEST_LAYOUT,
  raiseLayoutOfMark,
  readStoreMark,
  STORE_MARK_KEY,
  storeMarkText,
} from '../../src/storage/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, jsonOf } from '../server/ask.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';

const OURS = { dialect: 'orch', continueKey: 'secret' };
const newStore = (): Storage => createMemoryStorage({ clock: createManualClock() });

test('the first server writes the mark, and later ones share it', async () => {
  const storage = newStore();
  const [first, second] = await Promise.all([
    claimStore(storage, OURS),
    claimStore(storage, { ...OURS, continueKey: 'another' }),
  ]);
  expect(second).toEqual(first);
  expect(await claimStore(storage, { ...OURS, continueKey: 'third' })).toEqual({
    layout: OLDEST_LAYOUT,
    ...OURS,
    incomplete: false,
  });
  expect((await storage.list('')).records).toHaveLength(1);
});

test.each<[what: string, text: string, message: string]>([
  [
    'of another dialect',
    storeMarkText({ layout: 1, dialect: 'kubernetes', continueKey: '', incomplete: false })(2),
    'the store holds objects of the dialect kubernetes, but this server uses orch: use a separate store for each dialect',
  ],
  [
    'of a later layout',
    '{"layout":3,"dialect":"orch","somethingNew":true}',
    'the store has layout 3, but this program supports layouts up to 2: use the program that wrote it, or a newer one; nothing was changed',
  ],
  [
    'of a later layout that names its version',
    '{"layout":3,"minReader":"0.7.0","dialect":"orch"}',
    'the store has layout 3, but this program supports layouts up to 2: use version 0.7.0 or later; nothing was changed',
  ],
  [
    'of a layout that is no longer read',
    '{"layout":0,"dialect":"orch"}',
    "the store has layout 0, but this program supports layouts from 1 on: first run 'orch-apiserver migrate --raise-layout' of version 0.1.0; nothing was changed",
  ],
  ['with an invalid mark', 'nonsense', 'the mark of the store (/internal/store) cannot be read'],
  [
    'that is incomplete',
    storeMarkText({ layout: 1, dialect: undefined, continueKey: '', incomplete: true })(2),
    'the store is incomplete: a copy into it was started but not finished',
  ],
])('a store %s is rejected, and not written to', async (_what, text, message) => {
  const storage = newStore();
  await storage.create(STORE_MARK_KEY, () => text);
  const revision = await storage.currentRevision();
  await expect(claimStore(storage, OURS)).rejects.toThrow(new UnusableStoreError(message));
  await using server = new ApiServer({ storage });
  await expect(server.ready()).rejects.toThrow(message);
  expect(jsonOf(await ask(server, 'GET', '/api/v1/namespaces'))).toMatchObject({ code: 500 });
  expect(await storage.currentRevision()).toBe(revision);
});

test('a layout is raised once, by many servers, and never lowered', async () => {
  const storage = newStore();
  await expect(raiseLayoutOfMark(storage, 2)).rejects.toThrow('the store has no mark, or is incomplete');
  await claimStore(storage, OURS);
  const revision = await storage.currentRevision();
  await Promise.all([raiseLayoutOfMark(storage, 2), raiseLayoutOfMark(storage, 2), raiseLayoutOfMark(storage, 1)]);
  expect(await storage.currentRevision()).toBe(revision + 1);
  const { record } = await storage.get(STORE_MARK_KEY);
  expect(record && readStoreMark(record)).toEqual({ layout: 2, minReader: '0.2.0', ...OURS, incomplete: false });
  expect((await claimStore(storage, OURS)).layout).toBe(2);
});

test('a store without a mark may contain objects; any other value belongs to another program', async () => {
  const [ours, foreign] = [newStore(), newStore()];
  await ours.create('/registry/configmaps/default/a', () => '{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}');
  expect((await claimStore(ours, OURS)).dialect).toBe('orch');
  await foreign.create('/registry/configmaps/default/a', () => 'k8s\0binary');
  await expect(claimStore(foreign, OURS)).rejects.toThrow(
    new UnusableStoreError(
      'the store contains a value that this program cannot read (/registry/configmaps/default/a): it belongs to another program; nothing was changed',
    ),
  );
  expect((await foreign.list('')).records).toHaveLength(1);
});

test('continue tokens are valid for every server on one store, and for its next server', async () => {
  const clock = createManualClock();
  const storage = keptOpenStorage(clock);
  const page = async (
    server: ApiServer,
    query: string,
  ): Promise<{ metadata: { continue: string }; items: { metadata: { name: string } }[] }> =>
    jsonOf(await ask(server, 'GET', `/api/v1/namespaces?${query}`)) as never;
  const tokens = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];
  await using first = new ApiServer({ storage, clock, authentication: { tokens } });
  const { metadata, items } = await page(first, 'limit=1');
  await using second = new ApiServer({ storage, clock, authentication: { tokens } });
  const rest = await page(second, `continue=${metadata.continue}`);
  expect([...items, ...rest.items].map((item) => item.metadata.name)).toEqual([
    'default',
    'orch-node-lease',
    'orch-public',
    'orch-system',
  ]);
});
