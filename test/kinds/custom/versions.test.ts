import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { CustomResourceConversion } from '../../../src/kinds/builtin/apiextensions/types.js';
import type { Storage } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock, type TestServerOptions } from '../../../src/entries/testing.js';
import { world, type Json, type World } from '../../server/custom/world.js';
import { BETA, BY_FUNCTION, convertedHost, host, hostDefinition, HOSTS, hostsPath, hostVersions, V1 } from './hosts.js';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const MERGE = { 'content-type': 'application/merge-patch+json' };

let own: World;
let storage: Storage;
/** The conversions of a test: the target and the names of the objects. */
let calls: [apiVersion: string, ...names: unknown[]][] = [];
/** Replaces the conversion of a test. */
let instead:
  ((objects: JsonObject[], apiVersion: string) => readonly JsonObject[] | Promise<readonly JsonObject[]>) | undefined;
afterEach(() => own[Symbol.asyncDispose]());

async function start(
  conversion: CustomResourceConversion,
  stored: 'v1' | 'v1beta1' = 'v1',
  options: TestServerOptions = {},
): Promise<void> {
  calls = [];
  instead = undefined;
  storage = createMemoryStorage({ clock: createManualClock() });
  own = await world({
    storage,
    conversionWebhooks: {
      [HOSTS]: (objects, apiVersion) => {
        calls.push([apiVersion, ...objects.map(({ metadata }) => (metadata as Json)['name'])]);
        return instead?.(objects, apiVersion) ?? objects.map((object) => convertedHost(object, apiVersion));
      },
    },
    ...options,
  });
  await own.define(hostDefinition(conversion, stored));
  calls = [];
}

const migrateTo = (stored: 'v1' | 'v1beta1') => own.change(HOSTS, { spec: { versions: hostVersions(stored) } });
const storedHost = async (name: string): Promise<Json> => {
  const { record } = await storage.get(`/registry/example.com/hosts/default/${name}`);
  return JSON.parse(record?.text ?? 'null') as Json;
};
const create = async (version: 'v1' | 'v1beta1', name: string, value: string): Promise<Json> => {
  const { status, body } = await own.send('POST', hostsPath(version), host(version, name, value));
  expect([status, body]).toMatchObject([201, {}]);
  return body as Json;
};
const specsIn = (body: unknown): unknown => (body as { items: { spec: Json }[] }).items.map(({ spec }) => spec);

