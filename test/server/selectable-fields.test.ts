import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ClusterRole, defineResource, Namespace, Pod } from '../../src/entries/index.js';
import { Node } from '../../src/entries/kinds.js';
import type { ResourceDefinition } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

const Planet = defineResource({
  group: 'sky.example',
  version: 'v1',
  kind: 'Planet',
  plural: 'planets',
  scope: 'Cluster',
  schema: () => z.object({}),
});

let running: TestServer;

beforeAll(async () => {
  running = await startTestServer({
    resources: [Planet],
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterAll(() => running.close());

const REFUSED = 'field label not supported: metadata.namespace';

describe.each<[string, ResourceDefinition, string]>([
  ['Node', Node, '/api/v1/nodes'],
  ['Namespace', Namespace, '/api/v1/namespaces'],
  ['a custom kind', Planet, '/apis/sky.example/v1/planets'],
])('metadata.namespace does not select a %s', (_, definition, path) => {
  test.each([
    ['list', 'GET', ''],
    ['watch', 'GET', '&watch=true'],
    ['deletecollection', 'DELETE', ''],
  ])('%s over HTTP', async (verb, method, more) => {
    if (verb === 'deletecollection' && definition === Namespace) return;
    const answer = await ask(running.server, method, `${path}?fieldSelector=metadata.namespace%3Ddefault${more}`);
    expect([answer.status, jsonOf(answer)['message']]).toEqual([400, REFUSED]);
  });

  test('through the client', async () => {
    const kind = running.client.resource(definition);
    const fieldSelector = 'metadata.namespace=default';
    await expect(kind.list({ fieldSelector })).rejects.toMatchObject({ code: 400, message: REFUSED });
    await expect((async () => kind.watch({ fieldSelector })[Symbol.asyncIterator]().next())()).rejects.toMatchObject({
      code: 400,
      message: REFUSED,
    });
    await expect(kind.deleteCollection({ fieldSelector })).rejects.toMatchObject({ code: 400, message: REFUSED });
  });
});

test('a built-in kind without its own field list accepts metadata.namespace even outside namespaces', async () => {
  expect(
    (await running.client.resource(ClusterRole).list({ fieldSelector: 'metadata.namespace=default' })).items,
  ).toEqual([]);
});

test('spec.host selects pods by the name of their node', async () => {
  const pods = running.client.resource(Pod).namespace('default');
  await running.client.resource(Node).create({ metadata: { name: 'one' } });
  for (const [name, nodeName] of [
    ['a', 'one'],
    ['b', 'two'],
  ] as const) {
    await pods.create({
      metadata: { name },
      spec: { nodeName, serviceAccountName: 'default', containers: [{ name: 'c', image: 'i' }] },
    });
  }
  const names = async (fieldSelector: string): Promise<unknown[]> =>
    (await pods.list({ fieldSelector })).items.map(({ metadata }) => metadata.name);
  expect(await names('spec.host=one')).toEqual(['a']);
  expect(await names('spec.host!=one')).toEqual(['b']);
  const answer = await ask(running.server, 'GET', '/api/v1/pods?fieldSelector=spec.host%3Dtwo');
  expect((jsonOf(answer)['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
    'b',
  ]);
});
