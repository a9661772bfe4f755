import { describe, expect, test } from 'vitest';
import {
  ApiServer,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Namespace,
  Role,
  RoleBinding,
  ServiceAccount,
  type UserInfo,
} from '../../src/entries/index.js';
import { SelfSubjectAccessReview, SubjectAccessReview, TokenRequest } from '../../src/entries/kinds.js';
import { alwaysAllow, unionAuthorizers, type Authorizer } from '../../src/security/authz/index.js';
import { explanationText } from '../../src/security/authz/explain/text.js';
import { type BindingManifest, type RoleManifest } from '../../src/security/authz/explain/manifests.js';
import { startTestServer } from '../../src/entries/testing.js';
import { ask } from './ask.js';

const ALICE: UserInfo = { username: 'alice', groups: ['dev', 'system:authenticated'] };
/** Admin rights, as for the code under test. */
const ROBOT: UserInfo = { username: 'system:serviceaccount:default:robot', groups: ['system:masters'] };
const RBAC = 'rbac.authorization.orch.io';

/** Creates roles and bindings on a server, as an administrator. */
async function apply(server: ApiServer, objects: readonly (RoleManifest | BindingManifest)[]): Promise<void> {
  const client = server.client();
  for (const object of objects) {
    const { namespace = '' } = object.metadata;
    if (object.kind === 'Role') await client.resource(Role).namespace(namespace).create(object);
    if (object.kind === 'ClusterRole') await client.resource(ClusterRole).create(object);
    if (object.kind === 'RoleBinding' && 'roleRef' in object)
      await client.resource(RoleBinding).namespace(namespace).create(object);
    if (object.kind === 'ClusterRoleBinding' && 'roleRef' in object)
      await client.resource(ClusterRoleBinding).create(object);
  }
}

