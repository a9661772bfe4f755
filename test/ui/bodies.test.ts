import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterRole, ClusterRoleBinding } from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { withPage } from '../../src/ui/index.js';
import { jsonOf, requestOf, textOf, type Asked } from '../server/ask.js';

const tokens = ['admin', 'operator', 'viewer'].map((token) => ({
  ...{ token },
  user: { username: token, groups: token === 'admin' ? ['system:masters'] : [] },
}));
const MAPS = '/api/v1/namespaces/default/configmaps';
const PASSWORD = 'c2VjcmV0LXZhbHVl';

let api: TestServer;
let handle: ReturnType<typeof withPage>['handle'];

const ask = (token: string, method: string, path: string, asked: Asked = {}): Promise<ApiResponse> =>
  handle(requestOf(method, path, { ...asked, token }));

/** Returns the recorded bodies of the newest request of the owner to a path. */
async function bodiesOf(token: string, path: string): Promise<ApiResponse> {
  const { requests } = jsonOf(await ask('admin', 'GET', `/ui/v1/requests?user=admin&path=${path}&limit=1`)) as any;
  return ask(token, 'GET', `/ui/v1/requests/bodies?number=${requests[0].number}`);
}

beforeAll(async () => {
  const audit = {
    policy: {
      rules: [{ level: 'RequestResponse' as const, resources: [{ group: '' }] }, { level: 'Metadata' as const }],
    },
    sink: { write: () => undefined, truncate: { maxEventBytes: 200_000 } },
  };
  api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens }, observability: { audit } });
  ({ handle } = withPage(api.server.target));
  expect((await ask('admin', 'GET', '/ui/v1/info')).status).toBe(200);
  const client = api.server.client();
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }];
  await client.resource(ClusterRole).create({ metadata: { name: 'reads-maps' }, rules });
  for (const [name, role, user] of [
    ['a', 'ui-operator', 'operator'],
    ['b', 'reads-maps', 'operator'],
    ['c', 'ui-viewer', 'viewer'],
    ['d', 'reads-maps', 'viewer'],
  ])
    await client.resource(ClusterRoleBinding).create({
      metadata: { name: name ?? '' },
      subjects: [{ kind: 'User', apiGroup, name: user ?? '' }],
      roleRef: { apiGroup, kind: 'ClusterRole', name: role ?? '' },
    });
});
afterAll(() => api.close());

const mapOf = (name: string, data: Record<string, string>): string => JSON.stringify({ metadata: { name }, data });

test('the bodies of a request are those that the audit policy records', async () => {
  await ask('admin', 'POST', MAPS, { body: mapOf('one', { a: '1' }) });
  const { level, request, response, tooLong, lengths } = jsonOf(await bodiesOf('operator', MAPS)) as any;
  expect([level, tooLong, lengths]).toEqual(['RequestResponse', false, [request.length, response.length]]);
  expect(JSON.parse(request)).toMatchObject({ data: { a: '1' } });
  expect(JSON.parse(response)).toMatchObject({ metadata: { name: 'one', uid: expect.any(String) } });
  // Its answer is that of a failure, too.
  await ask('admin', 'POST', MAPS, { body: mapOf('one', {}) });
  const failed = jsonOf(await bodiesOf('operator', MAPS)) as any;
  expect(JSON.parse(failed.response)).toMatchObject({ kind: 'Status', reason: 'AlreadyExists' });
  await ask('admin', 'GET', '/apis/apps/v1/deployments');
  const other = await bodiesOf('admin', '/apis/apps/v1/deployments');
  expect(jsonOf(other)).toEqual({ level: 'Metadata', tooLong: false, lengths: [0, 0] });
});

test('credentials are in none of them', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  await ask('admin', 'POST', secrets, { body: JSON.stringify({ metadata: { name: 's' }, data: { p: PASSWORD } }) });
  await ask('admin', 'GET', `${secrets}/s`);
  await ask('admin', 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  for (const path of [secrets, `${secrets}/s`, '/token']) {
    const answer = await bodiesOf('admin', path);
    expect(jsonOf(answer)).toEqual({ level: 'Metadata', tooLong: false, lengths: [0, 0] });
    expect(textOf(answer)).not.toContain(PASSWORD);
  }
});

test('long ones are cut, and those that the log leaves out are named', async () => {
  await ask('admin', 'POST', MAPS, { body: mapOf('long', { a: 'x'.repeat(50_000) }) });
  const long = jsonOf(await bodiesOf('operator', MAPS)) as any;
  expect([long.request.length, long.response.length]).toEqual([32 * 1024, 32 * 1024]);
  expect(long.lengths[0]).toBeGreaterThan(50_000);
  await ask('admin', 'POST', MAPS, { body: mapOf('longer', { a: 'x'.repeat(300_000) }) });
  await ask('admin', 'GET', MAPS);
  expect(jsonOf(await bodiesOf('operator', MAPS))).toMatchObject({ tooLong: true });
});

test('they are for operators who may read the object', async () => {
  await ask('admin', 'GET', `${MAPS}/one`);
  expect((await bodiesOf('operator', `${MAPS}/one`)).status).toBe(200);
  expect((await bodiesOf('viewer', `${MAPS}/one`)).status).toBe(403);
  const accounts = '/api/v1/namespaces/default/serviceaccounts/default';
  await ask('admin', 'GET', accounts);
  const refused = await bodiesOf('operator', accounts);
  expect([refused.status, textOf(refused)]).toEqual([
    403,
    expect.stringContaining('cannot get resource \\"serviceaccounts\\" in API group \\"\\" in the namespace'),
  ]);
  expect((await bodiesOf('admin', accounts)).status).toBe(200);
  for (const [query, status] of [
    ['?number=123456', 404],
    ['?number=0', 400],
    ['?number=x', 400],
    ['', 404],
  ])
    expect((await ask('admin', 'GET', `/ui/v1/requests/bodies${query}`)).status).toBe(status);
});

test('their memory is counted, and bounded', async () => {
  const used = async (): Promise<number> => {
    const metrics = textOf(await ask('admin', 'GET', '/metrics'));
    return Number(/apiserver_memory_reserved_bytes\{use="recordings"\} (\S+)/.exec(metrics)?.[1]);
  };
  const before = await used();
  for (let count = 0; count < 20; count += 1)
    await ask('admin', 'PUT', `${MAPS}/long`, { body: mapOf('long', { a: 'y'.repeat(40_000) + count }) });
  expect((await used()) - before).toBeGreaterThan(20 * 64 * 1024);
  for (let count = 0; count < 150; count += 1)
    await ask('admin', 'PUT', `${MAPS}/long`, { body: mapOf('long', { a: 'z'.repeat(40_000) + count }) });
  expect(await used()).toBeLessThan(10 * 1024 * 1024);
});
