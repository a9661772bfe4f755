/** Races for the rest of a quota, by clients that send at the same time over connections of their own. */
import { describe, expect, test } from 'vitest';
import { ApiError, ConfigMap, type AdmissionPlugin } from '../../../src/entries/index.js';
import { ResourceQuota } from '../../../src/entries/kinds.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { StorageError } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import { listen } from '../../../src/transport/node/index.js';
import { PluginWorld } from './support.js';

const NAMESPACE = '/api/v1/namespaces/default';
const MERGE = 'application/merge-patch+json';

async function quota(world: PluginWorld, name: string, hard: object): Promise<void> {
  await world.send('POST', `${NAMESPACE}/resourcequotas`, { metadata: { name }, spec: { hard } });
  await world.test.settled();
}

const usedOf = async (world: PluginWorld, name: string) =>
  (await world.client.resource(ResourceQuota).namespace('default').get(name)).status?.used;

const mapsOf = async (world: PluginWorld): Promise<number> =>
  (await world.client.resource(ConfigMap).namespace('default').list()).items.length;

/** A plugin that lets other requests go first, and refuses every third object. */
function refusing(name: string, remainder: number): AdmissionPlugin {
  return {
    name,
    operations: ['CREATE'],
    async validate({ info, name: object }) {
      if (info.resource !== 'configmaps') return;
      for (let turn = 0; turn <= remainder; turn += 1) await nextTurn();
      if (Number(object.slice(1)) % 3 === remainder)
        throw new ApiError({ message: `${name} refuses ${object}`, reason: 'Forbidden', code: 403 });
    },
  };
}

