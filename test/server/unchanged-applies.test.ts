/** A client that sends the same again writes nothing, also where the server normalizes a part of it away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdmissionPlugin } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';
import { definition, type Json } from './custom/world.js';

/** Reverts a value of some objects, as a mutating webhook does. */
const reverting: AdmissionPlugin = {
  name: 'Reverting',
  operations: ['UPDATE'],
  mutate: ({ object }): void => {
    if (object?.metadata.labels?.['reverted'] !== undefined) object['data'] = { k: 'v' };
  },
};

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({
    dialect: 'kubernetes',
    admission: { plugins: [reverting] },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await ask(running.server, 'POST', DEFINITIONS, { body: JSON.stringify(ROCKETS) });
  await running.settled();
}, 300_000);
afterAll(() => running.close());

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const CUSTOM = '/apis/example.com/v1/namespaces/default/rockets';
const ROCKETS = definition({
  schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  },
  subresources: { status: {} },
});

interface Written {
  readonly status: number;
  readonly version: string;
  readonly managedFields: unknown;
}

const send = async (method: string, path: string, body?: Json, type = 'application/json'): Promise<Written> => {
  const answer = await ask(running.server, method, path, {
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { metadata } = jsonOf(answer) as { metadata: { resourceVersion: string; managedFields: unknown } };
  return { status: answer.status, version: metadata.resourceVersion, managedFields: metadata.managedFields };
};
const apply = (path: string, intent: Json, manager = 'm', query = ''): Promise<Written> =>
  send('PATCH', `${path}?fieldManager=${manager}${query}`, intent, 'application/apply-patch+yaml');

const map = (more: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'again', ...metadata },
  data: { k: 'v' },
  ...more,
});
const template = (cpu: string): Json => ({
  metadata: { creationTimestamp: null, labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu } } }] },
});
const deployment = (more: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'again' },
  spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, strategy: {}, template: template('1000m') },
  ...more,
});

/** Applies an intent twice, a minute apart. Returns what is there before and after the second time. */
async function twice(path: string, intent: Json): Promise<readonly [Written, Written]> {
  expect((await apply(path, intent)).status).toBe(201);
  await running.settled();
  await running.advance(60_000);
  return [await send('GET', path), await apply(path, intent)];
}

describe('an intent that is applied again', () => {
  test.each<[string, string, Json]>([
    ['creationTimestamp: null', `${MAPS}/again`, map({}, { creationTimestamp: null })],
    ['labels and annotations: {}', `${MAPS}/labels`, map({}, { name: 'labels', labels: {}, annotations: {} })],
    ['finalizers: []', `${MAPS}/lists`, map({}, { name: 'lists', finalizers: [] })],
    ['data: {}', `${MAPS}/empty`, map({ data: {}, binaryData: {} }, { name: 'empty' })],
    [
      'stringData',
      '/api/v1/namespaces/default/secrets/again',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'again' }, stringData: { a: 'b' } },
    ],
    ['a status sent to the main resource', `${DEPLOYMENTS}/again`, deployment({ status: { replicas: 7 } })],
    ['a quantity in another notation', `${DEPLOYMENTS}/amounts`, deployment({ metadata: { name: 'amounts' } })],
    [
      'preserveUnknownFields: false of a definition',
      `${DEFINITIONS}/ships.example.com`,
      definition({ plural: 'ships', kind: 'Ship', spec: { preserveUnknownFields: false } }),
    ],
    [
      'a status of a custom resource sent to the main resource',
      `${CUSTOM}/again`,
      {
        apiVersion: 'example.com/v1',
        kind: 'Rocket',
        metadata: { name: 'again', creationTimestamp: null },
        spec: { size: null },
        status: { phase: 'up' },
      },
    ],
  ])('writes nothing: %s', async (_case, path, intent) => {
    const [first, second] = await twice(path, intent);
    expect(second).toEqual(first);
    expect(await apply(path, intent, 'm', '&dryRun=All')).toEqual(second);
  });

  test('writes nothing, whoever has applied last', async () => {
    const path = `${MAPS}/shared`;
    const intent = map({}, { name: 'shared', creationTimestamp: null });
    await apply(path, intent, 'first');
    await running.advance(60_000);
    const changing = map({ data: { other: 'w' } }, { name: 'shared', creationTimestamp: null });
    const before = await apply(path, changing, 'second');
    for (const [manager, sent] of [
      ['first', intent],
      ['second', changing],
      ['first', intent],
    ] as const) {
      await running.advance(60_000);
      expect(await apply(path, sent, manager)).toEqual({ ...before, status: 200 });
    }
  });

  test('is written when a value or the owner of a field changes', async () => {
    const path = `${MAPS}/moving`;
    const [first, second] = await twice(path, map({}, { name: 'moving', labels: {} }));
    expect(second.version).toBe(first.version);
    const changed = await apply(path, map({ data: { k: 'w' } }, { name: 'moving', labels: {} }));
    expect(changed.version).not.toBe(first.version);
    const owned = await apply(path, map({ data: { k: 'w' } }, { name: 'moving' }));
    expect([owned.version === changed.version, owned.managedFields]).not.toEqual([true, changed.managedFields]);
    const shared = await apply(path, map({ data: { k: 'w' } }, { name: 'moving' }), 'another');
    expect(shared.version).not.toBe(owned.version);
  });
});

test.each<[string, string, Json]>([
  ['PUT', 'application/json', map({ data: { k: 'w' } }, { labels: { reverted: 'yes' } })],
  ['PATCH', 'application/merge-patch+json', { data: { k: 'w' } }],
  ['PATCH', 'application/strategic-merge-patch+json', { data: { k: 'w' } }],
])('a %s of %s whose change admission reverts writes nothing', async (method, type, body) => {
  const name = type.replaceAll(/[^a-z]/g, '-');
  const path = `${MAPS}/${name}`;
  const made = map({}, { name, labels: { reverted: 'yes' } });
  const before = await send('POST', `${MAPS}?fieldManager=m`, made, 'application/json');
  await running.advance(60_000);
  const changed = { ...body, ...(method === 'PUT' ? { metadata: made['metadata'] } : {}) };
  expect(await send(method, `${path}?fieldManager=m`, changed, type)).toEqual({ ...before, status: 200 });
});
