import { describe, expect, test } from 'vitest';
import {
  alwaysAllow,
  createAbacAuthorizer,
  createRbacAuthorizer,
  mastersAuthorizer,
  parseAbacPolicy,
  RbacPolicy,
  unionAuthorizers,
  withRules,
  type Attributes,
  type Authorizer,
} from '../../../src/security/authz/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { accessAttributes, authorizerCases, type AuthorizerCasesOptions } from '../../../src/entries/suites.js';
import { binding, role, rule } from '../../security/authz/rbac/support.js';
import { brokenOnes, passes } from './support.js';

const dev = { username: 'alice', groups: ['dev'] };
const allowed: AuthorizerCasesOptions['allowed'] = [
  {
    user: 'bob',
    namespace: 'team',
    verb: 'get',
    dependsOn: ['user', 'namespace', 'verb', 'resource', 'apiGroup', 'subresource'],
  },
  { user: dev, namespace: 'team', verb: 'list' },
];
const refused: AuthorizerCasesOptions['refused'] = [
  { user: 'bob', namespace: 'other' },
  { user: 'mallory', namespace: 'team' },
  { user: 'bob', verb: 'delete', namespace: 'team' },
  { user: 'bob', verb: 'get', path: '/metrics' },
];
const options = (create: AuthorizerCasesOptions['create']): AuthorizerCasesOptions => ({ create, allowed, refused });

function rbac(): Authorizer {
  const policy = new RbacPolicy();
  policy.roles.set(role('reader', [rule('get list', 'pods')], 'team'));
  policy.roleBindings.set(binding('bob', 'Role/reader', ['u:bob', 'g:dev'], 'team'));
  return createRbacAuthorizer(policy);
}
passes('RBAC', () => authorizerCases(options(rbac)));
passes('RBAC beside others', () => authorizerCases(options(() => unionAuthorizers([mastersAuthorizer, rbac()]))));

passes('ABAC', () => {
  const policy = (subject: object) =>
    JSON.stringify({
      apiVersion: 'abac.authorization.kubernetes.io/v1beta1',
      kind: 'Policy',
      spec: { ...subject, namespace: 'team', resource: 'pods', apiGroup: '', readonly: true },
    });
  const { policies } = parseAbacPolicy(`${policy({ user: 'bob' })}\n${policy({ group: 'dev' })}`, 'policy', kubernetes);
  return authorizerCases({
    ...options(() => createAbacAuthorizer(policies)),
    allowed: [
      { user: 'bob', namespace: 'team', verb: 'get', dependsOn: ['user', 'namespace', 'verb', 'resource', 'apiGroup'] },
      { user: dev, namespace: 'team', verb: 'list' },
    ],
  });
});

passes('members of system:masters', () =>
  authorizerCases({
    create: () => mastersAuthorizer,
    allowed: [{ user: { username: 'root', groups: ['system:masters'] }, verb: 'delete' }],
    refused: [{ user: { username: 'system:masters', groups: [] } }],
  }),
);

describe('the cases', () => {
  const is = ({ user, verb, namespace, resource, apiGroup, subresource, isResource }: Attributes): boolean =>
    isResource &&
    namespace === 'team' &&
    resource === 'pods' &&
    apiGroup === '' &&
    subresource === '' &&
    ((user.username === 'bob' && ['get', 'list'].includes(verb)) || (user.groups.includes('dev') && verb === 'list'));
  const decide = (allows: boolean) => ({ decision: allows ? ('Allow' as const) : ('NoOpinion' as const), reason: '' });
  const like =
    (other: (attributes: Attributes) => boolean): Authorizer =>
    (attributes) =>
      decide(other(attributes));
  let calls = 0;
  const broken: readonly (readonly [string, string, Authorizer])[] = [
    ['allows nothing', 'allows what must be allowed', like(() => false)],
    ['allows everything', 'does not allow what must be refused', alwaysAllow],
    [
      'compares the beginning',
      'does not allow a request that differs from an allowed one in what the permission depends on',
      like(
        (attributes) =>
          is(attributes) || (attributes.namespace.startsWith('team') && is({ ...attributes, namespace: 'team' })),
      ),
    ],
    [
      'ignores the case of users',
      'does not allow a request that differs from an allowed one in what the permission depends on',
      like((attributes) =>
        is({ ...attributes, user: { ...attributes.user, username: attributes.user.username.toLowerCase() } }),
      ),
    ],
    [
      'returns no reason',
      'returns a decision with a reason that is a string, and with an Error if any',
      (attributes) => ({ decision: decide(is(attributes)).decision }) as never,
    ],
    [
      'returns another word',
      'returns a decision with a reason that is a string, and with an Error if any',
      (attributes) => (is(attributes) ? decide(true) : ({ decision: 'Maybe', reason: '' } as never)),
    ],
    [
      'throws',
      'does not throw for requests of any form',
      (attributes) => {
        if (attributes.verb === '') throw new Error('no verb');
        return decide(is(attributes));
      },
    ],
    [
      'looks users up in an object',
      'does not allow users and groups with the names of inherited members',
      like((attributes) => is(attributes) || ({} as Record<string, unknown>)[attributes.user.username] !== undefined),
    ],
    [
      'forgets',
      'has the same answer for the same request, also concurrently',
      (attributes) => {
        calls += 1;
        return decide(calls % 7 > 0 && is(attributes));
      },
    ],
    [
      'reads the first group only',
      'does not depend on the order of groups, nor on further ones',
      like((attributes) =>
        is({ ...attributes, user: { ...attributes.user, groups: attributes.user.groups.slice(0, 1) } }),
      ),
    ],
    [
      'changes the attributes',
      'changes nothing in the attributes',
      (attributes) => {
        Object.assign(attributes.user, { seen: true });
        return decide(is(attributes));
      },
    ],
    [
      'lists too few rules',
      'lists rules, if it does, that cover what it allows and no more',
      withRules(like(is), () => ({ resourceRules: [], nonResourceRules: [], incomplete: false })),
    ],
    [
      'lists too many rules',
      'lists rules, if it does, that cover what it allows and no more',
      withRules(like(is), () => ({
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
        nonResourceRules: [],
        incomplete: true,
      })),
    ],
  ];
  brokenOnes(
    authorizerCases(options(() => like(is))).map(({ name }) => name),
    broken,
    (authorize) => {
      calls = 0;
      return authorizerCases(options(() => authorize));
    },
  );

  passes('on one that works', () => authorizerCases(options(() => like(is))));

  test('refuse what tests too little', () => {
    expect(() => authorizerCases({ ...options(rbac), allowed: [] })).toThrow('the option allowed must have a request');
    expect(() => authorizerCases({ ...options(rbac), refused: [] })).toThrow('the option refused must have a request');
    expect(accessAttributes({ user: 'a', path: '/x' })).toMatchObject({
      isResource: false,
      resource: '',
      user: { username: 'a', groups: [] },
    });
  });
});
