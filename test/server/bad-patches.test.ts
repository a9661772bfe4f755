import { afterEach, beforeEach, expect, test } from 'vitest';
import { ConfigMap } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

const PATH = '/api/v1/namespaces/default/configmaps/target';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

let server: TestServer;
let before: string;

const stored = async (): Promise<string> =>
  JSON.stringify(await server.client.resource(ConfigMap).namespace('default').get('target'));

beforeEach(async () => {
  server = await startTestServer({
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await server.client
    .resource(ConfigMap)
    .namespace('default')
    .create({ metadata: { name: 'target', labels: { a: '1' } }, data: { k: 'v' } });
  before = await stored();
});

afterEach(async () => {
  await server.close();
});

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const operations = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ op: 'test', path: '/data/k', value: 'v' })));
const copies = JSON.stringify([
  { op: 'add', path: '/data/big', value: 'x'.repeat(1024 * 1024) },
  ...Array.from({ length: 4 }, (_, index) => ({ op: 'copy', from: '/data/big', path: `/data/big${index}` })),
]);
const managed = (fieldsV1: unknown): string =>
  JSON.stringify({
    metadata: {
      managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }],
    },
  });

const bad: readonly (readonly [name: string, mediaType: string, body: string, status: number])[] = [
  ['10,001 operations', JSON_PATCH, operations(10_001), 413],
  ['copies of more than 3 MiB', JSON_PATCH, copies, 422],
  ['a pointer into __proto__', JSON_PATCH, '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]', 422],
  [
    'a pointer into constructor.prototype',
    JSON_PATCH,
    '[{"op":"add","path":"/constructor/prototype/polluted","value":"yes"}]',
    422,
  ],
  ['an unknown operation', JSON_PATCH, '[{"op":"steal","path":"/data/k"}]', 422],
  [
    'a test that fails after a change',
    JSON_PATCH,
    '[{"op":"replace","path":"/data/k","value":"w"},{"op":"test","path":"/data/k","value":"v"}]',
    422,
  ],
  ['deep nesting in a JSON Patch', JSON_PATCH, `[{"op":"add","path":"/data/deep","value":${nested(100_000)}}]`, 400],
  ['deep nesting in a merge patch', MERGE, nested(100_000), 400],
  ['deep nesting in a strategic merge patch', STRATEGIC, nested(100_000), 400],
  ['deep nesting in an apply', APPLY, nested(100_000), 400],
  ['a list as a merge patch', MERGE, '[]', 400],
  ['an unknown directive', STRATEGIC, '{"data":{"$patch":"explode"}}', 500],
  ['an apply without a kind', APPLY, '{"metadata":{"name":"target"},"data":{"k":1}}', 400],
  [
    'an apply with managedFields',
    APPLY,
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"target","managedFields":[{"manager":"x"}]}}',
    400,
  ],
];

test.each(bad)('%s is refused and changes nothing', async (_name, mediaType, body, status) => {
  const query = mediaType === APPLY ? '?fieldManager=bad' : '';
  const answer = await ask(server.server, 'PATCH', PATH + query, { headers: { 'content-type': mediaType }, body });
  expect([answer.status, jsonOf(answer)['kind']]).toEqual([status, 'Status']);
  expect(await stored()).toBe(before);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

test.each([
  ['that own no existing field', { 'f:nowhere': { 'f:never': {} } }],
  ['that are no field set', { 'x:data': {} }],
  [
    'of one mebibyte',
    {
      'f:data': Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`f:key-of-some-length-${index}`, {}])),
    },
  ],
])('managedFields set by a client %s cannot corrupt an object', async (_name, fieldsV1) => {
  const answer = await ask(server.server, 'PATCH', PATH, {
    headers: { 'content-type': MERGE },
    body: managed(fieldsV1),
  });
  expect(answer.status).toBeLessThan(500);
  const client = server.client.resource(ConfigMap).namespace('default');
  await client.apply(
    { metadata: { name: 'target' }, data: { k: 'v', more: 'x' } },
    { fieldManager: 'after', force: true },
  );
  expect((await client.get('target')).data).toEqual({ k: 'v', more: 'x' });
});
