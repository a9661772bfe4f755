import { describe, expect, it } from 'vitest';
import { boundedRules } from '../../../../src/security/authz/bounded-rules.js';
import { NO_OPINION } from '../../../../src/security/authz/index.js';
import {
  appliesTo,
  createRbacAuthorizer,
  effectiveRules,
  RbacPolicy,
  rulesAllow,
  rulesFor,
  type BindingObject,
  type RoleObject,
} from '../../../../src/security/authz/rbac/index.js';
import { binding, GROUP, pickFrom, policyOf, request, role, rule, user } from './support.js';

const READER = role('reader', [rule('get list', 'pods')]);
const LOCAL = role('local', [rule('get', 'pods')], 'a');

describe('the authorizer', () => {
  it.each<[string, BindingObject, string]>([
    [
      'a user everywhere',
      binding('b', 'ClusterRole/reader', ['u:alice']),
      'ClusterRoleBinding "b" of ClusterRole "reader" to User "alice"',
    ],
    [
      'a group everywhere',
      binding('b', 'ClusterRole/reader', ['g:dev']),
      'ClusterRoleBinding "b" of ClusterRole "reader" to Group "dev"',
    ],
    [
      'a cluster role in the namespace',
      binding('b', 'ClusterRole/reader', ['g:dev'], 'a'),
      'RoleBinding "b/a" of ClusterRole "reader" to Group "dev"',
    ],
    [
      'a role in the namespace',
      binding('b', 'Role/local', ['u:alice'], 'a'),
      'RoleBinding "b/a" of Role "local" to User "alice"',
    ],
    [
      'the first subject that matches the user',
      binding('b', 'Role/local', ['u:bob', 'g:ops', 'g:dev', 'u:alice'], 'a'),
      'RoleBinding "b/a" of Role "local" to Group "ops"',
    ],
    [
      'the first of equal subjects',
      binding('b', 'Role/local', ['u:alice', 'u:alice', 'g:dev'], 'a'),
      'RoleBinding "b/a" of Role "local" to User "alice"',
    ],
  ])('names %s', (_, object, reason) => {
    const authorize = createRbacAuthorizer(policyOf({ roles: [READER, LOCAL], bindings: [object] }));
    const who = user('alice', 'dev', 'ops');
    expect(authorize(request(who))).toEqual({ decision: 'Allow', reason: `RBAC: allowed by ${reason}` });
    expect(authorize(request(who))).toBe(authorize(request(who)));
    expect(authorize(request(who, { verb: 'delete' }))).toBe(NO_OPINION);
    expect(authorize(request(user('eve')))).toBe(NO_OPINION);
  });

  it.each<[string, BindingObject, string, boolean, string]>([
    [
      'with its namespace',
      binding('b', 'ClusterRole/reader', ['s:n/robot']),
      'system:serviceaccount:n:robot',
      true,
      'ClusterRoleBinding "b" of ClusterRole "reader" to ServiceAccount "robot/n"',
    ],
    [
      'of the binding',
      binding('b', 'ClusterRole/reader', ['s:robot'], 'a'),
      'system:serviceaccount:a:robot',
      true,
      'RoleBinding "b/a" of ClusterRole "reader" to ServiceAccount "robot/a"',
    ],
    [
      'of another namespace',
      binding('b', 'ClusterRole/reader', ['s:n/robot'], 'a'),
      'system:serviceaccount:n:robot',
      true,
      'RoleBinding "b/a" of ClusterRole "reader" to ServiceAccount "robot/n"',
    ],
    [
      'not the namespace of the request',
      binding('b', 'ClusterRole/reader', ['s:n/robot'], 'a'),
      'system:serviceaccount:a:robot',
      false,
      '',
    ],
    [
      'without a namespace matches no account',
      binding('b', 'ClusterRole/reader', ['s:robot']),
      'system:serviceaccount:a:robot',
      false,
      '',
    ],
    ['does not match a user of the name', binding('b', 'ClusterRole/reader', ['s:n/robot']), 'robot', false, ''],
    [
      'does not match a group of the name',
      binding('b', 'ClusterRole/reader', ['g:system:serviceaccount:n:robot']),
      'system:serviceaccount:n:robot',
      false,
      '',
    ],
    [
      'by its user name',
      binding('b', 'ClusterRole/reader', ['u:system:serviceaccount:n:robot']),
      'system:serviceaccount:n:robot',
      true,
      'ClusterRoleBinding "b" of ClusterRole "reader" to User "system:serviceaccount:n:robot"',
    ],
  ])('matches the service account %s', (_, object, username, allowed, reason) => {
    const { decision, reason: why } = createRbacAuthorizer(policyOf({ roles: [READER], bindings: [object] }))(
      request(user(username)),
    );
    expect([decision, why]).toEqual(allowed ? ['Allow', `RBAC: allowed by ${reason}`] : ['NoOpinion', '']);
  });

  it('separates bindings of one namespace from every other, and from cluster scope', () => {
    const authorize = createRbacAuthorizer(
      policyOf({ roles: [READER], bindings: [binding('b', 'ClusterRole/reader', ['u:alice'], 'a')] }),
    );
    const decisions = ['a', 'ab', 'a-b', 'b', ''].map(
      (namespace) => authorize(request(user('alice'), { namespace })).decision,
    );
    expect(decisions).toEqual(['Allow', 'NoOpinion', 'NoOpinion', 'NoOpinion', 'NoOpinion']);
  });

  it('takes a Role only from the namespace of its binding', () => {
    const policy = policyOf({
      roles: [role('local', [rule('get', 'secrets')], 'b'), role('local', [rule('get', 'pods')], 'a')],
      bindings: [binding('x', 'Role/local', ['u:alice'], 'a')],
    });
    const authorize = createRbacAuthorizer(policy);
    expect(authorize(request(user('alice'))).decision).toBe('Allow');
    expect(authorize(request(user('alice'), { resource: 'secrets' })).decision).toBe('NoOpinion');
  });

  it('decides about paths', () => {
    const paths = {
      metadata: { name: 'paths' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*'] }],
    };
    const authorize = createRbacAuthorizer(
      policyOf({ roles: [paths], bindings: [binding('b', 'ClusterRole/paths', ['g:dev'])] }),
    );
    const ask = (path: string) =>
      authorize(request(user('x', 'dev'), { isResource: false, namespace: '', resource: '', path })).decision;
    expect(['/healthz', '/logs/a', '/logs', '/api'].map(ask)).toEqual(['Allow', 'Allow', 'NoOpinion', 'NoOpinion']);
  });

  it('reports missing roles, each once, but not when another binding allows the request', () => {
    const bindings = [
      binding('z', 'ClusterRole/gone', ['g:dev']),
      binding('y', 'ClusterRole/gone', ['u:alice']),
      binding('x', 'Role/lost', ['u:alice'], 'a'),
      binding('w', 'Robot/r', ['u:alice'], 'a'),
    ];
    const authorize = createRbacAuthorizer(policyOf({ roles: [READER], bindings }));
    expect(authorize(request(user('bob', 'dev'))).reason).toBe(`RBAC: clusterrole.${GROUP} "gone" not found`);
    expect(authorize(request(user('alice', 'dev')))).toEqual({
      decision: 'NoOpinion',
      reason: `RBAC: [clusterrole.${GROUP} "gone" not found, unsupported role reference kind: "Robot", role.${GROUP} "lost" not found]`,
    });
    expect(authorize(request(user('alice', 'dev'), { namespace: 'b' })).reason).toBe(
      `RBAC: clusterrole.${GROUP} "gone" not found`,
    );
    expect(authorize(request(user('eve')))).toBe(NO_OPINION);
    const allowing = createRbacAuthorizer(
      policyOf({ roles: [READER], bindings: [...bindings, binding('v', 'ClusterRole/reader', ['u:alice'])] }),
    );
    expect(allowing(request(user('alice'))).decision).toBe('Allow');
  });
});

describe('a change', () => {
  it('affects the next question, whichever comes first', () => {
    const policy = new RbacPolicy();
    const authorize = createRbacAuthorizer(policy);
    const ask = (verb = 'get') => authorize(request(user('alice'), { verb })).decision;
    policy.roleBindings.set(binding('b', 'Role/local', ['u:alice'], 'a'));
    expect(authorize(request(user('alice'))).reason).toBe(`RBAC: role.${GROUP} "local" not found`);
    policy.roles.set(LOCAL);
    expect(ask()).toBe('Allow');
    policy.roles.set(role('local', [rule('list', 'pods')], 'a'));
    expect([ask(), ask('list')]).toEqual(['NoOpinion', 'Allow']);
    policy.roleBindings.set(binding('b', 'Role/local', ['u:bob'], 'a'));
    expect(ask('list')).toBe('NoOpinion');
    policy.roleBindings.set(binding('b', 'Role/local', ['u:bob', 'u:alice'], 'a'));
    expect(ask('list')).toBe('Allow');
    expect(policy.roles.delete('a', 'local')).toBe(true);
    expect(policy.roles.delete('a', 'local')).toBe(false);
    expect(ask('list')).toBe('NoOpinion');
    policy.roles.set(LOCAL);
    expect(ask()).toBe('Allow');
    expect(policy.roleBindings.delete('a', 'b')).toBe(true);
    expect(policy.roleBindings.delete('a', 'b')).toBe(false);
    expect(authorize(request(user('alice')))).toBe(NO_OPINION);
    expect([policy.roles.size, policy.roleBindings.size]).toEqual([1, 0]);
  });

  it('of a whole kind adds new objects and removes the rest', () => {
    const policy = policyOf({
      roles: [READER, role('writer', [rule('update', 'pods')])],
      bindings: [binding('b', 'ClusterRole/reader', ['u:alice']), binding('c', 'ClusterRole/writer', ['u:alice'])],
    });
    const ask = (verb: string) => createRbacAuthorizer(policy)(request(user('alice'), { verb })).decision;
    policy.clusterRoleBindings.replace([
      binding('c', 'ClusterRole/writer', ['u:alice']),
      binding('d', 'ClusterRole/deleter', ['u:alice']),
    ]);
    expect(['get', 'update', 'delete'].map(ask)).toEqual(['NoOpinion', 'Allow', 'NoOpinion']);
    policy.clusterRoles.replace([role('deleter', [rule('delete', 'pods')])]);
    expect(['get', 'update', 'delete'].map(ask)).toEqual(['NoOpinion', 'NoOpinion', 'Allow']);
    expect([policy.clusterRoles.size, policy.clusterRoleBindings.size]).toEqual([1, 2]);
    policy.clusterRoleBindings.replace([]);
    policy.clusterRoles.replace([]);
    expect([policy.clusterRoles.size, [...policy.bindings()].length]).toEqual([0, 0]);
  });
});

describe('rulesFor', () => {
  const bindings = [
    binding('z', 'ClusterRole/mixed', ['u:alice']),
    binding('m', 'ClusterRole/reader', ['g:dev', 'u:alice']),
    binding('a', 'Role/local', ['u:alice'], 'a'),
    binding('b', 'ClusterRole/gone', ['u:alice'], 'a'),
  ];
  const mixed = role('mixed', [{ verbs: ['get'], nonResourceURLs: ['/reports/*'] }, rule('get', 'secrets', 'one')]);
  const policy = policyOf({ roles: [READER, LOCAL, mixed], bindings });
  const reader = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
  const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: ['one'] };
  const local = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

  it('lists those of the cluster and then those of the namespace, each binding once', () => {
    expect(rulesFor(policy, user('alice', 'dev'), 'a')).toEqual({
      resourceRules: [reader, secrets, local],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/reports/*'] }],
      incomplete: false,
      error: `clusterrole.${GROUP} "gone" not found`,
    });
    expect(rulesFor(policy, user('alice', 'dev'), 'b')).toEqual({
      resourceRules: [reader, secrets],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/reports/*'] }],
      incomplete: false,
    });
    expect(rulesFor(policy, user('eve'), 'a')).toEqual({ resourceRules: [], nonResourceRules: [], incomplete: false });
  });

  it('end at ten thousand, and are then incomplete', () => {
    const many = (count: number) =>
      role(
        'many',
        Array.from({ length: count }, () => rule('get', 'pods')),
      );
    const listed = (count: number) =>
      rulesFor(
        policyOf({ roles: [many(count)], bindings: [binding('m', 'ClusterRole/many', ['u:alice'])] }),
        user('alice'),
        'a',
      );
    expect(listed(10_000)).toMatchObject({ resourceRules: { length: 10_000 }, incomplete: false });
    expect(listed(10_001)).toMatchObject({ resourceRules: { length: 10_000 }, incomplete: true });
    const other = {
      ...listed(9_999),
      nonResourceRules: [1, 2].map(() => ({ verbs: ['get'], nonResourceURLs: ['/'] })),
    };
    expect(boundedRules(other)).toMatchObject({
      resourceRules: { length: 9_999 },
      nonResourceRules: { length: 1 },
      incomplete: true,
    });
  });

  it('returns the same rules for the checks of writes, which report missing roles as a read does', () => {
    expect(effectiveRules(policy, user('alice'), 'a')).toEqual({
      rules: [...(READER.rules ?? []), ...(mixed.rules ?? []), ...(LOCAL.rules ?? [])],
      error: `clusterroles.${GROUP} "gone" not found`,
    });
  });

  it('returns the subject of a binding that matches the user', () => {
    expect(policy.bindingsOf(user('alice', 'dev'), '').map(({ name, subject: { kind } }) => [name, kind])).toEqual([
      ['m', 'Group'],
      ['z', 'User'],
    ]);
  });
});

describe('rulesOf', () => {
  const policy = policyOf({ roles: [READER, LOCAL] });
  const ref = (kind: string, name: string) => ({ apiGroup: GROUP, kind, name });

  it('reads the role of a binding', () => {
    expect(policy.rulesOf(ref('ClusterRole', 'reader'), '')).toBe(READER.rules);
    expect(policy.rulesOf(ref('ClusterRole', 'reader'), 'a')).toBe(READER.rules);
    expect(policy.rulesOf(ref('Role', 'local'), 'a')).toBe(LOCAL.rules);
  });

  it.each([
    ['ClusterRole', 'gone', 'a', 404, `clusterroles.${GROUP} "gone" not found`],
    ['Role', 'local', 'b', 404, `roles.${GROUP} "local" not found`],
    ['Role', 'local', '', 400, 'Namespace parameter required.'],
    ['ClusterRole', '', '', 400, 'Name parameter required.'],
    ['ClusterRole', 'a/b', '', 400, `Name parameter invalid: "a/b": may not contain '/'`],
    ['', 'x', 'a', 500, 'unsupported role reference kind: ""'],
  ])('fails as the read does: %s %j in %j', (kind, name, namespace, code, message) => {
    expect(() => policy.rulesOf(ref(kind, name), namespace)).toThrow(expect.objectContaining({ code, message }));
  });
});

it('decides as a search through all bindings does, after any history of changes', () => {
  const pick = pickFrom('policy');
  const policy = new RbacPolicy();
  const authorize = createRbacAuthorizer(policy);
  const roles = new Map<string, RoleObject>();
  const bindings = new Map<string, BindingObject>();
  const names = ['p', 'q', 'r'];
  const namespaces = ['', 'a', 'b'];
  const users = [
    user('alice', 'dev'),
    user('bob', 'dev', 'ops'),
    user('system:serviceaccount:a:robot', 'ops'),
    user('eve'),
  ];
  const subjects = [
    'u:alice',
    'u:bob',
    'g:dev',
    'g:ops',
    's:robot',
    's:a/robot',
    's:b/robot',
    'u:system:serviceaccount:a:robot',
  ];
  const place = (namespace: string): string | undefined => (namespace === '' ? undefined : namespace);
  const allowedBySearch = (attributes: ReturnType<typeof request>): boolean => {
    for (const namespace of new Set(['', attributes.namespace])) {
      for (const [key, { roleRef, subjects: of = [] }] of bindings) {
        if (!key.startsWith(`${namespace}/`) || !of.some((one) => appliesTo(attributes.user, one, namespace))) continue;
        const found = roles.get(roleRef.kind === 'Role' ? `${namespace}/${roleRef.name}` : `/${roleRef.name}`);
        if (rulesAllow(attributes, found?.rules ?? [])) return true;
      }
    }
    return false;
  };
  let allowed = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const namespace = pick.one(namespaces);
    const name = pick.one(names);
    const key = `${namespace}/${name}`;
    if (pick.number(2) === 0) {
      const part = namespace === '' ? policy.clusterRoles : policy.roles;
      const object = role(
        name,
        [rule(pick.one(['get', 'list', 'get list', '*']), pick.one(['pods', 'secrets', '*']))],
        place(namespace),
      );
      if (pick.number(3) === 0) expect(part.delete(namespace, name)).toBe(roles.delete(key));
      else {
        part.set(object);
        roles.set(key, object);
      }
    } else {
      const part = namespace === '' ? policy.clusterRoleBindings : policy.roleBindings;
      const kind = namespace === '' ? 'ClusterRole' : pick.one(['Role', 'ClusterRole']);
      const object = binding(name, `${kind}/${pick.one(names)}`, pick.some(subjects), place(namespace));
      if (pick.number(3) === 0) expect(part.delete(namespace, name)).toBe(bindings.delete(key));
      else {
        part.set(object);
        bindings.set(key, object);
      }
    }
    const attributes = request(pick.one(users), {
      namespace: pick.one(namespaces),
      verb: pick.one(['get', 'list', 'delete']),
      resource: pick.one(['pods', 'secrets', 'nodes']),
    });
    const expected = allowedBySearch(attributes);
    if (expected) allowed += 1;
    expect(authorize(attributes).decision, `round ${round}`).toBe(expected ? 'Allow' : 'NoOpinion');
  }
  expect([
    policy.clusterRoles.size + policy.roles.size,
    policy.clusterRoleBindings.size + policy.roleBindings.size,
  ]).toEqual([roles.size, bindings.size]);
  expect(allowed).toBeGreaterThan(300);
});