describe('objects of several versions', () => {
  test('are converted to the stored version by each write, and to the requested one by each read', async () => {
    await start(BY_FUNCTION);
    expect(await create('v1beta1', 'a', 'h')).toMatchObject({ apiVersion: BETA, spec: { host: 'h', replicas: 1 } });
    expect(await storedHost('a')).toMatchObject({ apiVersion: V1, spec: { hostname: 'h', replicas: 1 } });
    expect((await own.get(hostsPath('v1', 'a'))).body).toMatchObject({ apiVersion: V1, spec: { hostname: 'h' } });
    const patched = await own.send('PATCH', hostsPath('v1beta1', 'a'), { spec: { host: 'i' } }, MERGE);
    expect(patched.body).toMatchObject({ apiVersion: BETA, spec: { host: 'i' }, metadata: { generation: 2 } });
    const put = await own.send('PUT', hostsPath('v1beta1', 'a'), host('v1beta1', 'a', 'j'));
    expect([put.status, put.body]).toMatchObject([200, { spec: { host: 'j', replicas: 1 } }]);
    expect(await storedHost('a')).toMatchObject({ apiVersion: V1, spec: { hostname: 'j' } });
  });

  test('are converted in one call for each page; objects of the requested version are not converted', async () => {
    await start(BY_FUNCTION);
    for (const name of ['a', 'b', 'c']) await create('v1', name, name);
    expect(calls).toEqual([]);
    expect(specsIn((await own.get(hostsPath('v1beta1'))).body)).toEqual([
      { host: 'a', replicas: 1 },
      { host: 'b', replicas: 1 },
      { host: 'c', replicas: 1 },
    ]);
    expect(calls).toEqual([[BETA, 'a', 'b', 'c']]);
    calls = [];
    await create('v1beta1', 'd', 'd');
    expect(calls).toEqual([
      [V1, 'd'],
      [BETA, 'd'],
    ]);
    expect(specsIn((await own.get(hostsPath('v1'))).body)).toHaveLength(4);
    expect((await own.get(`${hostsPath('v1beta1')}?limit=2`)).body).toMatchObject({
      metadata: { remainingItemCount: 2 },
    });
    expect(calls).toHaveLength(2);
  });

  test('are selected by the fields and labels of the requested version', async () => {
    await start(BY_FUNCTION);
    instead = (objects, apiVersion) =>
      objects.map((object) => {
        const metadata = { ...(object['metadata'] as JsonObject), labels: { version: apiVersion.split('/')[1] ?? '' } };
        return { ...convertedHost(object, apiVersion), metadata };
      });
    for (const name of ['a', 'b']) await create('v1', name, name);
    const named = async (query: string): Promise<unknown> => specsIn((await own.get(query)).body);
    expect(await named(`${hostsPath('v1beta1')}?fieldSelector=spec.host%3Db`)).toEqual([{ host: 'b', replicas: 1 }]);
    expect(await named(`${hostsPath('v1beta1')}?labelSelector=version%3Dv1beta1`)).toHaveLength(2);
    expect(await named(`${hostsPath('v1')}?labelSelector=version%3Dv1beta1`)).toEqual([]);
    expect(await own.get(`${hostsPath('v1')}?fieldSelector=spec.host%3Db`)).toMatchObject({ status: 400 });
  });

  test('are watched in the requested version; several watchers share each conversion', async () => {
    await start(BY_FUNCTION);
    await create('v1', 'a', 'x');
    const hosts = own.test.client.resource({ apiVersion: BETA, kind: 'Host' }).namespace('default');
    const watches = [hosts.watch(), hosts.watch(), hosts.watch({ fieldSelector: 'spec.host=y' })].map((watch) =>
      watch[Symbol.asyncIterator](),
    );
    const next = (index: number) => watches[index]?.next();
    const added = { value: { type: 'ADDED', object: { apiVersion: BETA, spec: { host: 'x' } } } };
    expect(await next(0)).toMatchObject(added);
    expect(await next(1)).toMatchObject(added);
    const waiting = [next(0), next(1), next(2)];
    await own.test.settled();
    calls = [];
    await own.send('PATCH', hostsPath('v1', 'a'), { spec: { hostname: 'y' } }, MERGE);
    const [first, second, third] = await Promise.all(waiting);
    expect(first).toMatchObject({ value: { type: 'MODIFIED', object: { apiVersion: BETA, spec: { host: 'y' } } } });
    expect(second).toEqual(first);
    expect(third).toMatchObject({ value: { type: 'ADDED', object: { spec: { host: 'y' } } } });
    expect(calls.filter(([apiVersion]) => apiVersion === BETA)).toHaveLength(1);
    const gone = [next(0), next(2)];
    await own.send('DELETE', hostsPath('v1', 'a'));
    expect(await Promise.all(gone)).toMatchObject([
      { value: { type: 'DELETED', object: { apiVersion: BETA, spec: { host: 'y' } } } },
      { value: { type: 'DELETED', object: { apiVersion: BETA, spec: { host: 'y' } } } },
    ]);
    for (const watch of watches) await watch.return?.();
  });

  test('are deleted in any version, one by one and together', async () => {
    await start(BY_FUNCTION);
    for (const name of ['a', 'b', 'c']) await create('v1', name, name);
    calls = [];
    expect((await own.send('DELETE', hostsPath('v1beta1', 'a'))).status).toBe(200);
    expect(calls).toEqual([[BETA, 'a']]);
    const deleted = await own.send('DELETE', hostsPath('v1beta1'));
    expect(specsIn(deleted.body)).toEqual([
      { host: 'b', replicas: 1 },
      { host: 'c', replicas: 1 },
    ]);
    expect(specsIn((await own.get(hostsPath('v1'))).body)).toEqual([]);
  });

  test('are deleted with a finalizer in two phases', async () => {
    await start(BY_FUNCTION);
    const object = host('v1', 'a', 'a');
    await own.send('POST', hostsPath('v1'), { ...object, metadata: { name: 'a', finalizers: ['example.com/wait'] } });
    expect((await own.send('DELETE', hostsPath('v1beta1', 'a'))).body).toMatchObject({
      apiVersion: BETA,
      metadata: { deletionGracePeriodSeconds: 0 },
      spec: { host: 'a' },
    });
    expect(await storedHost('a')).toMatchObject({ apiVersion: V1, spec: { hostname: 'a' } });
    const freed = await own.send('PATCH', hostsPath('v1beta1', 'a'), { metadata: { finalizers: null } }, MERGE);
    expect([freed.status, (await own.get(hostsPath('v1', 'a'))).status]).toEqual([200, 404]);
  });

  test('are collected with their owner', async () => {
    await start(BY_FUNCTION, 'v1beta1');
    const owner = (await create('v1', 'owner', 'o')) as { metadata: { uid: string } };
    const ownerReferences = [{ apiVersion: V1, kind: 'Host', name: 'owner', uid: owner.metadata.uid }];
    await own.send('POST', hostsPath('v1'), { ...host('v1', 'a', 'a'), metadata: { name: 'a', ownerReferences } });
    await own.test.settled();
    await own.send('DELETE', hostsPath('v1', 'owner'));
    await own.test.settled();
    expect((await own.get(hostsPath('v1', 'a'))).status).toBe(404);
  });

  test('of a dry run are converted as a write would convert them', async () => {
    await start(BY_FUNCTION);
    instead = () => {
      throw new Error('no way');
    };
    const refused = {
      status: 500,
      body: { message: `conversion webhook for ${BETA}, Kind=Host failed: no way`, code: 500 },
    };
    const dry = `${hostsPath('v1beta1')}?dryRun=All`;
    expect(await own.send('POST', dry, host('v1beta1', 'a', 'a'))).toMatchObject(refused);
    instead = undefined;
    expect((await own.send('POST', dry, host('v1beta1', 'a', 'a'))).body).toMatchObject({ spec: { host: 'a' } });
    await create('v1beta1', 'a', 'a');
    const path = `${hostsPath('v1beta1', 'a')}?dryRun=All`;
    expect((await own.send('PATCH', path, { spec: { host: 'b' } }, MERGE)).body).toMatchObject({ spec: { host: 'b' } });
    instead = (objects, apiVersion) => {
      if (apiVersion === V1) throw new Error('no way');
      return objects.map((object) => convertedHost(object, apiVersion));
    };
    expect(await own.send('PATCH', path, { spec: { host: 'b' } }, MERGE)).toMatchObject(refused);
  });
});

