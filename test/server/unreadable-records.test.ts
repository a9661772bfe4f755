/** One unreadable record is skipped; authorization and controllers follow all others. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Namespace,
  Pod,
  Role,
  RoleBinding,
  ServiceAccount,
} from '../../src/kinds/builtin/index.js';
import { Informer } from '../../src/entries/controllers.js';
import type { Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask } from './ask.js';

const RBAC = 'rbac.authorization.orch.io';
const BINDINGS = '/registry/clusterrolebindings/';
const ROLES = '/registry/clusterroles/';
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Contents that may be stored in place of an object, after the prefix of the kind's records. */
const damages: readonly [what: string, damaged: (text: string, revision: number) => string][] = [
  ['nonsense', () => 'nonsense'],
  ['broken JSON', (text) => text.slice(0, text.length / 2)],
  [
    'an unknown version',
    (text, revision) =>
      JSON.stringify({
        ...JSON.parse(text),
        apiVersion: `${RBAC}/v9`,
        metadata: { name: 'x', resourceVersion: String(revision) },
      }),
  ],
  [
    'fields of another shape',
    (text) => JSON.stringify({ ...JSON.parse(text), subjects: 'all', rules: [{ verbs: '*' }] }),
  ],
];

let storage: Storage;
let running: TestServer;
let logged: string[];

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<void> {
  logged = [];
  running = await startTestServer({
    storage,
    ...options,
    observability: {
      logger: { info: () => undefined, error: (message) => void logged.push(message) },
      ...options.observability,
    },
    authentication: {
      tokens: ['alice', 'bob'].map((name) => ({ token: name, user: { username: name, groups: [] } })),
      ...options.authentication,
    },
  });
}
beforeEach(() => {
  storage = createMemoryStorage({ clock: createManualClock() });
});
afterEach(() => running.close());

async function damage(key: string, damaged: (text: string, revision: number) => string): Promise<void> {
  const { record } = await storage.get(key);
  if (record === undefined) throw new Error(`nothing is stored under ${key}`);
  await storage.update(key, (revision) => damaged(record.text, revision), record.modRevision);
}

const status = async (token: string): Promise<number> => (await ask(running.server, 'GET', MAPS, { token })).status;

const binding = (name: string, user: string) => ({
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'readers' },
  subjects: [{ kind: 'User', apiGroup: RBAC, name: user }],
});

