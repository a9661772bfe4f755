import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterRole, ClusterRoleBinding, ConfigMap, systemClock } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { Node } from '../../src/kinds/index.js';
import { commandHandler, ControlledServers, controlledTestServer, pageCommands } from '../../src/testing/index.js';
import { withPage } from '../../src/ui/index.js';
import { jsonOf, requestOf, textOf } from '../server/ask.js';

const OWNER = 'the-token-of-the-owner';
const tokens = ['operator', 'tester'].map((token) => ({ token, user: { username: token, groups: [] } }));
const ROOT = '/ui/v1/test';

let servers: ControlledServers;
let page: ReturnType<typeof withPage>;
const pages = new Map<string, ReturnType<typeof withPage>>();
let api: Awaited<ReturnType<typeof startTestServer>>;

beforeAll(async () => {
  const logger = { info: () => undefined, error: () => undefined };
  const started = await startTestServer({
    ...{ dialect: 'kubernetes', simulate: { nodes: 2 } },
    authentication: { ownerToken: OWNER, tokens },
  });
  api = started;
  const controlled = controlledTestServer(started, { ownerToken: OWNER, runningClock: undefined, simulates: true });
  servers = await ControlledServers.start(controlled, {
    ...{ maxForks: 2, closeMs: 5000, clock: systemClock, logger, controlUrl: () => 'http://control' },
    open: (server, id) => {
      const commands = pageCommands((request) => commandHandler({ servers, logger })(request), id);
      pages.set(id, withPage(server.target, { test: commands }));
      return Promise.resolve({ url: `https://h/${id}`, certificateAuthority: undefined, close: async () => undefined });
    },
  });
  page = pages.get('') ?? withPage(controlled.target);
  const client = started.server.client();
  const apiGroup = 'rbac.authorization.k8s.io';
  expect((await ask('GET', '/ui/v1/info')).status).toBe(200);
  const rules = [{ nonResourceURLs: [`${ROOT}/*`], verbs: ['get', 'post', 'delete'] }];
  await client.resource(ClusterRole).create({ metadata: { name: 'gives-commands' }, rules });
  for (const [name, role] of [
    ['operator', 'ui-operator'],
    ['tester', 'gives-commands'],
  ])
    await client.resource(ClusterRoleBinding).create({
      metadata: { name: name ?? '' },
      subjects: [{ kind: 'User', apiGroup, name: name ?? '' }],
      roleRef: { apiGroup, kind: 'ClusterRole', name: role ?? '' },
    });
});
afterAll(() => servers.close());

const ask = (method: string, path: string, body?: object, token = OWNER, { handle } = page): Promise<ApiResponse> =>
  handle(requestOf(method, path, { token, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));

const run = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await ask(method, ROOT + path, body);
  expect([path, answer.status < 300, textOf(answer)]).toEqual([path, true, expect.anything()]);
  return jsonOf(answer);
};

test('the page of a test server says that it is one, and no other server has commands', async () => {
  expect(jsonOf(await ask('GET', '/ui/v1/info'))).toMatchObject({ test: true });
  await using other = await startTestServer({ authentication: { ownerToken: OWNER } });
  const { handle } = withPage(other.server.target);
  expect(jsonOf(await handle(requestOf('GET', '/ui/v1/info', { token: OWNER })))).toMatchObject({ test: false });
  expect((await handle(requestOf('GET', `${ROOT}/clock`, { token: OWNER }))).status).toBe(404);
});

test('commands are for the owner, and whom a role allows them; nobody else', async () => {
  for (const [token, status] of [
    [OWNER, 200],
    ['tester', 200],
    ['operator', 403],
    ['', 403],
    ['wrong', 401],
  ] as const)
    expect([token, (await ask('GET', `${ROOT}/clock`, undefined, token)).status]).toEqual([token, status]);
  expect((await ask('POST', `${ROOT}/reset`, {}, 'operator')).status).toBe(403);
});

test('answers have no credentials', async () => {
  const { data } = { data: { password: 'a-secret-value' } };
  const secret = JSON.stringify({ metadata: { name: 's' }, stringData: data });
  await page.handle(requestOf('POST', '/api/v1/namespaces/default/secrets', { token: OWNER, body: secret }));
  await run('POST', '/forks', {});
  for (const path of ['/', '/forks', '/requests']) {
    const text = textOf(await ask('GET', ROOT + path, undefined, 'tester'));
    expect(text.length).toBeGreaterThan(20);
    for (const word of [OWNER, 'apiVersion: v1', data.password]) expect(text).not.toContain(word);
  }
  await run('DELETE', '/forks/f1');
});

test('the time advances, a node becomes NotReady, and a fault hits', async () => {
  const before = await run('GET', '/clock');
  const after = await run('POST', '/clock/advance', { duration: '90s' });
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(90_000);
  expect((await ask('POST', `${ROOT}/clock/advance`, { duration: 'long' })).status).toBe(400);
  const rule = await run('POST', '/simulation/rules', { nodes: 'node-1', become: 'NotReady' });
  await run('POST', '/settled', {});
  const { status } = await api.server.client().resource(Node).get('node-1');
  expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
  expect((await run('GET', '/simulation/rules')).items).toEqual([{ ...rule, hits: 1 }]);
  await run('POST', '/faults', { fault: 'fail', match: { verb: 'list', resource: 'pods' }, status: 503 });
  expect((await ask('GET', '/api/v1/pods')).status).toBe(503);
  expect((await run('GET', '/faults')).items).toMatchObject([{ hits: 1 }]);
  const { items } = await run('GET', '/requests?resource=pods&verb=list&status=503');
  expect(items).toMatchObject([{ verb: 'list', path: '/api/v1/pods', status: 503 }]);
});

test('a fork has a page of its own, whose commands are about the fork', async () => {
  const { id } = await run('POST', '/forks', {});
  const fork = pages.get(id);
  const { now } = await run('GET', '/clock');
  const advanced = jsonOf(await ask('POST', `${ROOT}/clock/advance`, { duration: '1h' }, OWNER, fork));
  expect(Date.parse(String(advanced['now'])) - Date.parse(now)).toBe(3_600_000);
  expect((await run('GET', '/clock')).now).toBe(now);
  await run('DELETE', `/forks/${id}`);
  expect((await run('GET', '/forks')).items).toEqual([]);
});

test('a reset is answered, although it ends the requests to the server', async () => {
  const maps = api.server.client().resource(ConfigMap).namespace('default');
  await maps.create({ metadata: { name: 'made' } });
  await run('POST', '/reset', {});
  expect((await maps.list()).items.map(({ metadata }) => metadata.name)).not.toContain('made');
  expect((await run('GET', '/faults')).items).toEqual([]);
  // The page goes on.
  expect(jsonOf(await ask('GET', '/ui/v1/info'))).toMatchObject({ test: true });
});
