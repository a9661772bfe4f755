import { describe, expect, it } from 'vitest';
import { explain, explainInSteps, type AccessExplanation } from '../../../../src/security/index.js';
import { explanationText, missText } from '../../../../src/security/authz/explain/text.js';
import { type ExplainOptions, type RbacObjects } from '../../../../src/security/authz/explain/explain.js';
import type { Attributes } from '../../../../src/security/authz/index.js';
import { RbacPolicy, type ClusterRoleObject, type PolicyRule } from '../../../../src/security/authz/rbac/index.js';
import { kubernetes, UNBOUNDED_WORK } from '../../../../src/foundation/index.js';
import { binding, policyOf, request, role, rule, user } from '../rbac/support.js';

const ALICE = user('alice', 'dev', 'system:authenticated');
const ROBOT = user('system:serviceaccount:shop:robot', 'system:serviceaccounts', 'system:serviceaccounts:shop');
const READER = role('reader', [rule('get list', 'pods')]);
const PATHS: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*'] };

const ask = (changes: Partial<Attributes> = {}): Attributes => request(ALICE, changes);
const path = (text: string): Partial<Attributes> => ({
  isResource: false,
  namespace: '',
  apiGroup: '',
  resource: '',
  path: text,
});
/** The nearest miss: its type and its binding. */
const nearest = ({ nearestMisses: [first] }: AccessExplanation): string =>
  `${first?.misses.map((miss) => miss.in).join(' ')} of ${first?.binding.name}`;
const text = ({ nearestMisses: [first] }: AccessExplanation): string => first?.misses.map(missText).join('; ') ?? '';