async function grant(): Promise<void> {
  const { client } = running;
  await client.resource(ClusterRole).create({
    metadata: { name: 'readers' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
  });
  await client.resource(ClusterRoleBinding).create(binding('alice', 'alice'));
  await client.resource(ClusterRoleBinding).create(binding('bob', 'bob'));
}

describe.each(damages)('with %s in place of', (_what, damaged) => {
  test('a binding, that binding grants nothing, and all others are followed', async () => {
    await start();
    await grant();
    expect([await status('alice'), await status('bob')]).toEqual([200, 200]);
    await damage(`${BINDINGS}alice`, damaged);
    expect([await status('alice'), await status('bob')]).toEqual([403, 200]);
    await running.client.resource(ClusterRoleBinding).delete('bob');
    expect(await status('bob')).toBe(403);
    await running.client.resource(ClusterRoleBinding).create(binding('carol', 'bob'));
    expect(await status('bob')).toBe(200);
    expect(logged).toEqual([`${BINDINGS}alice cannot be read, and grants nothing`]);
  });

  test('a role, that role grants nothing', async () => {
    await start();
    await grant();
    expect(await status('alice')).toBe(200);
    await damage(`${ROLES}readers`, damaged);
    expect(await status('alice')).toBe(403);
    await running.client.resource(ClusterRole).create({
      metadata: { name: 'others' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await running.client
      .resource(ClusterRoleBinding)
      .create({ ...binding('again', 'alice'), roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'others' } });
    expect(await status('alice')).toBe(200);
  });

  test("roles and bindings, including the server's own, when the server starts", async () => {
    await start();
    await grant();
    await running.settled();
    for (const key of [`${BINDINGS}alice`, `${BINDINGS}system:basic-user`, `${ROLES}system:discovery`])
      await damage(key, damaged);
    const { close } = storage;
    storage.close = () => Promise.resolve();
    await running.close();
    storage.close = close;
    await start();
    expect([await status('alice'), await status('bob')]).toEqual([403, 200]);
    expect((await ask(running.server, 'GET', '/readyz', { token: '' })).status).toBe(200);
  });
});

test('a role with null in place of a list is read', async () => {
  await start();
  const role = {
    metadata: { name: 'r' },
    rules: [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list'], resourceNames: null, nonResourceURLs: null },
    ],
  };
  await ask(running.server, 'POST', `/apis/${RBAC}/v1/clusterroles`, { token: 'alice', body: JSON.stringify(role) });
  await running.client.resource(ClusterRole).create(role as never);
  await running.client
    .resource(ClusterRoleBinding)
    .create({ ...binding('alice', 'alice'), roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' } });
  await running.client
    .resource(Role)
    .namespace('default')
    .create({ metadata: { name: 'r' }, rules: null } as never);
  await running.client
    .resource(RoleBinding)
    .namespace('default')
    .create({ metadata: { name: 'b' }, subjects: null, roleRef: { apiGroup: RBAC, kind: 'Role', name: 'r' } } as never);
  expect([await status('alice'), logged]).toEqual([200, []]);
});

test('node agents are authorized through the readable pods', async () => {
  await start({
    authorization: { modes: ['Node'] },
    authentication: { tokens: [{ token: 'node', user: { username: 'system:node:n1', groups: ['system:nodes'] } }] },
  });
  const pods = running.client.resource(Pod).namespace('default');
  const pod = (name: string) => ({
    metadata: { name },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name } }] }] },
  });
  await pods.create(pod('one') as never);
  await pods.create(pod('two') as never);
  const get = async (name: string): Promise<number> =>
    (await ask(running.server, 'GET', `${MAPS}/${name}`, { token: 'node' })).status;
  expect([await get('one'), await get('two')]).toEqual([404, 404]);
  await running.settled();
  await damage('/registry/pods/default/one', () => 'nonsense');
  expect([await get('one'), await get('two')]).toEqual([403, 404]);
  await pods.delete('two', { gracePeriodSeconds: 0 });
  expect(await get('two')).toBe(403);
  await running.settled();
  // The informer of the controllers reports it too.
  expect(logged).toEqual([
    '/registry/pods/default/one cannot be read, and is not in the node graph',
    'controller failed and will retry',
  ]);
});

test('controllers serve all other namespaces, and an informer treats an unreadable object as deleted', async () => {
  await start();
  const errors: string[] = [];
  const maps = running.client.resource(ConfigMap);
  const informer = new Informer({
    source: maps,
    clock: running.clock,
    labelSelector: 'watched',
    onError: (error) => errors.push(String(error)),
  });
  await maps.namespace('default').create({ metadata: { name: 'a', labels: { watched: '' } } });
  await maps.namespace('default').create({ metadata: { name: 'b', labels: { watched: '' } } });
  informer.start();
  await informer.synced();
  const names = (): unknown[] => [...informer.values()].map(({ metadata }) => metadata.name);
  expect(names()).toEqual(['a', 'b']);
  const { record } = await storage.get('/registry/configmaps/default/a');
  await damage('/registry/configmaps/default/a', () => 'nonsense');
  await informer.caughtUp();
  expect(names()).toEqual(['b']);
  await maps.namespace('default').patch('b', { data: { k: 'v' } });
  await informer.caughtUp();
  expect(informer.get('default/b')).toMatchObject({ data: { k: 'v' } });
  await damage('/registry/configmaps/default/a', () => record?.text ?? '');
  await running.settled();
  expect(names()).toEqual(['b', 'a']);
  expect(errors.length).toBeGreaterThan(0);
  await informer.stop();

  await running.client.resource(Namespace).create({ metadata: { name: 'broken' } });
  await damage('/registry/namespaces/broken', () => 'nonsense');
  await running.client.resource(Namespace).create({ metadata: { name: 'sound' } });
  await running.settled();
  expect((await running.client.resource(ServiceAccount).namespace('sound').get('default')).metadata.name).toBe(
    'default',
  );
  await running.client.resource(Namespace).delete('sound');
  await running.settled();
  await expect(running.client.resource(Namespace).get('sound')).rejects.toMatchObject({ code: 404 });
});
