import { expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { toFetchHandler } from '../../src/entries/fetch.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { Api } from '../../src/ui/web/data/api.js';
import { readHistory } from '../../src/ui/web/data/history.js';
import type { PageKind } from '../../src/ui/web/data/kinds.js';
import { Session } from '../../src/ui/web/data/session.js';

const tokens = [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }];
const MAPS: PageKind = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  ...{ shortNames: [], verbs: ['get', 'list', 'watch'], subresources: [] },
};

/** Opens the page's connection to a server. @param before called before each request for config maps, with its number from 1 */
async function opened(server: TestServer, before: (request: number) => Promise<void>): Promise<Api> {
  const handle = toFetchHandler(server.server);
  let requests = 0;
  const fetcher: typeof fetch = async (to, init) => {
    if (String(to).includes('/configmaps')) await before((requests += 1));
    return handle(new Request(String(to), init));
  };
  const session = new Session({ getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  session.signIn({ by: 'token', token: 'admin' });
  return Api.open(new URL('https://host/'), session, fetcher);
}

const texts = (history: Awaited<ReturnType<typeof readHistory>>) =>
  history.versions.map(({ type, object }) => `${type} ${(object as { data?: { v?: string } }).data?.v}`);

test.each([
  ['between the changes and the state before them', { 2: 1 }, ['created 1', 'updated 2', 'updated 3']],
  ['before the changes are read, twice', { 1: 0, 2: 1 }, ['before 2', 'updated 3']],
  ['all but the newest', { 1: 2 }, ['before 3']],
])('the history of an object is what exists when the server discards %s', async (_, discarded, expected) => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  await using server = await startTestServer({ storage, dialect: 'kubernetes', authentication: { tokens } });
  const maps = server.client.resource(ConfigMap).namespace('default');
  const written = [await maps.create({ metadata: { name: 'a' }, data: { v: '1' } })];
  for (const v of ['2', '3']) written.push(await maps.patch('a', { data: { v } }));
  const versions = written.map(({ metadata }) => metadata.resourceVersion ?? '');
  const until = new Map(Object.entries(discarded).map(([request, index]) => [Number(request), versions[index] ?? '']));
  const api = await opened(server, async (request) => {
    const version = until.get(request);
    if (version !== undefined) await storage.compact(Number(version));
  });
  const target = { kind: MAPS, namespace: 'default', name: 'a', newest: versions[2] ?? '' };
  expect(texts(await readHistory(api, target, new AbortController().signal))).toEqual(expected);
});

test('the history of an object whose states are discarded before its changes has the changes', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  await using server = await startTestServer({ storage, dialect: 'kubernetes', authentication: { tokens } });
  const maps = server.client.resource(ConfigMap).namespace('default');
  const { metadata } = await maps.create({ metadata: { name: 'a' }, data: { v: '1' } });
  for (const v of ['2', '3']) await maps.patch('a', { data: { v } });
  const { resourceVersion: newest = '' } = (await maps.get('a')).metadata;
  const api = await opened(server, async (request) => {
    if (request === 1) await storage.compact(Number(metadata.resourceVersion));
    if (request === 3) await storage.compact(Number(newest));
  });
  const target = { kind: MAPS, namespace: 'default', name: 'a', newest };
  expect(texts(await readHistory(api, target, new AbortController().signal))).toEqual(['before 2', 'updated 3']);
});