describe.each([
  ['None', { strategy: 'None' }],
  ['Webhook', BY_FUNCTION],
])('another stored version, with the conversion %s,', (_strategy, conversion) => {
  test('leaves old objects readable, and is used by the next write, even one without a change', async () => {
    await start(conversion);
    const { metadata } = (await create('v1', 'a', 'a')) as {
      metadata: { resourceVersion: string; generation: number };
    };
    await migrateTo('v1beta1');
    expect((await own.get(hostsPath('v1', 'a'))).body).toMatchObject({ apiVersion: V1, spec: { hostname: 'a' } });
    expect(await storedHost('a')).toMatchObject({ apiVersion: V1 });
    const unchanged = await own.send('PATCH', hostsPath('v1', 'a'), {}, MERGE);
    expect(unchanged.body).toMatchObject({ apiVersion: V1, metadata: { generation: metadata.generation } });
    const rewritten = unchanged.body as { metadata: { resourceVersion: string } };
    expect(rewritten.metadata.resourceVersion).not.toBe(metadata.resourceVersion);
    expect(await storedHost('a')).toMatchObject({ apiVersion: BETA });
    const again = await own.send('PATCH', hostsPath('v1', 'a'), {}, MERGE);
    expect(again.body).toMatchObject({ metadata: { resourceVersion: rewritten.metadata.resourceVersion } });
  });
});