describe('server.explain', () => {
  test('reads the roles of the server, and its remedy works', async () => {
    await using server = new ApiServer();
    const maps = server.client({ user: ALICE }).resource(ConfigMap).namespace('default');
    const before = await server.explain(ALICE, 'get', ConfigMap, { namespace: 'default', name: 'prices' });
    expect([before.allowed, before.opinions.map(({ name, decision }) => [name, decision])]).toEqual([
      false,
      [
        ['system:masters', 'NoOpinion'],
        ['RBAC', 'NoOpinion'],
      ],
    ]);
    expect(before.tried.map(({ binding }) => binding.name)).toEqual([
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
    ]);
    await apply(
      server,
      [before.remedy?.role, before.remedy?.binding].flatMap((object) => object ?? []),
    );
    const after = await server.explain(ALICE, 'get', 'configmaps', { namespace: 'default', name: 'prices' });
    expect([after.allowed, after.decidedBy, after.allowedBy?.binding]).toMatchObject([
      true,
      'RBAC',
      { kind: 'RoleBinding', name: 'alice-get-configmaps-prices' },
    ]);
    await expect(maps.get('prices')).rejects.toMatchObject({ code: 404 });
    await expect(maps.get('others')).rejects.toMatchObject({ code: 403 });
    await expect(maps.list()).rejects.toMatchObject({ code: 403 });
  });

  test('sees a change at once, and names what is missing', async () => {
    await using server = new ApiServer();
    const bindings = server.client().resource(RoleBinding).namespace('default');
    await bindings.create({
      metadata: { name: 'readers' },
      subjects: [{ kind: 'Group', name: 'dev' }],
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
    });
    const nearest = async () => (await server.explain(ALICE, 'get', 'cm', { namespace: 'default' })).nearestMisses[0];
    expect(await nearest()).toMatchObject({ binding: { name: 'readers' }, misses: [{ in: 'role', wanted: 'reader' }] });
    await server
      .client()
      .resource(Role)
      .namespace('default')
      .create({
        metadata: { name: 'reader' },
        rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
      });
    expect(await nearest()).toMatchObject({
      binding: { name: 'readers' },
      misses: [{ in: 'verb', wanted: 'get', offered: ['list'] }],
    });
    await bindings.delete('readers');
    expect(await nearest()).not.toMatchObject({ binding: { name: 'readers' } });
  });

  test('resolves aggregated built-in roles', async () => {
    await using test = await startTestServer();
    const { server, client, settled } = test;
    await client
      .resource(RoleBinding)
      .namespace('default')
      .create({
        metadata: { name: 'viewers' },
        subjects: [{ kind: 'User', name: 'bob' }],
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
      });
    const { nearestMisses } = await server.explain('bob', 'get', 'secrets', { namespace: 'default' });
    expect(nearestMisses.find(({ binding }) => binding.name === 'viewers')?.aggregation).toMatchObject({
      members: ['system:aggregate-to-view'],
      allowing: [],
    });
    await client.resource(ClusterRole).create({
      metadata: { name: 'secret-viewer', labels: { [`${RBAC}/aggregate-to-view`]: 'true' } },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }],
    });
    await settled();
    expect((await server.explain('bob', 'get', 'secrets', { namespace: 'default' })).allowed).toBe(true);
  });

  test.each<[string, string | UserInfo, readonly string[] | undefined, readonly string[]]>([
    ['a name', 'bob', undefined, ['system:authenticated']],
    ['a name with groups', 'bob', ['ops'], ['ops', 'system:authenticated']],
    [
      'a service account',
      'system:serviceaccount:shop:robot',
      undefined,
      ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    ],
    ['nobody', 'system:anonymous', undefined, ['system:unauthenticated']],
    ['a user as it is', { username: 'bob', groups: [] }, undefined, []],
    ['a user with groups', { username: 'bob', groups: ['dev'] }, ['ops'], ['dev', 'ops']],
  ])('accepts %s', async (_, who, groups, expected) => {
    await using server = new ApiServer();
    const { attributes } = await server.explain(who, 'get', 'configmaps', groups === undefined ? {} : { groups });
    expect(attributes.user.groups).toEqual(expected);
  });

  test.each<[string, object, object]>([
    [
      'pods/log',
      { namespace: 'a', name: 'web' },
      { apiGroup: '', resource: 'pods', subresource: 'log', namespace: 'a', name: 'web' },
    ],
    ['deploy', {}, { apiGroup: 'apps', resource: 'deployments', subresource: '', namespace: '', name: '' }],
    [
      'deployments.apps',
      { subresource: 'scale', namespace: 'a' },
      { apiGroup: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a' },
    ],
    ['users', { group: '', name: 'eve' }, { apiGroup: '', resource: 'users', name: 'eve', isResource: true }],
    ['namespaces', { name: 'a' }, { resource: 'namespaces', namespace: 'a', name: 'a' }],
    ['namespaces/status', { name: 'a' }, { resource: 'namespaces', subresource: 'status', namespace: 'a', name: 'a' }],
    ['nodes', { name: 'n' }, { resource: 'nodes', namespace: '', name: 'n' }],
    ['/metrics', {}, { isResource: false, path: '/metrics', resource: '' }],
    ['/a%20b', {}, { isResource: false, path: '/a b' }],
  ])('parses %s %j', async (words, options, expected) => {
    await using server = new ApiServer();
    expect((await server.explain('bob', 'get', words, options)).attributes).toMatchObject(expected);
  });

  test('proposes a cluster-wide remedy for a cluster-scoped resource', async () => {
    await using server = new ApiServer();
    const { remedy } = await server.explain('bob', 'delete', Namespace, { name: 'a' });
    expect([remedy?.role.kind, remedy?.role.rules]).toEqual([
      'ClusterRole',
      [{ verbs: ['delete'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['a'] }],
    ]);
    await apply(
      server,
      [remedy?.role, remedy?.binding].flatMap((object) => object ?? []),
    );
    const tokens = server.client({ user: { username: 'bob', groups: [] } });
    await expect(tokens.resource(Namespace).delete('a')).rejects.toMatchObject({ code: 404 });
    await expect(tokens.resource(Namespace).delete('b')).rejects.toMatchObject({ code: 403 });
  });

  test.each<[string, object, string]>([
    ['confgmaps', {}, 'no resource "confgmaps" is served; nearest are "configmaps"'],
    ['pods.apps', {}, 'no resource "pods.apps" is served; nearest are "pods"'],
    ['nodes', { namespace: 'a' }, '"nodes" is not in namespaces'],
    ['/metrics', { namespace: 'a', name: 'b' }, 'a path has no namespace and no name'],
    ['/api/v1/pods', {}, '"/api/v1/pods" is the path of a resource: use "pods" instead'],
    ['/a%2fb', {}, '"/a%2fb" is not a valid path: '],
  ])('refuses %s %j', async (words, options, message) => {
    await using server = new ApiServer();
    const refusal = await server.explain('bob', 'get', words, options).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TypeError);
    expect((refusal as Error).message.startsWith(message)).toBe(true);
  });

  test('asks a custom authorizer, and proposes no roles to it', async () => {
    const denies: Authorizer = ({ user }) => ({
      decision: user.username === 'eve' ? 'Deny' : 'NoOpinion',
      reason: 'because',
    });
    await using server = new ApiServer({ authorization: { authorizer: denies } });
    const eve = await server.explain('eve', 'get', 'configmaps');
    expect(eve).toMatchObject({
      allowed: false,
      decidedBy: 'authorizer',
      reason: 'because',
      tried: [],
      nearestMisses: [],
    });
    expect([eve.remedy, explanationText(eve)]).toEqual([
      undefined,
      'User "eve" (groups "system:authenticated") may not get resource "configmaps" in API group "" at the cluster scope.\nauthorizer denies it: because',
    ]);
    expect(await server.explain('bob', 'get', 'configmaps')).not.toHaveProperty('decidedBy');
  });
});