describe('a quota is not overrun', () => {
  test('by creates that plugins refuse, that have a taken name, and that are dry runs, all at the same time', async () => {
    await using world = await PluginWorld.start(
      {},
      { admission: { plugins: [refusing('One', 1), refusing('Two', 2)] } },
    );
    const present = await mapsOf(world);
    const hard = String(present + 6);
    for (const name of ['a', 'b', 'c']) await quota(world, name, { 'count/configmaps': hard });
    const create = (name: string, query = '') =>
      world.send('POST', `${NAMESPACE}/configmaps${query}`, { metadata: { name } }, 'admin');
    for (let round = 0; round < 4; round += 1)
      await Promise.all(
        Array.from({ length: 30 }, (_, index) => [
          create(`m${round * 90 + index * 3}`),
          // Refused by one of the plugins.
          create(`m${round * 90 + index * 3 + 1}`),
          create(`m${round * 90 + index * 3 + 2}`),
          // Taken: the charge is given back.
          create('m0'),
          create(`m${index * 3}`, '?dryRun=All'),
        ]).flat(),
      );
    await world.test.settled();
    expect(await mapsOf(world)).toBe(present + 6);
    for (const name of ['a', 'b', 'c']) expect(await usedOf(world, name)).toEqual({ 'count/configmaps': hard });
  });

  test('by clients over connections of their own, which try again as client-go does', async () => {
    await using world = await PluginWorld.start();
    const present = await mapsOf(world);
    await quota(world, 'q', { 'count/configmaps': String(present + 5) });
    const listener = await listen(world.test.server, { port: 0 });
    try {
      const send = async (method: string, path: string, body?: object): Promise<number> => {
        for (let attempt = 0; ; attempt += 1) {
          const answer = await fetch(new URL(path, listener.url), {
            method,
            headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          await answer.text();
          // A conflict with another write to the quota, and an overload, are tried again.
          if ((answer.status !== 409 && answer.status !== 429) || attempt === 3) return answer.status;
        }
      };
      const client = async (id: number): Promise<number[]> => {
        const codes: number[] = [];
        for (let index = 0; index < 6; index += 1) {
          codes.push(await send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `c${id}-${index}` } }));
          if (codes.at(-1) === 201 && index % 2 === 0) await send('DELETE', `${NAMESPACE}/configmaps/c${id}-${index}`);
        }
        return codes;
      };
      const codes = (await Promise.all(Array.from({ length: 12 }, (_, id) => client(id)))).flat();
      expect(new Set(codes)).toEqual(new Set([201, 403]));
    } finally {
      await listener.close();
    }
    await world.test.settled();
    const maps = await mapsOf(world);
    expect(maps).toBeLessThanOrEqual(present + 5);
    expect(await usedOf(world, 'q')).toEqual({ 'count/configmaps': String(maps) });
  });

  test('by updates at the same time that each fit by themselves', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'q', { 'services.nodeports': '4' });
    const ports = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `p${index}`, port: 80 + index }));
    for (const name of ['a', 'b', 'c', 'd'])
      await world.send('POST', `${NAMESPACE}/services`, { metadata: { name }, spec: { ports: ports(1) } });
    const grow = (name: string, count: number) =>
      world.send(
        'PATCH',
        `${NAMESPACE}/services/${name}`,
        { spec: { type: 'NodePort', ports: ports(count) } },
        'admin',
        MERGE,
      );
    const answers = await Promise.all(['a', 'b', 'c', 'd'].flatMap((name) => [grow(name, 2), grow(name, 3)]));
    expect(answers.some(({ text }) => text.includes('exceeded quota: q'))).toBe(true);
    await world.test.settled();
    const list = await world.send('GET', `${NAMESPACE}/services`);
    const services = list.body['items'] as readonly { spec: { type: string; ports: readonly object[] } }[];
    const taken = services.reduce((sum, { spec }) => sum + (spec.type === 'NodePort' ? spec.ports.length : 0), 0);
    expect(taken).toBeLessThanOrEqual(4);
    expect(await usedOf(world, 'q')).toEqual({ 'services.nodeports': String(taken) });
  });

  test('by creates while somebody writes the status of the quota: the controller counts again', async () => {
    await using world = await PluginWorld.start();
    const present = await mapsOf(world);
    const hard = { 'count/configmaps': String(present + 3) };
    await quota(world, 'q', hard);
    const reset = () =>
      world.send(
        'PATCH',
        `${NAMESPACE}/resourcequotas/q/status`,
        { status: { used: { 'count/configmaps': '0' } } },
        'admin',
        MERGE,
      );
    await world.grant([{ apiGroups: [''], resources: ['configmaps', 'resourcequotas'], verbs: ['*'] }]);
    const forged = await world.send(
      'PATCH',
      `${NAMESPACE}/resourcequotas/q/status`,
      { status: { used: { 'count/configmaps': '0' } } },
      'alice',
      MERGE,
    );
    // Only who may write the subresource can forge it, and the controller corrects it.
    expect(forged.code).toBe(403);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => [
        world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `m${index}` } }),
        index % 4 === 3
          ? world.test
              .settled()
              .then(reset)
              .then(() => world.test.settled())
          : Promise.resolve(),
      ]).flat(),
    );
    await world.test.settled();
    expect(await usedOf(world, 'q')).toEqual({ 'count/configmaps': String(await mapsOf(world)) });
    expect((await world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'last' } })).text).toContain(
      'exceeded quota: q',
    );
  });

  test('by creates while its limit is lowered', async () => {
    await using world = await PluginWorld.start();
    const present = await mapsOf(world);
    await quota(world, 'q', { 'count/configmaps': String(present + 8) });
    const spec = { hard: { 'count/configmaps': String(present + 2) } };
    const patch = () => world.send('PATCH', `${NAMESPACE}/resourcequotas/q`, { spec }, 'admin', MERGE);
    // The charges of the creates conflict with it.
    const lower = async (): Promise<void> => {
      while ((await patch()).code === 409);
    };
    await Promise.all([
      ...Array.from({ length: 20 }, (_, index) =>
        world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `m${index}` } }),
      ),
      lower(),
    ]);
    expect(await mapsOf(world)).toBeLessThanOrEqual(present + 8);
    await world.test.settled();
    const refused = await world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'late' } });
    expect(refused.text).toContain(`limited: count/configmaps=${present + 2}`);
    expect(await usedOf(world, 'q')).toEqual({ 'count/configmaps': String(await mapsOf(world)) });
  });
});