test('an object in a version that its definition no longer has is refused in the words of Kubernetes', async () => {
  await start({ strategy: 'None' });
  await create('v1', 'a', 'a');
  await migrateTo('v1beta1');
  await own.change(HOSTS, { status: { storedVersions: ['v1beta1'] } }, 'status');
  await own.change(HOSTS, { spec: { versions: hostVersions('v1beta1').slice(1) } });
  const refused = {
    status: 500,
    body: { message: `request to convert CR from an invalid group/version: ${V1}`, code: 500, status: 'Failure' },
  };
  expect(await own.get(hostsPath('v1beta1', 'a'))).toMatchObject(refused);
  expect(await own.get(hostsPath('v1beta1'))).toMatchObject(refused);
  expect((await own.get(hostsPath('v1beta1', 'a'))).body).not.toHaveProperty('reason');
});

describe('field ownership in several versions', () => {
  const entriesOf = (body: unknown): unknown =>
    (
      body as { metadata: { managedFields: { manager: string; apiVersion: string; fieldsV1: unknown }[] } }
    ).metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1]);
  const apply = (version: 'v1' | 'v1beta1', manager: string, spec: Json) =>
    own.send('PATCH', `${hostsPath(version, 'a')}?fieldManager=${manager}`, { ...host(version, 'a', ''), spec }, APPLY);

  test('is compared in the version in which it was recorded', async () => {
    await start(BY_FUNCTION);
    expect((await apply('v1', 'one', { hostname: 'h', replicas: 2 })).status).toBe(201);
    const conflict = await apply('v1beta1', 'two', { host: 'i' });
    expect(conflict).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "one": .spec.hostname' },
    });
    const shared = await apply('v1beta1', 'two', { host: 'h' });
    expect(shared.status).toBe(200);
    expect(entriesOf(shared.body)).toEqual([
      ['two', BETA, { 'f:spec': { 'f:host': {} } }],
      ['one', V1, { 'f:spec': { 'f:hostname': {}, 'f:replicas': {} } }],
    ]);
    const updated = await own.send(
      'PATCH',
      `${hostsPath('v1beta1', 'a')}?fieldManager=three`,
      { spec: { host: 'j' } },
      MERGE,
    );
    expect(entriesOf(updated.body)).toEqual([
      ['one', V1, { 'f:spec': { 'f:replicas': {} } }],
      ['three', BETA, { 'f:spec': { 'f:host': {} } }],
    ]);
  });

  test('moves with its applier to another version, which gives up what it no longer applies', async () => {
    await start(BY_FUNCTION);
    await apply('v1', 'one', { hostname: 'h', replicas: 2 });
    const { status, body } = await apply('v1beta1', 'one', { replicas: 3 });
    expect([status, body]).toMatchObject([200, { spec: { replicas: 3 } }]);
    expect(body).not.toMatchObject({ spec: { host: 'h' } });
    expect(entriesOf(body)).toEqual([['one', BETA, { 'f:spec': { 'f:replicas': {} } }]]);
  });

  test('fails an apply when its version cannot be converted to, and is cleared by other writes', async () => {
    await start(BY_FUNCTION);
    await apply('v1beta1', 'one', { host: 'h' });
    instead = (objects, apiVersion) => {
      if (apiVersion === BETA) throw new Error('no way back');
      return objects.map((object) => convertedHost(object, apiVersion));
    };
    expect(await apply('v1', 'two', { replicas: 2 })).toMatchObject({
      status: 500,
      body: { message: `conversion webhook for ${V1}, Kind=Host failed: no way back`, code: 500 },
    });
    const patched = await own.send('PATCH', hostsPath('v1', 'a'), { spec: { replicas: 5 } }, MERGE);
    expect(patched).toMatchObject({ status: 200, body: { spec: { replicas: 5 } } });
    expect(patched.body).not.toHaveProperty('metadata.managedFields');
  });

  test('with the conversion None, fails an apply of a field that the other version does not have', async () => {
    await start({ strategy: 'None' });
    await apply('v1', 'one', { replicas: 2 });
    expect(await apply('v1beta1', 'two', { replicas: 2 })).toMatchObject({ status: 200 });
    expect(await apply('v1beta1', 'two', { replicas: 2, host: 'h' })).toMatchObject({
      status: 500,
      body: { message: '.spec.host: field not declared in schema', code: 500 },
    });
  });

  test('of a version that the definition no longer has fails an apply', async () => {
    await start({ strategy: 'None' }, 'v1beta1');
    await apply('v1', 'one', { replicas: 2 });
    await own.change(HOSTS, { spec: { versions: hostVersions('v1beta1').slice(1) } });
    expect(await apply('v1beta1', 'two', { replicas: 2 })).toMatchObject({
      status: 500,
      body: { message: `request to convert CR to an invalid group/version: ${V1}`, code: 500 },
    });
  });
});

