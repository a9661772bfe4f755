import { describe, expect, it } from 'vitest';
import { createAbacAuthorizer, parseAbacPolicy } from '../../../../src/security/authz/abac/index.js';
import type { Decision, SynchronousAuthorizer } from '../../../../src/security/authz/index.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';
import { line, request } from './support.js';

const authorizerOf = (text: string, dialect = orch) =>
  createAbacAuthorizer(parseAbacPolicy(text, 'policy.jsonl', dialect).policies);
const decide = (authorizer: SynchronousAuthorizer, facts: Parameters<typeof request>[0]): Decision =>
  authorizer(request(facts));
const allows = (authorizer: SynchronousAuthorizer, facts: Parameters<typeof request>[0]): boolean =>
  decide(authorizer, facts).decision === 'Allow';

type Row = readonly [
  username: string,
  verb: string,
  namespace: string,
  resource: string,
  allowed: boolean,
  rest?: { apiGroup?: string; path?: string },
];

const titled = (rows: readonly Row[]) => rows.map((row) => [JSON.stringify(row), row] as const);

function expectRow(authorizer: SynchronousAuthorizer, [username, verb, namespace, resource, allowed, rest]: Row): void {
  expect(allows(authorizer, { username, verb, namespace, resource, ...rest })).toBe(allowed);
}

const sameInBoth: readonly Row[] = [
  ['scheduler', 'list', 'ns1', 'pods', true],
  ['scheduler', 'list', '', 'pods', true],
  ['scheduler', 'create', 'ns1', 'pods', false],
  ['scheduler', 'create', '', 'pods', false],
  ['scheduler', 'get', 'ns1', 'bindings', true],
  ['scheduler', 'create', '', 'bindings', true],
  ['alice', 'get', 'projectCaribou', 'pods', true],
  ['alice', 'get', 'projectCaribou', 'widgets', true],
  ['alice', 'get', 'projectCaribou', '', true],
  ['alice', 'update', 'projectCaribou', 'pods', true],
  ['alice', 'get', 'ns1', 'pods', false],
  ['alice', 'get', 'projectCaribou2', 'pods', false],
  ['bob', 'get', 'projectCaribou', 'pods', true],
  ['bob', 'watch', 'projectCaribou', 'pods', true],
  ['bob', 'update', 'projectCaribou', 'pods', false],
  ['bob', 'deletecollection', 'projectCaribou', 'pods', false],
  ['chuck', 'get', 'ns1', 'events', true],
  ['chuck', 'get', '', 'events', true],
  ['chuck', 'update', 'ns1', 'events', false],
  ['chuck', 'get', 'ns1', 'pods', false],
  ['chuck', 'get', '', '', false, { path: '/' }],
];

describe('policies without a version', () => {
  const authorizer = authorizerOf(`{                    "readonly": true, "resource": "events"   }
{"user":"scheduler", "readonly": true, "resource": "pods"     }
{"user":"scheduler",                   "resource": "bindings" }
{"user":"agent",     "readonly": true, "resource": "bindings" }
{"user":"alice",                                              "namespace": "projectCaribou"}
{"user":"bob",       "readonly": true,                        "namespace": "projectCaribou"}
{"user":"root"}`);

  it.each(
    titled([
      ...sameInBoth,
      ['alice', 'update', 'projectCaribou', 'foo', true, { apiGroup: 'bar' }],
      ['root', 'delete', 'ns1', 'secrets', true],
      ['root', 'post', '', '', true, { path: '/logs' }],
    ]),
  )('%s', (_, row) => expectRow(authorizer, row));
});

