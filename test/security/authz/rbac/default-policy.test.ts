import { describe, expect, it } from 'vitest';
import {
  aggregateRules,
  createRbacAuthorizer,
  defaultRbacPolicy,
  RbacPolicy,
  rulesAllow,
  type DefaultPolicy,
} from '../../../../src/security/authz/rbac/index.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { defineDialect, kubernetes, orch } from '../../../../src/foundation/index.js';
import { ClusterRoleBinding, RoleBinding } from '../../../../src/kinds/builtin/rbac/binding.js';
import { ClusterRole, Role } from '../../../../src/kinds/builtin/rbac/role.js';
import { decode, problems } from '../../../kinds/builtin/support.js';
import { request, user } from './support.js';

/** A policy in force: aggregated roles have their rules. */
function inForce({ clusterRoles, clusterRoleBindings, roles, roleBindings }: DefaultPolicy): RbacPolicy {
  const policy = new RbacPolicy();
  // Aggregated roles of aggregated roles need a second pass.
  const first = clusterRoles.map((role) => ({ ...role, rules: aggregateRules(role, clusterRoles) ?? role.rules }));
  const second = first.map((role) => ({ ...role, rules: aggregateRules(role, first) ?? role.rules }));
  policy.clusterRoles.replace(second.map((role) => ({ ...role, rules: aggregateRules(role, second) ?? role.rules })));
  policy.clusterRoleBindings.replace(clusterRoleBindings);
  policy.roles.replace(roles);
  policy.roleBindings.replace(roleBindings);
  return policy;
}