describe('a conversion that does not end', () => {
  test('ends its own request only', async () => {
    await start(BY_FUNCTION);
    for (const name of ['a', 'b']) await create('v1', name, name);
    instead = (objects, apiVersion) =>
      calls.at(-1)?.[1] === 'a'
        ? new Promise<never>(() => undefined)
        : objects.map((object) => convertedHost(object, apiVersion));
    const hanging = own.get(hostsPath('v1beta1', 'a'));
    await own.test.clock.settle();
    expect(await own.get(hostsPath('v1beta1', 'b'))).toMatchObject({ status: 200, body: { spec: { host: 'b' } } });
    await own.test.clock.advance(30_000);
    expect(await hanging).toMatchObject({
      status: 500,
      body: { message: `conversion webhook for ${V1}, Kind=Host failed: context deadline exceeded`, code: 500 },
    });
  });

  test('ends at the deadline of its request', async () => {
    await start(BY_FUNCTION, 'v1', { limits: { requestTimeout: 5000 } });
    await create('v1', 'a', 'a');
    instead = () => new Promise<never>(() => undefined);
    const hanging = own.get(hostsPath('v1beta1', 'a'));
    await own.test.clock.advance(5000);
    expect(await hanging).toMatchObject({ status: 504, body: { reason: 'Timeout' } });
  });

  test('does not keep a watch that its client ends', async () => {
    await start(BY_FUNCTION);
    await create('v1', 'a', 'a');
    const hosts = own.test.client.resource({ apiVersion: BETA, kind: 'Host' }).namespace('default');
    const controller = new AbortController();
    const watch = hosts.watch({ signal: controller.signal })[Symbol.asyncIterator]();
    await watch.next();
    const waiting = watch.next();
    await own.test.settled();
    instead = () => new Promise<never>(() => undefined);
    await own.send('PATCH', hostsPath('v1', 'a'), { spec: { hostname: 'b' } }, MERGE);
    await own.test.clock.settle();
    controller.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

test('selectors of a version select what the version shows', async () => {
  await start({ strategy: 'None' });
  const names = async (version: 'v1' | 'v1beta1', query: string): Promise<string> => {
    const { body } = await own.get(`${hostsPath(version)}?${query}`);
    return (body as { items: { metadata: Json }[] }).items.map(({ metadata }) => metadata['name']).join(' ');
  };
  for (const [version, name] of [
    ['v1', 'a'],
    ['v1beta1', 'b'],
    ['v1', 'c'],
  ] as const) {
    await create(version, name, 'x');
    await own.send('PATCH', hostsPath('v1', name), { metadata: { labels: { half: name === 'c' ? '1' : '0' } } }, MERGE);
  }
  const check = async (half: string, hostname: string, host: string): Promise<void> => {
    for (const version of ['v1', 'v1beta1'] as const)
      expect(await names(version, 'labelSelector=half%3D0'), version).toBe(half);
    expect(await names('v1', 'fieldSelector=spec.hostname%3Dx')).toBe(hostname);
    expect(await names('v1beta1', 'fieldSelector=spec.host%3Dx')).toBe(host);
  };
  await check('a b', 'a c', '');
  await own.send('PATCH', hostsPath('v1', 'c'), { metadata: { labels: { half: '0' } } }, MERGE);
  await own.send('PUT', hostsPath('v1', 'a'), host('v1', 'a', 'y'));
  await own.send('DELETE', hostsPath('v1', 'b'));
  await check('c', 'c', '');
  await migrateTo('v1beta1');
  await create('v1beta1', 'd', 'x');
  await check('c', 'c', 'd');
});