describe('the nearest miss', () => {
  const b = (ref: string, subjects: string, namespace?: string) => [
    binding('b', ref, subjects === '' ? [] : subjects.split(' '), namespace),
  ];
  const paths = { metadata: { name: 'paths' }, rules: [PATHS] };

  it.each<[string, Attributes, Parameters<typeof policyOf>[0], string, string]>([
    [
      'a group that the user is not in',
      ask(),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:ops g:devs') },
      'subject',
      'it is for Group "devs", Group "ops", not for "alice"',
    ],
    [
      'another user',
      ask(),
      { roles: [READER], bindings: b('ClusterRole/reader', 'u:alicia') },
      'subject',
      'it is for User "alicia", not for "alice"',
    ],
    [
      'a service account of another namespace',
      request(ROBOT),
      { roles: [READER], bindings: b('ClusterRole/reader', 's:test/robot') },
      'subject',
      'it is for ServiceAccount "robot/test", not for "system:serviceaccount:shop:robot"',
    ],
    [
      'nobody',
      ask(),
      { roles: [READER], bindings: b('ClusterRole/reader', '') },
      'subject',
      'it is for nobody, not for "alice"',
    ],
    [
      'another namespace',
      ask(),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev', 'b') },
      'namespace',
      'it applies in namespace "b" only, but the request is in namespace "a"',
    ],
    [
      'one namespace of all',
      ask({ namespace: '' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev', 'b') },
      'namespace',
      'it applies in namespace "b" only, but the request is for the whole cluster',
    ],
    ['a missing role', ask(), { bindings: b('Role/gone', 'g:dev', 'a') }, 'role', 'its role "gone" does not exist'],
    [
      'a Role of another namespace',
      ask(),
      { roles: [role('local', [rule('get', 'pods')], 'b')], bindings: b('Role/local', 'g:dev', 'a') },
      'role',
      'its role "local" does not exist',
    ],
    [
      'a reference that is no role',
      ask(),
      { bindings: b('Robot/reader', 'g:dev', 'a') },
      'role',
      'its role "reader" does not exist',
    ],
    [
      'a role without rules',
      ask(),
      { roles: [role('empty', [])], bindings: b('ClusterRole/empty', 'g:dev') },
      'rules',
      'its role has no rules',
    ],
    [
      'a verb',
      ask({ verb: 'watch' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev') },
      'verb',
      'verb "watch" is not among "get", "list"',
    ],
    [
      'an API group',
      ask({ apiGroup: 'apps' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev') },
      'apiGroup',
      'API group "apps" is not among ""',
    ],
    [
      'a resource',
      ask({ resource: 'pod' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev') },
      'resource',
      'resource "pod" is not among "pods"',
    ],
    [
      'a subresource',
      ask({ subresource: 'log' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev') },
      'subresource',
      'subresource "log" is not among "pods"',
    ],
    [
      'the resource of a subresource',
      ask(),
      { roles: [role('r', [rule('get', 'pods/log secrets/x')])], bindings: b('ClusterRole/r', 'g:dev') },
      'subresource',
      'the rule is for a subresource, not for the resource: "pods/log", "secrets/x"',
    ],
    [
      'a pattern that matches nothing',
      ask({ subresource: 'log' }),
      { roles: [role('r', [rule('get', 'pods/*')])], bindings: b('ClusterRole/r', 'g:dev') },
      'subresource',
      'subresource "log" is not among "pods/*"',
    ],
    [
      'a subresource of another resource',
      ask({ subresource: 'log' }),
      { roles: [role('r', [rule('get', 'secrets/log')])], bindings: b('ClusterRole/r', 'g:dev') },
      'resource',
      'resource "pods" is not among "secrets/log"',
    ],
    [
      'a name',
      ask({ name: 'web' }),
      { roles: [role('r', [rule('get', 'pods', 'db cache')])], bindings: b('ClusterRole/r', 'g:dev') },
      'name',
      'name "web" is not among "db", "cache"',
    ],
    [
      'a name for a request without one',
      ask({ verb: 'list' }),
      { roles: [role('r', [rule('list', 'pods', 'db')])], bindings: b('ClusterRole/r', 'g:dev') },
      'name',
      'the rule is for "db" only, but the request has no name',
    ],
    [
      'a path',
      ask(path('/logs')),
      { roles: [paths], bindings: b('ClusterRole/paths', 'g:dev') },
      'path',
      'path "/logs" is not among "/healthz", "/logs/*"',
    ],
    [
      'a path in a namespace',
      ask(path('/healthz')),
      { roles: [paths], bindings: b('ClusterRole/paths', 'g:dev', 'a') },
      'namespace',
      'it applies in namespace "a" only, but the request is for the whole cluster',
    ],
    [
      'a rule for paths',
      ask(),
      { roles: [paths], bindings: b('ClusterRole/paths', 'g:dev') },
      'kind',
      'the rule is for paths, but the request is for a resource',
    ],
    [
      'a rule for resources',
      ask(path('/healthz')),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:dev') },
      'kind',
      'the rule is for resources, but the request is for a path',
    ],
    [
      'several things',
      ask({ verb: 'delete', resource: 'secrets' }),
      { roles: [READER], bindings: b('ClusterRole/reader', 'g:ops', 'b') },
      'subject namespace verb resource',
      'it is for Group "ops", not for "alice"; it applies in namespace "b" only, but the request is in namespace "a"; verb "delete" is not among "get", "list"; resource "secrets" is not among "pods"',
    ],
  ])('is %s', (_, attributes, objects, dimensions, words) => {
    const explanation = explain(attributes, policyOf(objects));
    expect([explanation.allowed, nearest(explanation), text(explanation)]).toEqual([
      false,
      `${dimensions} of b`,
      words,
    ]);
  });

  const order = (attributes: Attributes, objects: Parameters<typeof policyOf>[0], options?: ExplainOptions): string[] =>
    explain(attributes, policyOf(objects), options).nearestMisses.map((miss) => miss.binding.name);

  it('is the one that lacks least, and among equals the one with the most similar words', () => {
    const roles = [
      role('verb', [rule('bind', 'pods')]),
      role('both', [rule('get', 'podz')]),
      role('noun', [rule('get', 'secrets'), rule('delete', 'nodes')]),
      role('family', [rule('deletecollection', 'pods')]),
    ];
    const bindings = ['both', 'verb', 'noun', 'family'].map((name) =>
      binding(name, `ClusterRole/${name}`, ['g:dev'], 'a'),
    );
    expect(order(ask({ verb: 'delete' }), { roles, bindings })).toEqual(['family', 'noun', 'verb', 'both']);
    expect(order(ask(), { roles, bindings })[0]).toBe('both');
  });

  it('is preferably one of the user rather than of others, and one of others rather than of the system', () => {
    const roles = [
      READER,
      role('admin', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
      role('writer', [rule('update', 'pods')]),
    ];
    const bindings = [
      binding('system', 'ClusterRole/admin', ['g:system:masters']),
      binding('controller', 'ClusterRole/reader', ['s:system/robot']),
      binding('ops', 'ClusterRole/reader', ['g:ops']),
      binding('ops-here', 'ClusterRole/reader', ['g:ops'], 'a'),
      binding('mine', 'ClusterRole/writer', ['g:dev']),
      binding('alike', 'ClusterRole/reader', ['g:devs']),
    ];
    expect(order(ask(), { roles, bindings }, { maxMisses: 10 })).toEqual([
      'alike',
      'mine',
      'ops-here',
      'ops',
      'controller',
      'system',
    ]);
  });

  it('is one of five at most, or of the requested number', () => {
    const bindings = Array.from({ length: 20 }, (_, index) => binding(`b${index}`, 'ClusterRole/reader', ['g:ops']));
    expect(order(ask(), { roles: [READER], bindings })).toEqual(['b0', 'b1', 'b10', 'b11', 'b12']);
    expect(order(ask(), { roles: [READER], bindings }, { maxMisses: 1 })).toEqual(['b0']);
    expect(order(ask(), { roles: [READER], bindings }, { maxMisses: 0 })).toEqual([]);
  });

  it('names the members of an aggregated role, and the rules that it lacks', () => {
    const clusterRoles: ClusterRoleObject[] = [
      {
        ...role('view', [rule('get', 'configmaps')]),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { view: 'yes' } }] },
      },
      { metadata: { name: 'maps', labels: { view: 'yes' } }, rules: [rule('get', 'configmaps')] },
      { metadata: { name: 'other', labels: { view: 'no' } }, rules: [rule('get', 'pods')] },
    ];
    const bindings = [binding('b', 'ClusterRole/view', ['g:dev'])];
    const { nearestMisses, ...rest } = explain(ask(), { clusterRoles, clusterRoleBindings: bindings });
    expect(nearestMisses[0]?.aggregation).toEqual({
      selectors: [{ matchLabels: { view: 'yes' } }],
      members: ['maps'],
      allowing: [],
    });
    expect(explanationText({ ...rest, nearestMisses })).toContain(
      'resource "pods" is not among "configmaps"; the role aggregates "maps", and none of them allows it',
    );
    const late = [
      ...clusterRoles,
      { metadata: { name: 'pods', labels: { view: 'yes' } }, rules: [rule('get', 'pods')] },
    ];
    const policy = new RbacPolicy();
    policy.clusterRoles.replace(clusterRoles);
    policy.clusterRoleBindings.replace(bindings);
    const missing = explain(ask(), policy, { clusterRoles: late });
    expect(missing.nearestMisses[0]?.aggregation).toMatchObject({ members: ['maps', 'pods'], allowing: ['pods'] });
    expect(explanationText(missing)).toContain(
      'the role aggregates "maps", "pods"; "pods" would allow it, but is not aggregated yet',
    );
    expect(explain(ask(), policy).nearestMisses[0]?.aggregation).toBeUndefined();
  });
});

describe('the bindings tried', () => {
  it('are all bindings of the user in the scope of the request, with every rule', () => {
    const roles = [READER, role('local', [rule('get', 'secrets'), rule('get', 'pods')], 'a')];
    const bindings = [
      binding('z', 'ClusterRole/reader', ['g:dev']),
      binding('b', 'Role/local', ['g:ops', 'u:alice'], 'a'),
      binding('elsewhere', 'ClusterRole/reader', ['g:dev'], 'b'),
      binding('ops', 'ClusterRole/reader', ['g:ops']),
      binding('a', 'Role/gone', ['g:dev'], 'a'),
    ];
    const { tried, allowedBy, decidedBy, reason, omitted } = explain(ask(), policyOf({ roles, bindings }));
    expect(
      tried.map(({ binding: { kind, name }, subject, rules }) => [
        kind,
        name,
        subject.name,
        rules?.map(({ misses }) => misses.map((miss) => miss.in)),
      ]),
    ).toEqual([
      ['ClusterRoleBinding', 'z', 'dev', [[]]],
      ['RoleBinding', 'a', 'dev', undefined],
      ['RoleBinding', 'b', 'alice', [['resource'], []]],
    ]);
    expect([decidedBy, reason, omitted]).toEqual([
      'RBAC',
      'RBAC: allowed by ClusterRoleBinding "z" of ClusterRole "reader" to Group "dev"',
      0,
    ]);
    expect(allowedBy).toMatchObject({
      binding: { kind: 'ClusterRoleBinding', name: 'z' },
      subject: { name: 'dev' },
      rule: READER.rules?.[0],
    });
  });

  it('are listed up to a limit, and the rest is counted', () => {
    const many = role(
      'many',
      Array.from({ length: 30 }, () => rule('get', 'secrets')),
    );
    const bindings = ['a', 'b', 'c'].map((name) => binding(name, 'ClusterRole/many', ['g:dev']));
    const { tried, omitted } = explain(ask(), policyOf({ roles: [many], bindings }), { maxTried: 40 });
    expect([tried.map(({ rules }) => rules?.length), omitted]).toEqual([[30, 10, 0], 50]);
  });

  it('are not listed for members of system:masters', () => {
    const { allowed, decidedBy, opinions, remedy, nearestMisses } = explain(
      request(user('root', 'system:masters')),
      {},
    );
    expect([allowed, decidedBy, opinions.map(({ name }) => name), remedy, nearestMisses]).toEqual([
      true,
      'system:masters',
      ['system:masters'],
      undefined,
      [],
    ]);
  });

  it('count only if the authorizers read roles', () => {
    const opinion = (name: string, decision: 'Deny' | 'NoOpinion' | 'Allow') => ({
      name,
      decision,
      reason: `${name} says so`,
    });
    const of = (opinions: ReturnType<typeof opinion>[]) => {
      const { allowed, decidedBy, reason, remedy } = explain(ask(), {}, { opinions });
      return [allowed, decidedBy, reason, remedy !== undefined];
    };
    expect(of([opinion('Webhook', 'Deny')])).toEqual([false, 'Webhook', 'Webhook says so', false]);
    expect(of([opinion('RBAC', 'NoOpinion'), opinion('Webhook', 'Deny')])).toEqual([
      false,
      'Webhook',
      'Webhook says so',
      true,
    ]);
    expect(of([opinion('RBAC', 'NoOpinion'), opinion('Webhook', 'Allow')])).toEqual([
      true,
      'Webhook',
      'Webhook says so',
      false,
    ]);
    expect(of([opinion('ABAC', 'NoOpinion')])).toEqual([false, undefined, 'ABAC says so', false]);
    expect(of([])).toEqual([false, undefined, '', false]);
  });
});

describe('the least remedy', () => {
  const rbac = { apiGroup: 'rbac.authorization.orch.io' };
  const remedyOf = (attributes: Attributes, objects: RbacObjects = {}, options?: ExplainOptions) =>
    explain(attributes, objects, options).remedy;

  it('is a Role and its binding in a namespace', () => {
    expect(remedyOf(ask({ name: 'web' }))).toEqual({
      role: {
        apiVersion: 'rbac.authorization.orch.io/v1',
        kind: 'Role',
        metadata: { name: 'get-pods-web', namespace: 'a' },
        rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] }],
      },
      binding: {
        apiVersion: 'rbac.authorization.orch.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'alice-get-pods-web', namespace: 'a' },
        subjects: [{ kind: 'User', ...rbac, name: 'alice' }],
        roleRef: { ...rbac, kind: 'Role', name: 'get-pods-web' },
      },
    });
  });

  it.each<[string, Partial<Attributes>, string, PolicyRule]>([
    [
      'for the whole cluster',
      { namespace: '', resource: 'nodes', name: 'n' },
      'ClusterRole get-nodes-n',
      rule('get', 'nodes', 'n'),
    ],
    ['for a path', path('/logs/a b'), 'ClusterRole get-logs-a-b', { verbs: ['get'], nonResourceURLs: ['/logs/a b'] }],
    [
      'for a subresource',
      { apiGroup: 'apps', subresource: 'log' },
      'Role get-pods-log',
      { verbs: ['get'], apiGroups: ['apps'], resources: ['pods/log'] },
    ],
    ['for a list of one name', { verb: 'list', name: 'web' }, 'Role list-pods-web', rule('list', 'pods', 'web')],
    ['for a list', { verb: 'watch' }, 'Role watch-pods', rule('watch', 'pods')],
    ['for a create, without the name', { verb: 'create', name: 'web' }, 'Role create-pods-web', rule('create', 'pods')],
    [
      'for an operation on a name',
      { verb: 'create', resource: 'serviceaccounts', subresource: 'token', name: 'robot' },
      'Role create-serviceaccounts-token-robot',
      rule('create', 'serviceaccounts/token', 'robot'),
    ],
    [
      'for a collection, without the name',
      { verb: 'deletecollection', name: 'web' },
      'Role deletecollection-pods-web',
      rule('deletecollection', 'pods'),
    ],
    [
      'for characters that names cannot have',
      { verb: 'impersonate', namespace: '', resource: 'users', name: '../%2e/Eve' },
      'ClusterRole impersonate-users-..-2e-eve',
      rule('impersonate', 'users', '../%2e/Eve'),
    ],
    [
      'for a name without a usable character',
      { ...path('..'), verb: '' },
      'ClusterRole access',
      { verbs: [''], nonResourceURLs: ['..'] },
    ],
  ])('is one %s', (_, changes, name, wanted) => {
    const role_ = remedyOf(ask(changes))?.role;
    expect([`${role_?.kind} ${role_?.metadata.name}`, role_?.rules]).toEqual([name, [wanted]]);
  });

  it('is a ClusterRole if the resource is cluster-scoped, whatever the request says', () => {
    const { role: made, binding: bound } =
      remedyOf(ask({ resource: 'namespaces', name: 'a' }), {}, { clusterScoped: true }) ?? {};
    expect([made?.kind, made?.metadata, bound?.kind]).toEqual([
      'ClusterRole',
      { name: 'get-namespaces-a' },
      'ClusterRoleBinding',
    ]);
  });

  it('is bound to a service account as such, and to a user without a name through the first group', () => {
    expect(remedyOf(request(ROBOT))?.binding).toMatchObject({
      metadata: { name: 'shop-robot-get-pods' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'shop', name: 'robot' }],
    });
    expect(remedyOf(request(user('system:serviceaccount:Shop:robot')))?.binding?.subjects).toEqual([
      { kind: 'User', ...rbac, name: 'system:serviceaccount:Shop:robot' },
    ]);
    expect(remedyOf(request(user('', 'dev', 'ops')))?.binding?.subjects).toEqual([
      { kind: 'Group', ...rbac, name: 'dev' },
    ]);
    expect(remedyOf(request(user('')))).toMatchObject({ role: { kind: 'Role' } });
    expect(remedyOf(request(user('')))?.binding).toBeUndefined();
  });

  it('avoids every name that exists or is referenced', () => {
    const objects = {
      roles: [role('get-pods', [], 'a'), role('get-pods-2', [], 'b')],
      roleBindings: [
        binding('b', 'Role/get-pods-2', ['u:eve'], 'a'),
        binding('alice-get-pods', 'Role/x', [], 'a'),
        binding('alice-get-pods-2', 'Role/x', [], 'b'),
      ],
      clusterRoles: [role('get-pods-3', [])],
    };
    const { role: made, binding: bound } = remedyOf(ask(), objects) ?? {};
    expect([made?.metadata.name, bound?.metadata.name, bound?.roleRef.name]).toEqual([
      'get-pods-3',
      'alice-get-pods-2',
      'get-pods-3',
    ]);
  });

  it('uses the names of a dialect', () => {
    expect(remedyOf(ask(), {}, { dialect: kubernetes })?.role.apiVersion).toBe('rbac.authorization.k8s.io/v1');
  });
});

describe('the text of an explanation', () => {
  it('contains every part', () => {
    const objects = {
      clusterRoles: [{ metadata: { name: 'reader' }, rules: [rule('get', 'pods'), PATHS] }],
      roleBindings: [
        binding('readers', 'ClusterRole/reader', ['g:dev'], 'a'),
        binding('lost', 'Role/gone', ['g:dev'], 'a'),
      ],
    };
    expect(explanationText(explain(ask({ verb: 'delete', name: 'web' }), objects)))
      .toBe(`User "alice" (groups "dev", "system:authenticated") may not delete resource "pods" "web" in API group "" in namespace "a".
system:masters has no opinion
RBAC has no opinion: RBAC: role.rbac.authorization.example "gone" not found

Tried:
- RoleBinding "lost/a" of Role "gone" to Group "dev": the role does not exist
- RoleBinding "readers/a" of ClusterRole "reader" to Group "dev"
  - {APIGroups:[""], Resources:["pods"], Verbs:["get"]}: verb "delete" is not among "get"
  - 1 of its rules: the rule is for paths, but the request is for a resource

Nearest misses:
1. RoleBinding "lost/a" of Role "gone": its role "gone" does not exist
2. RoleBinding "readers/a" of ClusterRole "reader", {APIGroups:[""], Resources:["pods"], Verbs:["get"]}: verb "delete" is not among "get"

Least-privilege role that would allow it:
{"apiVersion":"rbac.authorization.orch.io/v1","kind":"Role","metadata":{"name":"delete-pods-web","namespace":"a"},"rules":[{"verbs":["delete"],"apiGroups":[""],"resources":["pods"],"resourceNames":["web"]}]}
{"apiVersion":"rbac.authorization.orch.io/v1","kind":"RoleBinding","metadata":{"name":"alice-delete-pods-web","namespace":"a"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.orch.io","name":"alice"}],"roleRef":{"apiGroup":"rbac.authorization.orch.io","kind":"Role","name":"delete-pods-web"}}`);
  });

  it('is short if the request is allowed', () => {
    const objects = {
      clusterRoles: [{ metadata: { name: 'paths' }, rules: [PATHS] }],
      clusterRoleBindings: [binding('b', 'ClusterRole/paths', ['u:bob'])],
    };
    expect(explanationText(explain(request(user('bob'), path('/logs/x')), objects)))
      .toBe(`User "bob" may get path "/logs/x".
system:masters has no opinion
RBAC allows it: RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "paths" to User "bob"
By the rule {NonResourceURLs:["/healthz" "/logs/*"], Verbs:["get"]}`);
  });

  it('is bounded, whatever the number of bindings', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `name-${index}`).join(' ');
    const many = role(
      'many',
      Array.from({ length: 200 }, () => rule('get', 'secrets', names)),
    );
    const text = explanationText(
      explain(
        ask({ name: 'x' }),
        { clusterRoles: [many], clusterRoleBindings: [binding('b', 'ClusterRole/many', ['g:dev'])] },
        { maxTried: 100 },
      ),
    );
    expect(text.length).toBeLessThan(150_000);
    expect(text).toContain('and 51 more lines\n- and 100 more rules');
  });

  it('shows errors', () => {
    const opinions = [{ name: 'Webhook', decision: 'NoOpinion', reason: '', error: new Error('timeout') } as const];
    expect(explanationText(explain(ask(), {}, { opinions }))).toContain('Webhook has no opinion (timeout)');
  });
});

describe('an explanation in steps', () => {
  const counting = () => {
    let [units, unspent] = [0, 0];
    const work = {
      ...UNBOUNDED_WORK,
      spend(more: number): boolean {
        units += more;
        unspent += more;
        if (unspent < 1000) return false;
        unspent = 0;
        return true;
      },
    };
    return { work, units: () => units };
  };
  const policyWith = (bindings: number, rules: number, subjects: number) =>
    policyOf({
      roles: [
        role(
          'long',
          Array.from({ length: rules }, (_, index) => rule('get', `kinds${index}`)),
        ),
      ],
      bindings: Array.from({ length: bindings }, (_, index) =>
        binding(
          `b-${index}`,
          'ClusterRole/long',
          index % 2 === 0 ? ['u:alice'] : Array.from({ length: subjects }, (_, of) => `u:user-${index}-${of}`),
        ),
      ),
    });

  it.each([
    [400, 1, 1],
    [2, 400, 1],
    [20, 1, 90],
  ])('is the same, and pauses with %i bindings, %i rules and %i subjects', (bindings, rules, subjects) => {
    const policy = policyWith(bindings, rules, subjects);
    const { work, units } = counting();
    const steps = explainInSteps(ask(), policy, {}, work);
    let pauses = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        expect(value).toEqual(explain(ask(), policy));
        break;
      }
      pauses += 1;
    }
    expect(pauses).toBeGreaterThan(20);
    // No piece is much longer than the pauses are apart.
    expect(units() / pauses).toBeLessThan(2000);
  });
});