describe('policies of v1beta1', () => {
  const authorizer = authorizerOf(
    [
      '# Comment line, and a blank one',
      '   ',
      line({ user: '*', readonly: true, nonResourcePath: '/api' }),
      line({ user: '*', nonResourcePath: '/custom' }),
      line({ user: '*', nonResourcePath: '/root/*' }),
      line({ user: 'noresource', nonResourcePath: '*' }),
      line({ user: '*', readonly: true, resource: 'events', namespace: '*' }),
      line({ user: 'scheduler', readonly: true, resource: 'pods', namespace: '*' }),
      line({ user: 'scheduler', resource: 'bindings', namespace: '*' }),
      line({ user: 'alice', resource: '*', namespace: 'projectCaribou' }),
      line({ user: 'bob', readonly: true, resource: '*', namespace: 'projectCaribou' }),
      line({ user: 'debbie', resource: 'pods', namespace: 'projectCaribou' }),
      line({ user: 'grouped', resource: '*', namespace: 'projectAnyGroup', apiGroup: '*' }),
      line({ user: 'grouped', resource: '*', namespace: 'projectEmptyGroup', apiGroup: '' }),
      line({ user: 'grouped', resource: '*', namespace: 'projectXGroup', apiGroup: 'x' }),
    ].join('\n'),
  );

  it.each(
    titled([
      ...sameInBoth,
      ['debbie', 'update', 'projectCaribou', 'pods', true],
      ['debbie', 'update', 'projectCaribou', 'widgets', false],
      ['chuck', 'get', '', '', true, { path: '/api' }],
      ['chuck', 'get', '', '', false, { path: '/api2' }],
      ['chuck', 'get', '', '', false, { path: '/api/' }],
      ['chuck', 'post', '', '', false, { path: '/api' }],
      ['chuck', 'head', '', '', false, { path: '/api' }],
      ['chuck', 'put', '', '', true, { path: '/custom' }],
      ['chuck', 'get', '', '', false, { path: '/root' }],
      ['chuck', 'get', '', '', true, { path: '/root/' }],
      ['chuck', 'get', '', '', true, { path: '/root/test/1/2/3' }],
      ['chuck', 'get', '', '', false, { path: '/rooted/' }],
      ['noresource', 'get', '', '', true, { path: '' }],
      ['noresource', 'get', '', '', true, { path: '/foo/bar/baz' }],
      ['noresource', 'get', 'bar', '', false, { path: '/' }],
      ['noresource', 'get', 'bar', 'foo', false, { path: '/foo/bar/baz' }],
      ['grouped', 'get', 'projectAnyGroup', 'foo', true, { apiGroup: 'x' }],
      ['grouped', 'get', 'projectEmptyGroup', 'foo', false, { apiGroup: 'x' }],
      ['grouped', 'get', 'projectEmptyGroup', 'foo', true],
      ['grouped', 'get', 'projectXGroup', 'foo', true, { apiGroup: 'x' }],
      ['grouped', 'get', 'projectXGroup', 'foo', false],
    ]),
  )('%s', (_, row) => expectRow(authorizer, row));

  it('do not distinguish subresources', () => {
    expect(
      allows(authorizer, {
        username: 'debbie',
        verb: 'create',
        namespace: 'projectCaribou',
        resource: 'pods',
        subresource: 'exec',
      }),
    ).toBe(true);
  });

  it('have no opinion if none matches', () => {
    expect(decide(authorizer, { username: 'eve', verb: 'get', resource: 'pods' })).toEqual({
      decision: 'NoOpinion',
      reason: 'No policy matched.',
    });
  });
});

