import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  defineResource,
  Namespace,
  Pod,
  Role,
  RoleBinding,
  Secret,
} from '../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { withPage } from '../../src/ui/index.js';
import { requestOf, textOf } from '../server/ask.js';
import { turnsDuring } from '../support/turns.js';

const users = ['alice', 'viewer', 'operator', 'nobody'];
const tokens = users.map((name) => ({
  token: name === 'alice' ? 'admin' : name,
  user: { username: name, groups: [name === 'alice' ? 'system:masters' : 'system:authenticated'] },
}));

let api: TestServer;
let handle: ReturnType<typeof withPage>['handle'];

/** Sends a request; a body makes it a POST. */
const ask = (token: string, path: string, body?: object): Promise<ApiResponse> =>
  handle(
    requestOf(body === undefined ? 'GET' : 'POST', path, {
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );

/** Returns the JSON of an answer, which must have succeeded. */
const read = async (token: string, path: string, body?: object): Promise<any> => {
  const answer = await ask(token, path, body);
  expect([path, answer.status, answer.status === 200 ? '' : textOf(answer)]).toEqual([path, 200, '']);
  return JSON.parse(textOf(answer));
};

/** Follows an endpoint. @returns a function that reads until a line passes, and one that ends it */
async function follow(token: string, path: string) {
  const leaving = new AbortController();
  const answer = await handle(requestOf('GET', path, { token, signal: leaving.signal }));
  expect(answer.status).toBe(200);
  const { body } = answer;
  if (typeof body !== 'object' || !('stream' in body)) throw new Error('not a stream');
  const chunks = body.stream[Symbol.asyncIterator]();
  const waiting: any[] = [];
  return {
    async until(passes: (line: any) => boolean): Promise<any> {
      for (;;) {
        const line = waiting.shift();
        if (line === undefined) {
          const { done, value } = await chunks.next();
          if (done === true) throw new Error('the stream has ended');
          const lines = new TextDecoder().decode(value).split('\n');
          for (const text of lines) if (text !== '') waiting.push(JSON.parse(text));
        } else if (passes(line)) return line;
      }
    },
    end: async () => {
      leaving.abort();
      return chunks.next();
    },
  };
}

beforeAll(async () => {
  api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
  ({ handle } = withPage(api.server.target));
  const client = api.server.client();
  const group = 'rbac.authorization.k8s.io';
  const bind = (name: string, role: string) =>
    client.resource(ClusterRoleBinding).create({
      metadata: { name },
      subjects: [{ kind: 'User', apiGroup: group, name }],
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
    });
  // Loads the endpoints, and with them the roles.
  await read('admin', '/ui/v1/info');
  await bind('viewer', 'ui-viewer');
  await bind('operator', 'ui-operator');
  await client.resource(Namespace).create({ metadata: { name: 'shop' } });
  await client
    .resource(Role)
    .namespace('shop')
    .create({
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }],
    });
  await client
    .resource(RoleBinding)
    .namespace('shop')
    .create({
      metadata: { name: 'readers' },
      subjects: [{ kind: 'User', apiGroup: group, name: 'viewer' }],
      roleRef: { apiGroup: group, kind: 'Role', name: 'reader' },
    });
});

afterAll(() => api.close());

