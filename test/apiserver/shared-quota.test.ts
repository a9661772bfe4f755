import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { createManualClock, type ManualClock } from '../../src/entries/testing.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';
import { ConfigMap, ResourceQuota } from '../../src/kinds/builtin/index.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';

/** A step that a test lets happen. */
function gate(): { readonly reached: Promise<void>; readonly pass: () => Promise<void>; readonly open: () => void } {
  let reach = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { reached, pass: () => (reach(), opened), open: () => open() };
}

let clock: ManualClock;
let storage: Storage;
let leader: ApiServer;
const servers: ApiServer[] = [];
let halt = (): void => undefined;

async function start(on: Storage): Promise<ApiServer> {
  const server = new ApiServer({
    ...{ dialect: 'kubernetes', clock, storage: on },
    interceptor: {
      request: async (_request, next) => void (await next()),
      attach: (attached) => void (halt = attached.halt),
    },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  servers.push(server);
  await server.settled();
  return server;
}

beforeEach(async () => {
  clock = createManualClock();
  storage = decorateStorage(keptOpenStorage(clock), { isShared: true });
  // The first server runs the controllers.
  leader = await start(storage);
  await quotas(leader).create({ metadata: { name: 'quota' }, spec: { hard: { configmaps: '2' } } });
  await leader.settled();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const quotas = (server: ApiServer) => server.client().resource(ResourceQuota).namespace('default');
const maps = (server: ApiServer) => server.client().resource(ConfigMap).namespace('default');
const create = (server: ApiServer, name: string) => maps(server).create({ metadata: { name } });
const used = async (): Promise<string | undefined> => (await quotas(leader).get('quota')).status?.used?.['configmaps'];
const charges = async (): Promise<number> => (await storage.list('/internal/quota-charges/')).records.length;

/** A server whose write of one object waits for the test. */
async function startSlow(name: string, then: () => void = () => undefined) {
  const held = gate();
  const server = await start(
    decorateStorage(storage, {
      create: async (key, ...rest) => {
        if (key.endsWith(`/configmaps/default/${name}`)) {
          await held.pass();
          then();
        }
        return storage.create(key, ...rest);
      },
    }),
  );
  return { server, held };
}

test('the controller of one server gives nothing away that a request of another has taken', async () => {
  const { server, held } = await startSlow('held');
  const creating = create(server, 'held');
  await held.reached;
  expect([await used(), await charges()]).toEqual(['1', 1]);
  await create(leader, 'first');
  await leader.settled();
  expect(await used()).toBe('2');
  await expect(create(leader, 'second')).rejects.toThrow('exceeded quota: quota');
  held.open();
  await creating;
  await clock.advance(5000);
  await leader.settled();
  expect([await used(), await charges()]).toEqual(['2', 0]);
  expect((await maps(leader).list()).items).toHaveLength(2);
});

test('a deletion is counted while a request of another server is in flight', async () => {
  await create(leader, 'first');
  const { server, held } = await startSlow('held');
  const creating = create(server, 'held');
  await held.reached;
  expect(await used()).toBe('2');
  await maps(leader).delete('first');
  await leader.settled();
  await clock.advance(5000);
  // The request in flight keeps its share.
  expect(await used()).toBe('1');
  held.open();
  await creating;
  await clock.advance(5000);
  await leader.settled();
  expect([await used(), await charges()]).toEqual(['1', 0]);
});

test('a request that fails gives back what it has taken, through any server', async () => {
  const { server, held } = await startSlow('held', () => {
    throw new Error('the store refuses');
  });
  const creating = create(server, 'held');
  await held.reached;
  held.open();
  await expect(creating).rejects.toThrow();
  await clock.advance(5000);
  await leader.settled();
  expect([await used(), await charges()]).toEqual(['0', 0]);
});

test('what a server had taken when it died is given back in time', async () => {
  const { server, held } = await startSlow('held');
  const creating = create(server, 'held').catch(() => undefined);
  await held.reached;
  halt();
  await create(leader, 'first');
  await leader.settled();
  expect(await used()).toBe('2');
  for (let minute = 0; minute < 11; minute += 1) await clock.advance(60_000);
  await leader.settled();
  expect([await used(), await charges()]).toEqual(['1', 0]);
  held.open();
  await creating;
});

test('a server alone keeps its charges in memory', async () => {
  const alone = keptOpenStorage(clock);
  const server = await start(alone);
  await quotas(server).create({ metadata: { name: 'quota' }, spec: { hard: { configmaps: '1' } } });
  await server.settled();
  const before = await alone.currentRevision();
  await create(server, 'one');
  // The quota and the object.
  expect((await alone.currentRevision()) - before).toBe(2);
});