describe('subjects', () => {
  const anonymous = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
  const foo = { username: 'Foo', groups: ['A', 'B', 'C', 'system:authenticated'] };
  const versions: readonly (readonly [string, (subject: object) => string])[] = [
    ['v0', (subject) => JSON.stringify(subject)],
    ['v1beta1', (subject) => line({ ...subject, namespace: '*', resource: '*', apiGroup: '*' })],
  ];
  const rows: readonly (readonly [
    title: string,
    subject: object,
    user: { username: string; groups: string[] },
    matches: boolean,
  ])[] = [
    ['* as user is not an anonymous user', { user: '*' }, anonymous, false],
    ['* as group is not an anonymous user', { group: '*' }, anonymous, false],
    ['* as user is an authenticated user', { user: '*' }, foo, true],
    ['* as group overrides the user', { user: 'Bar', group: '*' }, foo, true],
    ['a user is not another user', { user: 'Foo' }, { ...foo, username: 'Bar' }, false],
    ['user names are case-sensitive', { user: 'Foo' }, { ...foo, username: 'foo' }, false],
    ['a user is not a longer name', { user: 'Foo' }, { ...foo, username: 'FooBar' }, false],
    ['a user matches its own name', { user: 'Foo' }, foo, true],
    ['a group is not another group', { group: 'D' }, foo, false],
    ['group names are case-sensitive', { group: 'b' }, foo, false],
    ['a group is not a longer name', { group: 'B' }, { ...foo, groups: ['A', 'BBB'] }, false],
    ["a group is one of the user's groups", { group: 'B' }, foo, true],
    ['if both are given, the user must match', { user: 'Bar', group: 'B' }, foo, false],
    ['if both are given, the group must match', { user: 'Foo', group: 'D' }, foo, false],
    ['both match', { user: 'Foo', group: 'B' }, foo, true],
  ];

  it.each(
    versions.flatMap(([version, write]) =>
      rows.map(([title, subject, user, matches]) => [`${version}: ${title}`, write(subject), user, matches] as const),
    ),
  )('%s', (_, text, user, matches) => {
    expect(allows(authorizerOf(text), { ...user, verb: 'get', resource: 'pods' })).toBe(matches);
  });

  it('without user and group, the oldest version means every authenticated user, and the current one no user', () => {
    expect(allows(authorizerOf('{}'), { ...foo, verb: 'delete', resource: 'pods' })).toBe(true);
    expect(allows(authorizerOf('{}'), { ...anonymous, verb: 'get', resource: 'pods' })).toBe(false);
    expect(
      allows(authorizerOf(line({ resource: '*', namespace: '*' })), { ...foo, verb: 'get', resource: 'pods' }),
    ).toBe(false);
  });

  it('a policy given in code may name all users', () => {
    const everybody = {
      user: '*',
      group: '',
      readonly: true,
      namespace: '*',
      apiGroup: '*',
      resource: '*',
      nonResourcePath: '',
    };
    expect(allows(createAbacAuthorizer([everybody]), { ...anonymous, verb: 'get', resource: 'pods' })).toBe(true);
    expect(
      allows(createAbacAuthorizer([{ ...everybody, user: '', group: '*' }]), {
        ...anonymous,
        verb: 'get',
        resource: 'pods',
      }),
    ).toBe(true);
    expect(
      allows(createAbacAuthorizer([{ ...everybody, group: 'A' }]), { ...anonymous, verb: 'get', resource: 'pods' }),
    ).toBe(false);
  });
});

describe('rulesFor', () => {
  const READ = ['get', 'list', 'watch'];
  const authorizer = authorizerOf(`{                    "readonly": true, "resource": "events"   }
{"user":"scheduler", "readonly": true, "resource": "pods"     }
{"user":"scheduler",                   "resource": "bindings" }
{"user":"agent",     "readonly": true, "resource": "pods"     }
{"user":"agent",                       "resource": "events"   }
{"user":"alice",                                              "namespace": "projectCaribou"}
{"user":"bob",       "readonly": true,                        "namespace": "projectCaribou"}
{"user":"bob",       "readonly": true,                                                     "nonResourcePath": "*"}
{"group":"a",                          "resource": "bindings" }
{"group":"b",        "readonly": true,                                                     "nonResourcePath": "*"}`);
  const on = (resource: string, verbs: string[]) => ({ verbs, apiGroups: ['*'], resources: [resource] });
  const everyPath = { verbs: READ, nonResourceURLs: ['*'] };

  it.each([
    ['scheduler', ['system:authenticated'], 'ns1', [on('events', READ), on('pods', READ), on('bindings', ['*'])], []],
    [
      'agent',
      ['a', 'b'],
      'ns1',
      [on('pods', READ), on('events', ['*']), on('bindings', ['*']), on('*', READ)],
      [everyPath],
    ],
    ['alice', ['system:authenticated'], 'projectCaribou', [on('events', READ), on('*', ['*'])], []],
    ['alice', ['system:authenticated'], 'ns1', [on('events', READ)], []],
    [
      'bob',
      ['system:authenticated'],
      'projectCaribou',
      [on('events', READ), on('*', READ), on('*', READ)],
      [everyPath],
    ],
    ['chuck', ['a', 'b'], 'ns1', [on('bindings', ['*']), on('*', READ)], [everyPath]],
  ])(
    'lists the rules of %s with groups %j in %s, in the order of the file',
    (username, groups, namespace, resourceRules, nonResourceRules) => {
      expect(authorizer.rulesFor?.({ username, groups }, namespace)).toMatchObject({
        resourceRules,
        nonResourceRules,
        incomplete: false,
      });
    },
  );
});

it('accepts the domain of Kubernetes in its own dialect', () => {
  const text = line({ user: 'alice', resource: 'pods', namespace: '*' }, 'kubernetes.io');
  expect(allows(authorizerOf(text, kubernetes), { verb: 'get', resource: 'pods' })).toBe(true);
  expect(() => authorizerOf(text)).toThrow(
    'no kind "Policy" is registered for version "abac.authorization.kubernetes.io/v1beta1"',
  );
});