describe('the endpoints of the page', () => {
  test('do not exist unless a page is served', async () => {
    await using other = await startTestServer({ authentication: { tokens } });
    for (const path of ['info', 'counts', 'writes', 'requests', 'explain'])
      expect((await other.server.target.handle(requestOf('GET', `/ui/v1/${path}`))).status).toBe(404);
    const roles = await other.server.client().resource(ClusterRole).list();
    expect(roles.items.filter(({ metadata }) => metadata.name?.includes('ui-'))).toEqual([]);
    const root = await other.server.target.handle(requestOf('GET', '/'));
    expect(textOf(root)).not.toContain('/ui/');
  });

  test('are listed at the root, have methods, and end where they end', async () => {
    expect((await read('admin', '/')).paths).toContain('/ui/v1/who-can');
    expect((await ask('admin', '/ui/v1/counts', {})).status).toBe(405);
    expect((await ask('admin', '/ui/v1/explain')).status).toBe(405);
    for (const path of ['/ui/v1/none', '/ui/v1/', '/ui/v1/info/', '/ui/v1/infos'])
      expect((await ask('admin', path)).status).toBe(404);
  });

  test.each([
    ['/ui/v1/counts', undefined, ['alice', 'viewer', 'operator']],
    ['/ui/v1/timeline', undefined, ['alice', 'viewer', 'operator']],
    ['/ui/v1/related?uid=12345678', undefined, ['alice', 'viewer', 'operator']],
    ['/ui/v1/writes', undefined, ['alice', 'viewer', 'operator']],
    ['/ui/v1/explain', { verb: 'get', resource: 'pods' }, ['alice', 'viewer', 'operator']],
    ['/ui/v1/explain', { verb: 'get', resource: 'pods', user: 'bob' }, ['alice', 'operator']],
    ['/ui/v1/who-can', { verb: 'get', resource: 'pods' }, ['alice', 'operator']],
    ['/ui/v1/access-matrix', { users: ['bob'], verbs: ['get'], resource: 'pods' }, ['alice', 'operator']],
    ['/ui/v1/requests', undefined, ['alice', 'operator']],
    ['/ui/v1/series', undefined, ['alice', 'operator']],
    ['/ui/v1/controllers', undefined, ['alice', 'operator']],
    ['/ui/v1/info', undefined, users],
  ])('%s %o are for %o', async (path, body, allowed) => {
    const found: string[] = [];
    for (const { token, user } of tokens) {
      const { status } = await ask(token, path, body);
      if (status === 200) found.push(user.username);
      else expect(status).toBe(403);
    }
    expect(found).toEqual(allowed);
  });

  test('tell who is signed in, and strangers how to', async () => {
    expect(await read('viewer', '/ui/v1/info')).toEqual({
      dialect: 'kubernetes',
      groupSuffix: 'k8s.io',
      signIn: { token: true, certificate: true },
      readOnly: false,
      test: false,
      user: { username: 'viewer', groups: ['system:authenticated'] },
      now: api.clock.now(),
      storeId: (await api.server.client().resource(Namespace).get('kube-system')).metadata.uid,
    });
    expect(await read('', '/ui/v1/info')).not.toHaveProperty('storeId');
    expect(await read('', '/ui/v1/info')).not.toHaveProperty('user');
    expect((await ask('wrong', '/ui/v1/info')).status).toBe(401);
  });

  test('count the objects of kinds that the user may list', async () => {
    const maps = api.server.client().resource(ConfigMap).namespace('shop');
    for (const name of ['c-1', 'c-2', 'c-3']) await maps.create({ metadata: { name } });
    const countIn = ({ counts }: any, resource: string, group = ''): number | undefined =>
      counts.find((each: any) => each.resource === resource && each.group === group)?.total;
    const all = await read('admin', '/ui/v1/counts');
    expect(countIn(all, 'configmaps')).toBe((await api.server.client().resource(ConfigMap).list()).items.length);
    expect(countIn(all, 'deployments', 'apps')).toBe(0);
    expect(new Set(all.counts.map(({ group, resource }: any) => `${group}/${resource}`)).size).toBe(all.counts.length);
    // A right in one namespace is not one to know how many there are in all.
    expect((await read('viewer', '/ui/v1/counts')).counts).toEqual([]);
    const lines = await follow('admin', '/ui/v1/counts/follow');
    const total = countIn(all, 'configmaps') ?? 0;
    await lines.until((line) => line.resource === 'configmaps' && line.total === total);
    await maps.create({ metadata: { name: 'c-4' } });
    await api.advance(1000);
    await lines.until((line) => line.resource === 'configmaps' && line.total === total + 1);
    expect((await lines.end()).done).toBe(true);
  });

  test('show writes with their managers to those who may get the objects', async () => {
    const maps = api.server.client({ fieldManager: 'robot' }).resource(ConfigMap).namespace('shop');
    const lines = await follow('viewer', '/ui/v1/writes/follow');
    const made = await maps.create({ metadata: { name: 'w' }, data: { a: '1' } });
    await api.server
      .client()
      .resource(Secret)
      .namespace('shop')
      .create({ metadata: { name: 'hidden' } });
    await maps.apply({ metadata: { name: 'w' }, data: { b: '2' } }, { fieldManager: 'applier' });
    await maps.delete('w');
    const line = await lines.until(({ type }) => type === 'create');
    expect(line).toMatchObject({ resource: 'configmaps', namespace: 'shop', name: 'w', manager: 'robot' });
    expect(String(line.version)).toBe(made.metadata.resourceVersion);
    expect(await lines.until(() => true)).toMatchObject({ type: 'update', manager: 'applier', name: 'w' });
    expect(await lines.until(() => true)).toMatchObject({ type: 'delete', name: 'w', manager: '' });
    await lines.end();
    const { writes } = await read('admin', '/ui/v1/writes?namespace=shop&limit=4');
    expect(writes.map(({ type, name }: any) => `${type} ${name}`)).toEqual([
      'create w',
      'create hidden',
      'update w',
      'delete w',
    ]);
    const seen = await read('viewer', '/ui/v1/writes?limit=1000');
    expect(new Set(seen.writes.map(({ resource }: any) => resource))).toEqual(new Set(['configmaps']));
    expect((await ask('admin', '/ui/v1/writes?limit=0')).status).toBe(400);
    expect((await ask('admin', '/ui/v1/writes?limit=1001')).status).toBe(400);
  });

  test('find the objects that name an object in a field, as far as the user may get them', async () => {
    const client = api.server.client();
    const pods = client.resource(Pod).namespace('shop');
    const { metadata } = await client
      .resource(Secret)
      .namespace('shop')
      .create({ metadata: { name: 'named' } });
    const podWith = (name: string, secretName: string) => ({
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', secret: { secretName } }],
      },
    });
    await pods.create(podWith('mounts', 'named'));
    await pods.create(podWith('other', 'named-not'));
    await client.resource(Pod).namespace('default').create(podWith('elsewhere', 'named'));
    // Another kind of the same name.
    await client
      .resource(ConfigMap)
      .namespace('shop')
      .create({ metadata: { name: 'named' } });
    const question = `/ui/v1/related?uid=${metadata.uid}&group=&kind=Secret&name=named&of=shop`;
    const { referredBy, otherReferrers, dependants } = await read('admin', question);
    expect([referredBy, otherReferrers, dependants]).toEqual([
      [expect.objectContaining({ kind: 'Pod', name: 'mounts', field: 'spec.volumes[0].secret.secretName' })],
      0,
      [],
    ]);
    // Who may not get the object does not learn that others name it.
    expect(await read('viewer', question)).toMatchObject({ referredBy: [], otherReferrers: 0 });
    const map = await client
      .resource(ConfigMap)
      .namespace('shop')
      .create({ metadata: { name: 'mounted' } });
    await pods.create({
      metadata: { name: 'hidden' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', configMap: { name: 'mounted' } }],
      },
    });
    const own = `/ui/v1/related?uid=${map.metadata.uid}&group=&kind=ConfigMap&name=mounted&of=shop`;
    expect(await read('viewer', own)).toMatchObject({ referredBy: [], otherReferrers: 1 });
    expect(await read('admin', own.replace('kind=ConfigMap', 'kind=None'))).toMatchObject({ otherReferrers: 0 });
  });

  test('look at the fields of a large object in several turns, at any depth', async () => {
    const server = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
    const paged = withPage(server.server.target).handle;
    const things = defineResource({
      ...{ group: 'example.com', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Cluster' },
      schema: () => z.looseObject({}),
    });
    server.server.resources.add([things]);
    let spec: object = { list: Array.from({ length: 3_000 }, () => ({ nodeName: 'far' })) };
    for (let depth = 0; depth < 500; depth += 1) spec = { below: spec };
    await server.server
      .client()
      .resource(things)
      .create({ metadata: { name: 'deep' }, spec });
    const path = '/ui/v1/related?uid=12345678&group=&kind=Node&name=near';
    const turnsOf = (name: string): Promise<number> =>
      turnsDuring(async () => {
        const answer = await paged(requestOf('GET', path.replace('near', name), { token: 'admin' }));
        expect(JSON.parse(textOf(answer))).toMatchObject({ referredBy: [], otherReferrers: 0 });
      });
    // One is not in the text at all.
    expect((await turnsOf('deep')) - (await turnsOf('near'))).toBeGreaterThan(20);
    await server.close();
  });

  test('find the dependants of an object that the user may get', async () => {
    const client = api.server.client();
    const maps = client.resource(ConfigMap).namespace('shop');
    const { metadata } = await maps.create({ metadata: { name: 'owner' } });
    const uid = metadata.uid ?? '';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    for (let count = 0; count < 3; count += 1)
      await maps.create({ metadata: { name: `owned-${count}`, ownerReferences } });
    await client
      .resource(Secret)
      .namespace('shop')
      .create({ metadata: { name: 'owned', ownerReferences } });
    // It only mentions the uid.
    await maps.create({ metadata: { name: 'stranger' }, data: { uid } });
    const all = await read('admin', `/ui/v1/related?uid=${uid}`);
    expect(all).toMatchObject({ hidden: 0, complete: true });
    const names = ({ dependants }: any): string[] => dependants.map(({ kind, name }: any) => `${kind} ${name}`).sort();
    expect(names(all)).toEqual(['ConfigMap owned-0', 'ConfigMap owned-1', 'ConfigMap owned-2', 'Secret owned']);
    const seen = await read('viewer', `/ui/v1/related?uid=${uid}`);
    expect([names(seen), seen.hidden]).toEqual([['ConfigMap owned-0', 'ConfigMap owned-1', 'ConfigMap owned-2'], 1]);
    expect((await ask('admin', '/ui/v1/related?uid=x')).status).toBe(400);
    expect((await ask('admin', '/ui/v1/related')).status).toBe(400);
    // The dependants of an object in a namespace are there, too.
    expect(names(await read('admin', `/ui/v1/related?uid=${uid}&namespace=shop`))).toEqual(names(all));
    const elsewhere = await read('admin', `/ui/v1/related?uid=${uid}&namespace=default`);
    expect(elsewhere).toEqual({ dependants: [], hidden: 0, complete: true });
    // As many records are looked at as the question says, and the answer tells it.
    expect(await read('admin', `/ui/v1/related?uid=${uid}&namespace=shop&records=1`)).toMatchObject({
      complete: false,
    });
    for (const wrong of ['namespace=..', 'namespace=a/b', 'records=0', 'records=100001'])
      expect([wrong, (await ask('admin', `/ui/v1/related?uid=${uid}&${wrong}`)).status]).toEqual([wrong, 400]);
    // Others have their turns meanwhile.
    const decoded: Promise<unknown>[] = [];
    for (let count = 0; count < 300; count += 1) decoded.push(maps.create({ metadata: { name: `many-${count}` } }));
    await Promise.all(decoded);
    expect(await turnsDuring(() => read('admin', `/ui/v1/related?uid=${uid}`))).toBeGreaterThan(2);
  });

  test('show when versions were written', async () => {
    const maps = api.server.client().resource(ConfigMap).namespace('shop');
    await api.advance(60_000);
    const from = api.clock.now();
    const first = await maps.create({ metadata: { name: 't-1' } });
    await api.advance(30_000);
    await maps.create({ metadata: { name: 't-2' } });
    const last = await maps.create({ metadata: { name: 't-3' } });
    const { newest, oldest, buckets } = await read('viewer', `/ui/v1/timeline?from=${from}&buckets=100`);
    expect(String(newest.version)).toBe(last.metadata.resourceVersion);
    expect(oldest.time).toBeLessThan(from);
    expect(buckets.map(({ writes }: any) => writes)).toEqual([1, 2]);
    expect(buckets.map(({ version }: any) => String(version))).toEqual([
      first.metadata.resourceVersion,
      last.metadata.resourceVersion,
    ]);
    expect(buckets[0].time).toBe(from);
  });

  test('explain decisions, to users without the bindings that they may not read', async () => {
    const denied = await read('admin', '/ui/v1/explain', {
      ...{ user: 'viewer', verb: 'delete', resource: 'configmaps', namespace: 'shop' },
    });
    expect(denied).toMatchObject({
      allowed: false,
      remedy: { role: { kind: 'Role', rules: [{ verbs: ['delete'], resources: ['configmaps'] }] } },
    });
    expect(denied.nearestMisses.map(({ binding }: any) => binding.name)).toContain('readers');
    const own = { verb: 'get', resource: 'configmaps', namespace: 'shop' };
    expect(await read('operator', '/ui/v1/explain', { ...own, user: 'viewer' })).toMatchObject({
      ...{ allowed: true, allowedBy: { binding: { name: 'readers' } } },
    });
    const hidden = await read('viewer', '/ui/v1/explain', own);
    expect(hidden).toMatchObject({ allowed: true, tried: [], nearestMisses: [] });
    expect(hidden).not.toHaveProperty('allowedBy');
    const answer = await ask('viewer', '/ui/v1/explain', { ...own, groups: ['system:masters'] });
    expect(answer.status).toBe(403);
    for (const body of [{ verb: 'get' }, { verb: 1, resource: 'pods' }, { verb: 'get', resource: 'nones' }])
      expect((await ask('admin', '/ui/v1/explain', body)).status).toBe(400);
  });

  test('say who can do something, and by which rule', async () => {
    const asked = { verb: 'list', resource: 'configmaps', namespace: 'shop' };
    const { subjects, always, complete } = await read('operator', '/ui/v1/who-can', asked);
    expect(complete).toBe(true);
    expect(always).toEqual(['system:masters']);
    expect(subjects).toContainEqual({
      ...{ kind: 'User', name: 'viewer', role: 'reader', rule: 0 },
      binding: { kind: 'RoleBinding', namespace: 'shop', name: 'readers' },
    });
    const elsewhere = await read('operator', '/ui/v1/who-can', { ...asked, namespace: 'default' });
    expect(elsewhere.subjects.map(({ name }: any) => name)).not.toContain('viewer');
    const path = await read('operator', '/ui/v1/who-can', { verb: 'post', resource: '/ui/v1/who-can' });
    expect(path.subjects.map(({ name }: any) => name)).toContain('operator');
  });

  test('say which of some users may use which verbs', async () => {
    const asked = { users: ['viewer', 'nobody'], verbs: ['get', 'delete'], resource: 'configmaps', namespace: 'shop' };
    expect(await read('operator', '/ui/v1/access-matrix', asked)).toEqual({
      verbs: ['get', 'delete'],
      rows: [
        { user: 'viewer', allowed: [true, false] },
        { user: 'nobody', allowed: [false, false] },
      ],
    });
    const many = Array.from({ length: 51 }, (_, index) => `u${index}`);
    expect((await ask('operator', '/ui/v1/access-matrix', { ...asked, users: many })).status).toBe(400);
  });

  test('record requests, also as they come, and an hour of counts', async () => {
    const lines = await follow('operator', '/ui/v1/requests/follow?code=4xx');
    await ask('nobody', '/api/v1/pods');
    const line = await lines.until(({ path }) => path === '/api/v1/pods');
    expect(line).toMatchObject({
      user: 'nobody',
      verb: 'list',
      method: 'GET',
      code: 403,
      bytesOut: expect.any(Number),
    });
    expect(line.bytesOut).toBeGreaterThan(100);
    await lines.end();
    const { requests } = await read('operator', '/ui/v1/requests?user=nobody&limit=1');
    expect(requests).toEqual([line]);
    expect((await ask('operator', '/ui/v1/requests?code=abc')).status).toBe(400);
    const { names, values, step } = await read('operator', '/ui/v1/series');
    const sum = (name: string): number =>
      values.reduce((total: number, value: number[]) => total + (value[names.indexOf(name) + 1] ?? 0), 0);
    expect(step).toBe(2000);
    expect(sum('requests')).toBeGreaterThan(10);
    expect(sum('failures')).toBeGreaterThan(5);
    expect(sum('writes')).toBeGreaterThan(5);
    await api.advance(3_600_000 + step);
    expect((await read('operator', '/ui/v1/series')).values.length).toBeLessThanOrEqual(2);
  });

  test('record requests without the texts that their clients choose to be long, and without credentials', async () => {
    const long = 'x'.repeat(5000);
    await handle(
      requestOf('GET', `/api/v1/${long}?limit=5&access_token=secret&${long}`, {
        token: 'nobody',
        headers: { 'audit-id': long, 'user-agent': long },
      }),
    );
    const { requests } = await read('operator', '/ui/v1/requests?user=nobody&limit=1');
    const [{ query, auditId, userAgent, path }] = requests;
    expect(query).toBe('limit=5&access_token=REDACTED&REDACTED');
    expect([auditId, userAgent, path].map(({ length }: string) => length)).toEqual([501, 501, 501]);
  });

  test('list requests, explain and look through bindings in several turns', async () => {
    const admin = api.server.client();
    await admin.resource(Namespace).create({ metadata: { name: 'many' } });
    const group = 'rbac.authorization.k8s.io';
    const bindings = admin.resource(RoleBinding).namespace('many');
    for (let count = 0; count < 60; count += 1)
      await bindings.create({
        metadata: { name: `b-${count}` },
        subjects: [{ kind: 'User', apiGroup: group, name: 'viewer' }],
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'view' },
      });
    for (let count = 0; count < 700; count += 1) await ask('admin', '/livez');
    expect(await turnsDuring(() => read('operator', '/ui/v1/requests?limit=700'))).toBeGreaterThan(10);
    const asked = { verb: 'get', resource: 'secrets', namespace: 'many' };
    expect(await turnsDuring(() => read('viewer', '/ui/v1/explain', asked))).toBeGreaterThan(20);
    expect(await turnsDuring(() => read('operator', '/ui/v1/who-can', asked))).toBeGreaterThan(20);
  });

  test('end what is followed after half an hour, when its user is authenticated again', async () => {
    const lines = await follow('operator', '/ui/v1/requests/follow');
    await lines.until(() => true);
    await api.advance(30 * 60_000);
    await expect(lines.until(() => false)).rejects.toThrow('the stream has ended');
  });

  test('keep the newest 2,000 requests', async () => {
    for (let count = 0; count < 2100; count += 1) await ask('admin', '/livez');
    const { requests } = await read('operator', '/ui/v1/requests?limit=2000');
    expect(requests).toHaveLength(2000);
    const numbers = requests.map(({ number }: any) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });

  test('take bodies of JSON alone', async () => {
    const send = (body: string, type: string): Promise<ApiResponse> =>
      handle(requestOf('POST', '/ui/v1/who-can', { body, headers: { 'content-type': type } }));
    expect((await send('{}', 'text/plain')).status).toBe(415);
    expect((await send('[]', 'application/json')).status).toBe(400);
    expect((await send('{', 'application/json; charset=utf-8')).status).toBe(400);
  });
});