describe('server.explain with configured authorization modes', () => {
  test('names the authorizers that were asked, in order', async () => {
    await using server = new ApiServer({ authorization: { modes: ['Node', 'AlwaysDeny', 'RBAC'] } });
    const { opinions, remedy, reason } = await server.explain('bob', 'get', 'configmaps', { namespace: 'default' });
    expect([opinions.map(({ name }) => name), remedy?.role.kind, reason]).toEqual([
      ['system:masters', 'Node', 'AlwaysDeny', 'RBAC'],
      'Role',
      'Everything is forbidden.',
    ]);
  });

  test('proposes no roles if no authorizer reads them', async () => {
    await using server = new ApiServer({ authorization: { modes: ['AlwaysAllow'] } });
    expect(await server.explain('bob', 'get', 'configmaps')).toMatchObject({
      allowed: true,
      decidedBy: 'AlwaysAllow',
      tried: [],
      nearestMisses: [],
    });
  });
});

describe('server.recordAccess', () => {
  test("builds the smallest role for a client's requests, which is then exactly sufficient", async () => {
    await using server = new ApiServer();
    const work = async (user: UserInfo, suffix: string): Promise<void> => {
      const maps = server.client({ user }).resource(ConfigMap).namespace('default');
      await maps.create({ metadata: { name: `state${suffix}` }, data: { step: '1' } });
      await maps.patch('state', { data: { step: '2' } });
      await maps.apply({ metadata: { name: 'state' }, data: { other: 'x' } }, { fieldManager: 'robot' });
      await maps.get('state');
      await maps.list();
      await maps.delete(`state${suffix}`);
    };
    const recording = server.recordAccess(ROBOT);
    await work(ROBOT, '');
    recording.stop();
    await server
      .client({ user: ROBOT })
      .resource(ConfigMap)
      .namespace('default')
      .get('other')
      .catch(() => undefined);
    expect(recording.role()).toEqual({
      apiVersion: 'rbac.authorization.orch.io/v1',
      kind: 'Role',
      metadata: { name: 'default-robot-access', namespace: 'default' },
      rules: [
        { verbs: ['list', 'create'], apiGroups: [''], resources: ['configmaps'] },
        { verbs: ['get', 'patch', 'delete'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['state'] },
      ],
    });
    await apply(server, [...recording.roles(), ...recording.bindings()]);
    const real: UserInfo = { username: ROBOT.username, groups: ['system:serviceaccounts'] };
    await work(real, '');
    const maps = server.client({ user: real }).resource(ConfigMap);
    for (const refused of [
      () => maps.namespace('default').get('other'),
      () => maps.namespace('default').delete('other'),
      () => maps.namespace('other').list(),
      () => maps.namespace('default').deleteCollection(),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 403 });
    }
  });

  test('counts HTTP requests, refused ones separately, and cluster-scoped resources once', async () => {
    await using server = new ApiServer({
      authentication: {
        tokens: [
          { token: 'robot', user: ROBOT },
          { token: 'alice', user: ALICE },
        ],
      },
    });
    using recording = server.recordAccess();
    const get = async (token: string, path: string, method = 'GET'): Promise<number> =>
      (await ask(server, method, path, { token })).status;
    expect([
      await get('robot', '/api/v1/namespaces/default'),
      await get('robot', '/api/v1/namespaces/default'),
      await get('robot', '/openapi/v3'),
    ]).toEqual([200, 200, 200]);
    await server.client({ user: ROBOT }).resource(Namespace).get('default');
    expect([
      await get('robot', '/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name=a'),
      await get('robot', '/api/v1/namespaces/default/*'),
    ]).toEqual([200, 404]);
    expect([await get('alice', '/version'), await get('alice', '/api/v1/secrets')]).toEqual([200, 403]);
    expect(recording.refused.map(({ user, verb, resource }) => [user.username, verb, resource])).toEqual([
      ['alice', 'list', 'secrets'],
    ]);
    expect(
      recording.roles().map(({ kind, metadata, rules }) => [kind, metadata.name, metadata.namespace, rules]),
    ).toEqual([
      [
        'ClusterRole',
        'default-robot-access',
        undefined,
        [
          { verbs: ['get'], apiGroups: [''], resources: ['namespaces'], resourceNames: ['default'] },
          { verbs: ['get'], nonResourceURLs: ['/openapi/v3'] },
        ],
      ],
      [
        'Role',
        'default-robot-access',
        'default',
        [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] }],
      ],
      ['ClusterRole', 'alice-access', undefined, [{ verbs: ['get'], nonResourceURLs: ['/version'] }]],
    ]);
  });

  test('counts impersonated requests for the impersonated user, and the impersonation for the caller', async () => {
    await using server = new ApiServer({
      authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
    });
    using ofCaller = server.recordAccess('admin');
    using ofCarol = server.recordAccess('carol', { name: 'carol' });
    const { status } = await ask(server, 'GET', '/api/v1/namespaces/default/configmaps', {
      headers: { 'impersonate-user': 'carol', 'impersonate-group': 'system:masters' },
    });
    expect(status).toBe(200);
    expect(ofCaller.role()).toMatchObject({
      kind: 'ClusterRole',
      metadata: { name: 'admin-access' },
      rules: [
        { verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: ['system:masters'] },
        { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['carol'] },
      ],
    });
    expect(ofCarol.role()).toMatchObject({
      kind: 'Role',
      metadata: { name: 'carol', namespace: 'default' },
      rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
    });
  });

  test('counts operations with the name of their object, and the right to grant further rights', async () => {
    await using server = new ApiServer();
    await server
      .client()
      .resource(ServiceAccount)
      .namespace('default')
      .create({ metadata: { name: 'robot' } });
    await server
      .client()
      .resource(ClusterRoleBinding)
      .create({
        metadata: { name: 'alice' },
        subjects: [{ kind: 'User', name: 'alice' }],
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
      });
    using recording = server.recordAccess(ALICE);
    const client = server.client({ user: ALICE });
    await client.resource(ServiceAccount).namespace('default').perform('robot', TokenRequest, { spec: {} });
    await client
      .resource(Role)
      .namespace('default')
      .create({ metadata: { name: 'r' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }] });
    expect(recording.role().rules).toEqual([
      { verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['robot'] },
      { verbs: ['create', 'escalate'], apiGroups: [RBAC], resources: ['roles'] },
    ]);
  });

  test('counts the question of an access review neither for its author nor for its subject', async () => {
    await using server = new ApiServer();
    using recording = server.recordAccess();
    const client = server.client({ user: ROBOT });
    const resourceAttributes = { verb: 'get', resource: 'secrets', namespace: 'default' };
    expect(
      (await client.resource(SelfSubjectAccessReview).create({ metadata: {}, spec: { resourceAttributes } })).status
        ?.allowed,
    ).toBe(true);
    await client
      .resource(SubjectAccessReview)
      .create({ metadata: {}, spec: { resourceAttributes, user: 'eve', groups: ['system:masters'] } });
    await server.explain('eve', 'get', 'secrets', { groups: ['system:masters'] });
    expect(recording.requests.map(({ user, verb, resource }) => [user.username, verb, resource])).toEqual([
      [ROBOT.username, 'create', 'selfsubjectaccessreviews'],
      [ROBOT.username, 'create', 'subjectaccessreviews'],
    ]);
  });

  test('changes no decision, now or later', async () => {
    const later: Authorizer = async ({ verb }) =>
      verb === 'list' ? { decision: 'Allow', reason: '' } : { decision: 'Deny', reason: 'no' };
    await using server = new ApiServer({ authorization: { authorizer: unionAuthorizers([later, alwaysAllow]) } });
    const maps = server.client({ user: ALICE }).resource(ConfigMap).namespace('default');
    using recording = server.recordAccess();
    await maps.list();
    await expect(maps.get('a')).rejects.toMatchObject({ code: 403 });
    expect([recording.requests.map(({ verb }) => verb), recording.refused.map(({ verb }) => verb)]).toEqual([
      ['list'],
      ['get'],
    ]);
  });

  test('bounds its memory', async () => {
    await using server = new ApiServer();
    const maps = server.client({ user: ROBOT }).resource(ConfigMap).namespace('default');
    using recording = server.recordAccess(undefined, { maxRequests: 2 });
    for (const name of ['a', 'b', 'c']) await maps.get(name).catch(() => undefined);
    expect([recording.complete, recording.requests.length]).toEqual([false, 2]);
    expect(() => recording.roles()).toThrow('raise maxRequests');
  });
});
