/** A patch is a short form of a PUT of the patched object: it stores the same text. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigMap, Pod } from '../../src/entries/index.js';
import type { JsonObject, JsonValue } from '../../src/foundation/json/json.js';
import { patchTypeOf } from '../../src/machinery/patch/index.js';
import { atOnce, kubernetes, UNBOUNDED_WORK } from '../../src/foundation/index.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask } from './ask.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

const CONFIG_MAP = {
  path: '/api/v1/namespaces/default/configmaps',
  kind: ConfigMap,
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'target', labels: { a: '1', b: '2' }, annotations: { note: 'x' }, finalizers: ['test/one'] },
    data: { k: 'v', other: 'w' },
  },
};
const POD = {
  path: '/api/v1/namespaces/default/pods',
  kind: Pod,
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'target', labels: { a: '1' } },
    spec: { containers: [{ name: 'app', image: 'one' }], tolerations: [{ key: 'k', operator: 'Exists' }] },
  },
};

let patching: TestServer;
let putting: TestServer;

const start = (): Promise<TestServer> =>
  startTestServer({
    dialect: kubernetes,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
beforeEach(async () => {
  patching = await start();
  putting = await start();
});
afterEach(async () => {
  await patching.close();
  await putting.close();
});

const send = async (
  { server }: TestServer,
  method: string,
  path: string,
  body: JsonValue,
  agent: string,
  type = 'application/json',
): Promise<string> => {
  const headers = { 'content-type': type, 'user-agent': agent };
  const { status, body: text } = await ask(server, method, path, { body: JSON.stringify(body), headers });
  expect([200, 201]).toContain(status);
  return String(text);
};

const entry = (manager: string): JsonObject => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2024-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:k': {} } },
});

test.each<[string, typeof CONFIG_MAP | typeof POD, string, JsonValue]>([
  ['a value', CONFIG_MAP, MERGE, { data: { k: 'changed' } }],
  ['nothing', CONFIG_MAP, MERGE, {}],
  ['a new member and the removal of another', CONFIG_MAP, MERGE, { data: { k: null, added: '1' } }],
  ['labels', CONFIG_MAP, MERGE, { metadata: { labels: { a: null, c: '3' } } }],
  ['metadata that become empty', CONFIG_MAP, MERGE, { metadata: { labels: null, annotations: { note: null } } }],
  ['an unknown field', CONFIG_MAP, MERGE, { unknown: 1, metadata: { strange: true } }],
  ['managed fields', CONFIG_MAP, MERGE, { metadata: { managedFields: [entry('sent')] }, data: { k: '2' } }],
  ['managed fields that are removed', CONFIG_MAP, MERGE, { metadata: { managedFields: null }, data: { k: '2' } }],
  ['managed fields that are cleared', CONFIG_MAP, MERGE, { metadata: { managedFields: [{}] }, data: { k: '2' } }],
  ['a finalizer', CONFIG_MAP, JSON_PATCH, [{ op: 'replace', path: '/metadata/finalizers/0', value: 'test/two' }]],
  [
    'the last finalizer',
    CONFIG_MAP,
    JSON_PATCH,
    [{ op: 'replace', path: '/metadata/finalizers/-1', value: 'test/two' }],
  ],
  ['a value that is absent', CONFIG_MAP, JSON_PATCH, [{ op: 'add', path: '/metadata/labels' }]],
  ['a value, by path', CONFIG_MAP, JSON_PATCH, [{ op: 'replace', path: '/data/k', value: '2' }]],
  ['a copied value', CONFIG_MAP, JSON_PATCH, [{ op: 'copy', from: '/data/k', path: '/metadata/labels/k' }]],
  ['a manager', CONFIG_MAP, JSON_PATCH, [{ op: 'add', path: '/metadata/managedFields/-', value: entry('added') }]],
  [
    'the name of a manager',
    CONFIG_MAP,
    JSON_PATCH,
    [{ op: 'replace', path: '/metadata/managedFields/0/manager', value: 'x' }],
  ],
  ['data, by strategy', CONFIG_MAP, STRATEGIC, { data: { k: '2' } }],
  ['an image', POD, STRATEGIC, { spec: { containers: [{ name: 'app', image: 'two' }] } }],
  ['a label of a pod', POD, MERGE, { metadata: { labels: { b: '2' } } }],
  [
    'tolerations',
    POD,
    JSON_PATCH,
    [{ op: 'add', path: '/spec/tolerations/-', value: { key: 'z', operator: 'Exists' } }],
  ],
])('%s', async (_, { path, kind, object }, type, patch) => {
  const target = `${path}/target`;
  for (const running of [patching, putting]) await send(running, 'POST', path, object, 'creator/1');
  const { schema } = new ResourceInfo(kind, kubernetes);
  const prepare = patchTypeOf(type)?.prepare;
  if (prepare === undefined) throw new Error(`no patch type ${type}`);
  for (const agent of ['first/1', 'second/1', 'first/1']) {
    const live = JSON.parse(String((await ask(putting.server, 'GET', target)).body)) as JsonObject;
    const put = await send(putting, 'PUT', target, atOnce(prepare(UNBOUNDED_WORK, patch)).apply(live, schema), agent);
    expect(await send(patching, 'PATCH', target, patch, agent, type)).toBe(put);
    const stored = await ask(patching.server, 'GET', target);
    expect(String(stored.body)).toBe(put);
  }
});
