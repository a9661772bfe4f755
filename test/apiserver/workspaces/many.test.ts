import { expect, it } from 'vitest';
import { createWorkspaces } from '../../../src/apiserver/workspaces/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/testing/time/manual-clock.js';
import { ask, configMap, ownerToken } from './ask.js';

const MADE = 5_000;
const ACTIVE = 50;

it(`${MADE} workspaces are made, ${ACTIVE} of them are active, and nothing of one is in another`, async () => {
  const clock = createManualClock();
  const storage = createMemoryStorage({ clock });
  const workspaces = createWorkspaces({ clock, storage, unloadAfter: '5m' });
  for (let index = 0; index < MADE; index += 1) await workspaces.create(`w${index}`);
  const all = await workspaces.list();
  expect([all.length, new Set(all.map(({ id }) => id)).size]).toEqual([MADE, MADE]);
  // A workspace that nobody has used is one record.
  expect((await storage.list('/w/')).records).toEqual([]);
  const active = Array.from({ length: ACTIVE }, (_, index) => `w${index * (MADE / ACTIVE)}`);
  const path = (name: string) => `/clusters/${name}/api/v1/namespaces/default/configmaps`;
  const tokens = new Map(
    await Promise.all(active.map(async (name) => [name, await ownerToken(workspaces, name)] as const)),
  );
  const send = (name: string, method: string, body?: unknown) =>
    ask(workspaces, method, path(name), { token: tokens.get(name) ?? '', ...(body === undefined ? {} : { body }) });
  for (const round of ['a', 'b'])
    await Promise.all(active.map((name) => send(name, 'POST', configMap(round, { of: name }))));
  for (const name of active) {
    const { items } = (await send(name, 'GET')).body;
    expect(items.map(({ data }: any) => data)).toEqual([{ of: name }, { of: name }]);
  }
  const isLoaded = async () => (await workspaces.list()).filter(({ isLoaded: loaded }) => loaded).length;
  expect(await isLoaded()).toBe(ACTIVE);
  for (const name of active) {
    using open = await workspaces.open(name);
    await open.server.settled();
  }
  await clock.advance('15m');
  expect(await isLoaded()).toBe(0);
  const [first = ''] = active;
  expect((await send(first, 'GET')).body.items).toHaveLength(2);
  expect(await isLoaded()).toBe(1);
  await workspaces.close();
});