test('a create takes from many quotas side by side, and from none when one of them is exhausted', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  let [open, most] = [0, 0];
  const update = storage.update.bind(storage);
  // An engine answers when it has made the write durable, together with the others of its turn.
  storage.update = async (...given) => {
    if (!given[0].includes('/resourcequotas/')) return update(...given);
    most = Math.max(most, (open += 1));
    await nextTurn();
    return update(...given).finally(() => (open -= 1));
  };
  await using world = await PluginWorld.start({}, {}, storage);
  const present = await mapsOf(world);
  const names = Array.from({ length: 40 }, (_, index) => `q${index}`);
  for (const name of names) await quota(world, name, { 'count/configmaps': '100' });
  most = 0;
  const create = (name: string) => world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name } }, 'admin');
  expect(await create('a')).toMatchObject({ code: 201 });
  expect(most).toBe(16);
  await quota(world, 'zero', { 'count/configmaps': String(present + 1) });
  expect(await create('b')).toMatchObject({ code: 403 });
  await world.test.settled();
  for (const name of names) expect(await usedOf(world, name)).toEqual({ 'count/configmaps': String(present + 1) });
});

test('what a create has taken is given back when the storage fails before it has taken the rest', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  let fails = 0;
  const { update, get } = { update: storage.update.bind(storage), get: storage.get.bind(storage) };
  storage.update = async (...given) => {
    if (fails === 0 || !given[0].endsWith('/resourcequotas/default/b')) return update(...given);
    fails = 2;
    throw new StorageError('Conflict');
  };
  storage.get = async (...given) => {
    if (fails < 2 || !given[0].endsWith('/resourcequotas/default/b')) return get(...given);
    fails = 0;
    throw new StorageError('Unavailable');
  };
  await using world = await PluginWorld.start({}, {}, storage);
  const used = { 'count/configmaps': String(await mapsOf(world)) };
  for (const name of ['a', 'b']) await quota(world, name, { 'count/configmaps': '100' });
  fails = 1;
  const { code } = await world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: 'one' } }, 'admin');
  expect([code, fails]).toEqual([expect.any(Number), 0]);
  expect(code).toBeGreaterThanOrEqual(500);
  for (const name of ['a', 'b']) expect(await usedOf(world, name)).toEqual(used);
});

test('creates that come at the same time write each quota once, and only what fits is taken', async () => {
  const storage = createMemoryStorage({ clock: createManualClock() });
  const writes = new Map<string, number>();
  let open = (): void => undefined;
  let held: Promise<void> | undefined;
  const update = storage.update.bind(storage);
  storage.update = async (...given) => {
    const [key] = given;
    if (held !== undefined && key.includes('/resourcequotas/')) {
      writes.set(key, (writes.get(key) ?? 0) + 1);
      await held;
    }
    return update(...given);
  };
  const COUNT = 40;
  let waiting = 0;
  const counter: AdmissionPlugin = {
    name: 'Counter',
    operations: ['CREATE'],
    async validate({ info }) {
      if (info.resource !== 'configmaps' || (waiting += 1) < COUNT) return;
      // The last one: all others wait for the first write.
      await nextTurn();
      setImmediate(open);
    },
  };
  await using world = await PluginWorld.start({}, { admission: { plugins: [counter] } }, storage);
  const present = await mapsOf(world);
  for (const name of ['a', 'b', 'c']) await quota(world, name, { 'count/configmaps': String(present + 25) });
  held = new Promise((resolve) => (open = resolve));
  const answers = await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      world.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `m${index}` } }, 'admin'),
    ),
  );
  expect(answers.filter(({ code }) => code === 201)).toHaveLength(25);
  expect(answers.find(({ code }) => code !== 201)?.text).toContain(
    `exceeded quota: a, requested: count/configmaps=1, used: count/configmaps=${present + 25}, limited: count/configmaps=${present + 25}`,
  );
  // The first create, those that came during its writes, and at most one that came later.
  expect([...writes.values()].every((count) => count <= 3)).toBe(true);
  expect(writes.size).toBe(3);
  held = undefined;
  await world.test.settled();
  for (const name of ['a', 'b', 'c'])
    expect(await usedOf(world, name)).toEqual({ 'count/configmaps': String(present + 25) });
});