describe.each([orch, kubernetes])('in the dialect $name', (dialect) => {
  const policy = defaultRbacPolicy(dialect, { clusterTrustBundles: true });

  it('every object is valid and complete', () => {
    for (const [definition, objects] of [
      [ClusterRole, policy.clusterRoles],
      [ClusterRoleBinding, policy.clusterRoleBindings],
      [Role, policy.roles],
      [RoleBinding, policy.roleBindings],
    ] as const) {
      for (const object of objects) {
        const manifest = JSON.parse(JSON.stringify(object)) as JsonObject;
        expect(problems(definition, manifest, dialect), object.metadata.name).toEqual([]);
        const decoded = JSON.parse(JSON.stringify(decode(definition, manifest, dialect))) as JsonObject;
        const filled: JsonObject = 'roleRef' in manifest ? {} : { rules: null };
        const { subjects, ...rest }: JsonObject = { ...filled, ...manifest };
        expect(decoded).toEqual(Array.isArray(subjects) && subjects.length > 0 ? { ...rest, subjects } : rest);
      }
    }
  });

  it('every object has the label, and no name occurs twice', () => {
    for (const objects of Object.values(policy) as DefaultPolicy['clusterRoles'][]) {
      for (const { metadata } of objects) {
        expect(metadata.labels).toHaveProperty([`${dialect.labelDomain}/bootstrapping`], 'rbac-defaults');
        expect(metadata.annotations).toEqual({ [`rbac.authorization.${dialect.labelDomain}/autoupdate`]: 'true' });
      }
      const names = objects.map(({ metadata: { namespace = '', name } }) => `${namespace}/${name}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('every binding has its role', () => {
    const names = new Set(policy.clusterRoles.map(({ metadata }) => metadata.name));
    for (const { roleRef, metadata } of policy.clusterRoleBindings)
      expect(names.has(roleRef.name), metadata.name).toBe(true);
    for (const { roleRef, metadata } of policy.roleBindings) {
      expect(
        policy.roles.some(
          (role) => role.metadata.name === roleRef.name && role.metadata.namespace === metadata.namespace,
        ),
        metadata.name,
      ).toBe(true);
    }
  });

  it('mentions no other product', () => {
    expect(JSON.stringify(policy)).not.toMatch(dialect === orch ? /kube|k8s/ : /orch/);
  });
});

describe('names', () => {
  const namesOf = (policy: DefaultPolicy) => policy.clusterRoles.map(({ metadata }) => metadata.name);

  it('are those of Kubernetes', () => {
    const expected = [
      'admin',
      'cluster-admin',
      'edit',
      'system:aggregate-to-admin',
      'system:aggregate-to-edit',
      'system:aggregate-to-view',
      'system:auth-delegator',
      'system:basic-user',
      'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
      'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
      'system:certificates.k8s.io:kube-apiserver-client-approver',
      'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
      'system:certificates.k8s.io:kubelet-serving-approver',
      'system:certificates.k8s.io:legacy-unknown-approver',
      'system:controller:certificate-controller',
      'system:controller:clusterrole-aggregation-controller',
      'system:controller:generic-garbage-collector',
      'system:controller:namespace-controller',
      'system:controller:root-ca-cert-publisher',
      'system:controller:service-account-controller',
      'system:controller:ttl-controller',
      'system:discovery',
      'system:heapster',
      'system:kube-aggregator',
      'system:kube-controller-manager',
      'system:kube-dns',
      'system:kube-scheduler',
      'system:kubelet-api-admin',
      'system:monitoring',
      'system:node',
      'system:node-bootstrapper',
      'system:node-problem-detector',
      'system:node-proxier',
      'system:persistent-volume-provisioner',
      'system:public-info-viewer',
      'system:service-account-issuer-discovery',
      'system:volume-scheduler',
      'view',
    ];
    expect(namesOf(defaultRbacPolicy(kubernetes))).toEqual(expected);
    expect(
      namesOf(defaultRbacPolicy(kubernetes, { clusterTrustBundles: true })).filter((name) => !expected.includes(name)),
    ).toEqual(['system:cluster-trust-bundle-discovery']);
  });

  it('follow the dialect', () => {
    const acme = defineDialect({
      name: 'acme',
      product: 'acme',
      groupSuffix: 'api.acme.example',
      labelDomain: 'acme.example',
    });
    expect(namesOf(defaultRbacPolicy(acme))).toEqual(
      expect.arrayContaining([
        'system:acme-scheduler',
        'system:acmelet-api-admin',
        'system:certificates.api.acme.example:acmelet-serving-approver',
      ]),
    );
    const { metadata, roleRef, subjects } =
      defaultRbacPolicy(acme).roleBindings.find(
        ({ metadata: { name } }) => name === 'system::leader-locking-acme-scheduler',
      ) ?? {};
    expect(metadata).toMatchObject({
      namespace: 'acme-system',
      labels: { 'acme.example/bootstrapping': 'rbac-defaults' },
    });
    expect([roleRef?.apiGroup, subjects?.[0]]).toEqual([
      'rbac.authorization.api.acme.example',
      { kind: 'User', apiGroup: 'rbac.authorization.api.acme.example', name: 'system:acme-scheduler' },
    ]);
  });
});

describe('the default policy', () => {
  const policy = inForce(defaultRbacPolicy(kubernetes));
  const authorize = createRbacAuthorizer(policy);
  const authenticated = user('alice', 'system:authenticated');
  const anonymous = user('system:anonymous', 'system:unauthenticated');
  const path = (who: typeof authenticated, url: string, verb = 'get') =>
    authorize(request(who, { isResource: false, namespace: '', resource: '', verb, path: url })).decision === 'Allow';
  const resource = (who: typeof authenticated, verb: string, apiGroup: string, name: string, namespace = 'a') =>
    authorize(request(who, { verb, apiGroup, resource: name, namespace })).decision === 'Allow';

  it.each([
    ['/api', true, false],
    ['/apis/apps/v1', true, false],
    ['/openapi/v3', true, false],
    ['/version', true, true],
    ['/healthz', true, true],
    ['/livez/ping', false, false],
    ['/metrics', false, false],
  ])('grants %s to authenticated users (%s) and to all users (%s)', (url, toUsers, toAll) => {
    expect([path(authenticated, url), path(anonymous, url), path(authenticated, url, 'post')]).toEqual([
      toUsers,
      toAll,
      false,
    ]);
  });

  it('grants reviews about oneself, and nothing else, to authenticated users', () => {
    for (const review of ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'])
      expect(resource(authenticated, 'create', 'authorization.k8s.io', review, '')).toBe(true);
    expect(resource(authenticated, 'create', 'authentication.k8s.io', 'selfsubjectreviews', '')).toBe(true);
    expect(resource(authenticated, 'create', 'authorization.k8s.io', 'subjectaccessreviews', '')).toBe(false);
    expect(resource(authenticated, 'list', '', 'configmaps')).toBe(false);
    expect(resource(anonymous, 'create', 'authorization.k8s.io', 'selfsubjectaccessreviews', '')).toBe(false);
  });

  it('grants everything to masters, and their own work to controllers', () => {
    const master = user('root', 'system:masters');
    expect([resource(master, 'anything', 'x.example', 'things'), path(master, '/anywhere', 'delete')]).toEqual([
      true,
      true,
    ]);
    const cleaner = user('system:serviceaccount:kube-system:token-cleaner', 'system:serviceaccounts');
    expect(
      ['kube-system', 'default', ''].map((namespace) => resource(cleaner, 'delete', '', 'secrets', namespace)),
    ).toEqual([true, false, false]);
    expect(resource(user('system:kube-scheduler'), 'create', '', 'pods')).toBe(false);
    expect(resource(user('system:kube-scheduler'), 'get', '', 'pods')).toBe(true);
    expect(resource(user('system:node:n', 'system:nodes'), 'get', '', 'pods')).toBe(false);
  });

  it('grants each user-facing role the rights of the one below', () => {
    const rules = (name: string) => policy.rulesOf({ apiGroup: '', kind: 'ClusterRole', name }, '');
    const can = (name: string, verb: string, plural: string, apiGroup = '', subresource = '') =>
      rulesAllow(request(authenticated, { verb, resource: plural, apiGroup, subresource }), rules(name));
    expect(['view', 'edit', 'admin'].map((name) => can(name, 'get', 'configmaps'))).toEqual([true, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => can(name, 'get', 'secrets'))).toEqual([false, true, true]);
    expect(['view', 'edit', 'admin'].map((name) => can(name, 'create', 'serviceaccounts', '', 'token'))).toEqual([
      false,
      true,
      true,
    ]);
    expect(
      ['view', 'edit', 'admin'].map((name) => can(name, 'create', 'rolebindings', 'rbac.authorization.k8s.io')),
    ).toEqual([false, false, true]);
    expect(['view', 'edit', 'admin'].map((name) => can(name, 'delete', 'namespaces'))).toEqual([false, false, false]);
  });
});
