import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ApiError, ConfigMap, defineResource, Lease } from '../../src/entries/index.js';
import { annotate } from '../../src/machinery/index.js';
import { quantity } from '../../src/machinery/schema/define/vocabulary.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';
import { Thing } from './growth/shapes.js';

/** A custom kind with an object field and an amount. */
const Holder = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Holder',
  plural: 'holders',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      inner: annotate(z.object({ size: z.number().optional() }), { embeddedResource: true }).optional(),
      amount: quantity().optional(),
    }),
});
const HOLDERS = '/apis/example.com/v1/namespaces/default/holders';

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({
    dialect: 'kubernetes',
    resources: [Thing, Holder],
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterAll(() => running.close());

const patch = async (
  type: string,
  path: string,
  body: object,
  query = '',
): Promise<{ status: number; object: Record<string, unknown> }> => {
  const answer = await ask(running.server, 'PATCH', `${path}?${query}`, {
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  });
  return { status: answer.status, object: jsonOf(answer) };
};
const apply = (path: string, body: object, query = 'fieldManager=m') =>
  patch('application/apply-patch+yaml', path, body, query);
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const CORE = '/api/v1/namespaces/default';
const lease = (acquireTime: unknown) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', namespace: 'default' },
  spec: { acquireTime },
});

describe('an apply of an undecodable scalar', () => {
  test.each<[string, string, object]>([
    ['a number as a time', `${LEASES}/l`, lease(0)],
    ['text that is no time', `${LEASES}/l`, lease('yesterday')],
    [
      'a fraction as a time',
      `${CORE}/events/e`,
      {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        involvedObject: {},
        firstTimestamp: 1.5,
      },
    ],
    [
      'a quantity',
      `${CORE}/pods/p`,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: 'much' } } }] },
      },
    ],
    ['base64', `${CORE}/secrets/s`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: '!' } }],
  ])('%s is answered with 422', async (_case, path, body) => {
    const { status, object } = await apply(path, body);
    expect([status, object['reason']]).toEqual([422, 'Invalid']);
    expect(object['message']).toMatch(/^ "" is invalid: patch: Invalid value: /);
  });

  test('fails in the same way in-process', async () => {
    const refused = running.client
      .resource(Lease)
      .namespace('default')
      .apply(lease(0) as never, { fieldManager: 'm' });
    await expect(refused).rejects.toThrow(ApiError);
    await expect(refused).rejects.toMatchObject({ code: 422 });
  });
});

describe('an apply that only reorders items', () => {
  test('writes the new order of a set', async () => {
    const path = '/apis/example.com/v1/namespaces/default/things/ordered';
    const thing = (set: string[]) => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'ordered' },
      set,
    });
    const before = await apply(path, thing(['a', 'b']));
    const after = await apply(path, thing(['b', 'a']));
    const version = ({ object }: { object: Record<string, unknown> }): unknown =>
      (object['metadata'] as { resourceVersion: string }).resourceVersion;
    expect([after.status, after.object['set']]).toEqual([200, ['b', 'a']]);
    expect(version(after)).not.toBe(version(before));
  });

  test('is refused for the containers of a pod', async () => {
    const pod = (...names: string[]) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'two' },
      spec: { containers: names.map((name) => ({ name, image: name })) },
    });
    expect((await apply(`${CORE}/pods/two`, pod('a', 'b'))).status).toBe(201);
    expect((await apply(`${CORE}/pods/two`, pod('b', 'a'))).status).toBe(422);
  });
});

test('a free-form field accepts lists of objects and lists of lists', async () => {
  const free = { list: [{ a: [1, { b: null }] }, [[2]], 'x'] };
  const { status, object } = await apply('/apis/example.com/v1/namespaces/default/things/free', {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name: 'free' },
    free,
  });
  expect([status, object['free']]).toEqual([201, free]);
});

test('a client can add its finalizer after a JSON Patch test for null', async () => {
  const maps = running.client.resource(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'bare' } });
  const operations = [
    { op: 'test', path: '/metadata/finalizers', value: null },
    { op: 'add', path: '/metadata/finalizers', value: ['example.com/f'] },
  ];
  expect((await patch('application/json-patch+json', `${CORE}/configmaps/bare`, operations)).status).toBe(200);
  await maps.create({ metadata: { name: 'bare-too' } });
  await maps.patch('bare-too', [...operations, { op: 'replace', path: '/data', value: { a: 'b' } }]);
  expect(await maps.get('bare-too')).toMatchObject({ metadata: { finalizers: ['example.com/f'] }, data: { a: 'b' } });
});

describe('an apply to a custom kind', () => {
  const holder = (name: string, fields: object) => ({
    apiVersion: 'example.com/v1',
    kind: 'Holder',
    metadata: { name },
    ...fields,
  });

  test('keeps version, kind and metadata of a nested object, and owns each of them', async () => {
    const inner = { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['a.example/b'] }, size: 1 };
    const made = await apply(`${HOLDERS}/within`, holder('within', { inner }));
    expect([made.status, made.object['inner']]).toEqual([201, inner]);
    const added = holder('within', { inner: { apiVersion: 'v1', metadata: { finalizers: ['a.example/c'] } } });
    const second = await apply(`${HOLDERS}/within`, added, 'fieldManager=other');
    expect([second.status, second.object['inner']]).toEqual([
      200,
      { ...inner, metadata: { finalizers: ['a.example/b', 'a.example/c'] } },
    ]);
  });

  test('keeps an amount as sent, like every other write', async () => {
    const { status, object } = await apply(`${HOLDERS}/amount`, holder('amount', { amount: '1000m' }));
    expect([status, object['amount']]).toEqual([201, '1000m']);
    const number = await apply(`${HOLDERS}/number`, holder('number', { amount: 1 }));
    expect([number.status, number.object['message']]).toEqual([422, expect.stringContaining('amount in body')]);
  });
});
