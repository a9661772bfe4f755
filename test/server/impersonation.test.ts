import { describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap, type UserInfo } from '../../src/entries/index.js';
import { SelfSubjectReview } from '../../src/entries/kinds.js';
import { alwaysAllow, unionAuthorizers, type Attributes, type Authorizer } from '../../src/security/authz/index.js';
import type { RefusalLog } from '../../src/server/filters/authorization.js';
import { impersonation } from '../../src/server/filters/impersonation.js';
import { parseRequestInfo } from '../../src/server/requests/request-info.js';
import { RequestScope } from '../../src/server/requests/request-scope.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { createManualClock } from '../../src/entries/testing.js';
import { orch } from '../../src/foundation/index.js';
import { NodeRequestHeaders } from '../../src/transport/node/request-headers.js';

const caller: UserInfo = { username: 'caller', groups: ['callers'], extra: { scopes: ['all'] }, uid: '7' };

/** Runs the filter on a request of `caller`, with header fields as they arrive from a socket. */
async function run(
  fields: readonly (readonly [string, string])[],
  authorize: Authorizer = alwaysAllow,
  log: RefusalLog = () => undefined,
): Promise<RequestScope> {
  const info = parseRequestInfo('GET', '/api/v1/configmaps', '');
  if ('status' in info) throw new Error(info.message);
  const headers = new NodeRequestHeaders(fields.flat());
  const scope = new RequestScope(
    {
      method: 'GET',
      path: '/api/v1/configmaps',
      query: '',
      headers,
      body: () => Promise.resolve(new Uint8Array()),
      peer: { address: undefined, tls: true },
      signal: new AbortController().signal,
    },
    info,
    createManualClock(),
  );
  scope.user = caller;
  const answer = (): Promise<ApiResponse> => Promise.resolve({ status: 200, headers: {}, body: undefined });
  await impersonation(authorize, orch, log, createManualClock())(answer)(scope);
  return scope;
}

/** An authorizer that records its questions, and allows everything except what `refuse` lists. */
function recording(refuse: (attributes: Attributes) => boolean = () => false): {
  readonly asked: string[];
  readonly authorize: Authorizer;
} {
  const asked: string[] = [];
  return {
    asked,
    authorize: (attributes) => {
      const { user, verb, apiGroup, resource, subresource, name, namespace, isResource } = attributes;
      asked.push(
        `${user.username} ${verb} ${apiGroup === '' ? '' : `${apiGroup}/`}${resource}${subresource === '' ? '' : `/${subresource}`} ${name}${namespace === '' ? '' : ` in ${namespace}`}${isResource ? '' : ' (path)'}`,
      );
      return { decision: refuse(attributes) ? 'NoOpinion' : 'Allow', reason: 'a secret reason' };
    },
  };
}

