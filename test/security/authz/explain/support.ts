import fc from 'fast-check';
import type { Attributes } from '../../../../src/security/authz/index.js';
import {
  RbacPolicy,
  type BindingObject,
  type PolicyRule,
  type RoleObject,
  type Subject,
} from '../../../../src/security/authz/rbac/index.js';
import type { RbacObjects } from '../../../../src/security/authz/explain/explain.js';
import type { UserInfo } from '../../../../src/foundation/objects/object.js';
import { GROUP } from '../rbac/support.js';

/** A small world for random policies and requests. */
export const USERS: readonly UserInfo[] = [
  { username: 'alice', groups: ['dev', 'system:authenticated'] },
  { username: 'bob', groups: [] },
  { username: 'system:serviceaccount:x:robot', groups: ['system:serviceaccounts', 'dev'] },
];
const VERBS = ['get', 'list', 'create', 'deletecollection'];
const GROUPS = ['', 'apps'];
const RESOURCES = ['pods', 'configmaps'];
const SUBRESOURCES = ['', 'log'];
const NAMES = ['', 'a', 'b'];
const NAMESPACES = ['', 'x', 'y', 'x-y'];
const PATHS = ['/healthz', '/healthz/a', '/metrics'];

const BASE = { namespace: '', apiGroup: '', apiVersion: 'v1', resource: '', subresource: '', name: '', path: '' };

function* allRequests(): Generator<Attributes> {
  for (const user of USERS) {
    for (const verb of VERBS) {
      for (const path of PATHS) yield { ...BASE, user, verb, isResource: false, path };
      for (const apiGroup of GROUPS)
        for (const resource of RESOURCES)
          for (const subresource of SUBRESOURCES)
            for (const name of NAMES)
              for (const namespace of NAMESPACES) {
                yield { ...BASE, user, verb, isResource: true, apiGroup, resource, subresource, name, namespace };
              }
    }
  }
}

/** Every possible request of the world. */
export const REQUESTS: readonly Attributes[] = [...allRequests()];
export const anyRequest = fc.constantFrom(...REQUESTS);

const some = <Value>(...values: Value[]): fc.Arbitrary<Value[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

/** Rules of every form, including ones that match nothing. */
export const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some(...VERBS, '*'),
    apiGroups: some(...GROUPS, '*'),
    resources: some(...RESOURCES, 'pods/log', 'pods/*', 'pods/', '*/log', '*/', '*/status', '*'),
    resourceNames: fc.constantFrom(undefined, [], ['a'], ['a', 'b']),
  }),
  fc.record({ verbs: some(...VERBS, '*'), nonResourceURLs: some(...PATHS, '/healthz/*', '/met**', '*') }),
  fc.record({ verbs: some(...VERBS) }),
);

// Some have the names of roles that an explanation would propose.
const ROLE_NAMES = ['r', 's', 'get-pods', 'get-pods-a', 'list-configmaps', 'get-healthz'];
const anySubject: fc.Arbitrary<Subject> = fc.constantFrom<Subject>(
  { kind: 'User', name: 'alice' },
  { kind: 'User', name: 'bob' },
  { kind: 'User', name: 'eve' },
  { kind: 'Group', name: 'dev' },
  { kind: 'Group', name: 'ops' },
  { kind: 'ServiceAccount', name: 'robot' },
  { kind: 'ServiceAccount', name: 'robot', namespace: 'x' },
  { kind: 'Robot', name: 'alice' },
);
const namespaced = fc.constantFrom('x', 'y', 'x-y');
const rules = fc.array(anyRule, { maxLength: 3 });
const subjects = fc.array(anySubject, { maxLength: 2 });
const refTo = (...kinds: string[]): fc.Arbitrary<BindingObject['roleRef']> =>
  fc.record({ apiGroup: fc.constant(GROUP), kind: fc.constantFrom(...kinds), name: fc.constantFrom(...ROLE_NAMES) });
const key = ({ metadata }: RoleObject | BindingObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
const objects = <Kind extends RoleObject | BindingObject>(one: fc.Arbitrary<Kind>): fc.Arbitrary<Kind[]> =>
  fc.uniqueArray(one, { maxLength: 5, selector: key });
const bindingName = fc.constantFrom('b', 'c', 'alice-get-pods', 'alice-get-healthz');

/** Random policies: bindings to existing and missing roles, to all users and to none. */
export const anyObjects: fc.Arbitrary<Required<RbacObjects>> = fc.record({
  roles: objects(
    fc.record({ metadata: fc.record({ name: fc.constantFrom(...ROLE_NAMES), namespace: namespaced }), rules }),
  ),
  clusterRoles: objects(fc.record({ metadata: fc.record({ name: fc.constantFrom(...ROLE_NAMES) }), rules })),
  roleBindings: objects(
    fc.record({
      metadata: fc.record({ name: bindingName, namespace: namespaced }),
      subjects,
      roleRef: refTo('Role', 'ClusterRole', 'Robot'),
    }),
  ),
  clusterRoleBindings: objects(
    fc.record({
      metadata: fc.record({ name: bindingName }),
      subjects,
      roleRef: refTo('ClusterRole', 'ClusterRole', 'Role'),
    }),
  ),
});

export function policyFrom({
  roles = [],
  clusterRoles = [],
  roleBindings = [],
  clusterRoleBindings = [],
}: RbacObjects): RbacPolicy {
  const policy = new RbacPolicy();
  policy.roles.replace(roles);
  policy.clusterRoles.replace(clusterRoles);
  policy.roleBindings.replace(roleBindings);
  policy.clusterRoleBindings.replace(clusterRoleBindings);
  return policy;
}

/** Adds roles and bindings to a policy, according to their kinds. */
export function applyTo(
  policy: RbacPolicy,
  made: readonly { readonly kind: string; readonly metadata: object }[],
): void {
  for (const object of made) {
    if (object.kind === 'Role') policy.roles.set(object as RoleObject);
    if (object.kind === 'ClusterRole') policy.clusterRoles.set(object as RoleObject);
    if (object.kind === 'RoleBinding') policy.roleBindings.set(object as unknown as BindingObject);
    if (object.kind === 'ClusterRoleBinding') policy.clusterRoleBindings.set(object as unknown as BindingObject);
  }
}