describe('impersonation', () => {
  test('a request without the headers keeps its caller and causes no authorization', async () => {
    const { asked, authorize } = recording();
    const scope = await run(
      [
        ['Accept', 'application/json'],
        ['X-Impersonate-User', 'root'],
      ],
      authorize,
    );
    expect([scope.user, scope.impersonator, asked]).toEqual([caller, undefined, []]);
  });

  test('the impersonated user has no attributes of the caller, and the caller is kept for audit', async () => {
    const scope = await run([['Impersonate-User', 'carol']]);
    expect(scope.user).toEqual({ username: 'carol', groups: ['system:authenticated'] });
    expect(scope.impersonator).toEqual(caller);
  });

  test('user, groups, extra and uid are authorized separately', async () => {
    const { asked, authorize } = recording();
    const scope = await run(
      [
        ['impersonate-uid', '42'],
        ['Impersonate-Extra-Scopes', 'view'],
        ['Impersonate-Group', 'red'],
        ['IMPERSONATE-USER', 'carol'],
        ['impersonate-group', 'blue'],
        ['impersonate-extra-scopes', 'edit'],
        ['impersonate-extra-example.com%2FTeam', 'north'],
      ],
      authorize,
    );
    expect(asked).toEqual([
      'caller impersonate users carol',
      'caller impersonate groups red',
      'caller impersonate groups blue',
      'caller impersonate authentication.orch.io/userextras/scopes view',
      'caller impersonate authentication.orch.io/userextras/scopes edit',
      'caller impersonate authentication.orch.io/userextras/example.com/team north',
      'caller impersonate authentication.orch.io/uids 42',
    ]);
    expect(scope.user).toEqual({
      username: 'carol',
      uid: '42',
      groups: ['red', 'blue', 'system:authenticated'],
      extra: { scopes: ['view', 'edit'], 'example.com/team': ['north'] },
    });
  });

  test('the first denial ends the request, in words that do not disclose the reason', async () => {
    const { asked, authorize } = recording(({ resource, name }) => resource === 'groups' && name === 'system:masters');
    const reasons: string[] = [];
    const refused = run(
      [
        ['impersonate-user', 'carol'],
        ['impersonate-group', 'system:masters'],
        ['impersonate-uid', '1'],
      ],
      authorize,
      (_, { reason }) => void reasons.push(reason),
    );
    const message =
      'groups "system:masters" is forbidden: User "caller" cannot impersonate resource "groups" in API group "" at the cluster scope';
    await expect(refused).rejects.toMatchObject({ code: 403, message });
    expect([asked.length, reasons]).toEqual([2, ['a secret reason']]);
  });

  test('a service account is authorized as one, at cluster scope, and has its own groups', async () => {
    const { asked, authorize } = recording();
    const scope = await run([['impersonate-user', 'system:serviceaccount:build:robot']], authorize);
    expect(asked).toEqual(['caller impersonate serviceaccounts robot']);
    expect(scope.user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:build',
      'system:authenticated',
    ]);
  });

  test.each([
    ['system:serviceaccount:build'],
    ['system:serviceaccount:build:robot:more'],
    ['system:serviceaccount:Build:robot'],
    ['system:serviceaccount::robot'],
    ['system:serviceaccount:build:'],
  ])('%s is not an account but an ordinary user', async (name) => {
    const { asked, authorize } = recording();
    const scope = await run([['impersonate-user', name]], authorize);
    expect([asked, scope.user.groups]).toEqual([[`caller impersonate users ${name}`], ['system:authenticated']]);
  });

  test.each([
    [['system:authenticated'], ['system:authenticated']],
    [['system:unauthenticated'], ['system:unauthenticated']],
    [['red'], ['red', 'system:authenticated']],
  ])('with the groups %j the user has %j', async (given, groups) => {
    const scope = await run([
      ['impersonate-user', 'carol'],
      ...given.map((group) => ['impersonate-group', group] as const),
    ]);
    expect(scope.user.groups).toEqual(groups);
  });

  test('the anonymous user is never authenticated', async () => {
    expect((await run([['impersonate-user', 'system:anonymous']])).user.groups).toEqual(['system:unauthenticated']);
    expect(
      (
        await run([
          ['impersonate-user', 'system:anonymous'],
          ['impersonate-group', 'red'],
        ])
      ).user.groups,
    ).toEqual(['red', 'system:unauthenticated']);
  });

  test.each([
    ['groups', [['impersonate-group', 'red']]],
    ['a uid', [['impersonate-uid', '1']]],
    ['extra', [['impersonate-extra-a', 'b']]],
    [
      'groups, a uid, extra',
      [
        ['impersonate-group', 'red'],
        ['impersonate-user', ''],
        ['impersonate-uid', '1'],
        ['impersonate-extra-a', 'b'],
      ],
    ],
  ] as const)('%s without a user are rejected', async (what, fields) => {
    await expect(run(fields)).rejects.toMatchObject({
      code: 400,
      message: `requested ${what} without impersonating a user`,
    });
  });

  test('the first of two users is used, and only it is authorized', async () => {
    const { asked, authorize } = recording();
    const scope = await run(
      [
        ['impersonate-user', 'carol'],
        ['impersonate-user', 'root'],
      ],
      authorize,
    );
    expect([scope.user.username, asked]).toEqual(['carol', ['caller impersonate users carol']]);
  });

  test('a badly encoded key is kept as it is', async () => {
    const scope = await run([
      ['impersonate-user', 'carol'],
      ['impersonate-extra-100%', 'x'],
    ]);
    expect(scope.user.extra).toEqual({ '100%': ['x'] });
  });

  test('a group containing a comma is one group', async () => {
    const { asked, authorize } = recording();
    await run(
      [
        ['impersonate-user', 'carol'],
        ['impersonate-group', 'red, system:masters'],
      ],
      authorize,
    );
    expect(asked).toContain('caller impersonate groups red, system:masters');
  });

  test('the request is authorized as the impersonated user, not as the caller', async () => {
    const mayImpersonate: Authorizer = ({ verb, user }) => ({
      decision: verb === 'impersonate' && user.username === 'caller' ? 'Allow' : 'NoOpinion',
      reason: '',
    });
    const carolReads: Authorizer = ({ user, verb }) => ({
      decision: user.username === 'carol' && verb === 'list' ? 'Allow' : 'NoOpinion',
      reason: '',
    });
    await using server = new ApiServer({
      authorization: { authorizer: unionAuthorizers([mayImpersonate, carolReads]) },
      authentication: { tokens: [{ token: 'admin', user: caller }] },
    });
    const { ask, jsonOf } = await import('./ask.js');
    expect((await ask(server, 'GET', '/api/v1/configmaps', { headers: { 'impersonate-user': 'carol' } })).status).toBe(
      200,
    );
    expect((await ask(server, 'GET', '/api/v1/configmaps')).status).toBe(403);
    const twice = await ask(server, 'GET', '/api/v1/configmaps', { headers: { 'impersonate-user': 'dave' } });
    expect(jsonOf(twice)['message']).toContain('User "dave" cannot list resource "configmaps"');
  });

  test('a review shows the impersonated user; the in-process client is its own user', async () => {
    await using server = new ApiServer({ authorization: { authorizer: alwaysAllow } });
    const review = await server
      .client({ user: { username: 'carol', groups: ['red'], extra: { team: ['north'] } } })
      .resource(SelfSubjectReview)
      .create({ metadata: {} });
    expect(review.status).toEqual({ userInfo: { username: 'carol', groups: ['red'], extra: { team: ['north'] } } });
    expect(await server.client().resource(ConfigMap).namespace('default').list()).toBeDefined();
  });
});
