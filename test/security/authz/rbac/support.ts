import type { Attributes } from '../../../../src/security/authz/index.js';
import {
  RbacPolicy,
  type BindingObject,
  type PolicyRule,
  type RoleObject,
  type Subject,
} from '../../../../src/security/authz/rbac/index.js';
import type { UserInfo } from '../../../../src/foundation/objects/object.js';
import { seededEntropy } from '../../../../src/entries/testing.js';

export const GROUP = 'rbac.authorization.example';

export const user = (username: string, ...groups: string[]): UserInfo => ({ username, groups });

/** Attributes of a get of pods in namespace `a`, with the given changes. */
export const request = (who: UserInfo, changes: Partial<Attributes> = {}): Attributes => ({
  user: who,
  verb: 'get',
  isResource: true,
  namespace: 'a',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: '',
  path: '',
  ...changes,
});

/** A rule on resources of the core group; words are separated by spaces. */
export const rule = (verbs: string, resources: string, resourceNames?: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(' ') }),
});

export const role = (name: string, rules: readonly PolicyRule[], namespace?: string): RoleObject => ({
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});

/** `u:name`, `g:name`, `s:name` or `s:namespace/name`. */
export function subject(text: string): Subject {
  const kind = text.charAt(0);
  const name = text.slice(2);
  if (kind === 'u') return { kind: 'User', apiGroup: GROUP, name };
  if (kind === 'g') return { kind: 'Group', apiGroup: GROUP, name };
  const [home = '', account] = name.split('/');
  return account === undefined
    ? { kind: 'ServiceAccount', name }
    : { kind: 'ServiceAccount', name: account, namespace: home };
}

/** A binding to `Role/name` or `ClusterRole/name` for subjects in the notation of {@link subject}. */
export function binding(name: string, ref: string, subjects: readonly string[], namespace?: string): BindingObject {
  const [kind = '', target = ''] = ref.split('/');
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: GROUP, kind, name: target },
    subjects: subjects.map(subject),
  };
}

/** The objects of a policy. Bindings and roles with a namespace are of the namespaced kinds. */
export interface Objects {
  readonly roles?: readonly RoleObject[];
  readonly bindings?: readonly BindingObject[];
}

export function policyOf({ roles = [], bindings = [] }: Objects): RbacPolicy {
  const policy = new RbacPolicy();
  for (const object of bindings)
    (object.metadata.namespace === undefined ? policy.clusterRoleBindings : policy.roleBindings).set(object);
  for (const object of roles)
    (object.metadata.namespace === undefined ? policy.clusterRoles : policy.roles).set(object);
  return policy;
}

/** Reproducible choices. */
export function pickFrom(seed: string) {
  const entropy = seededEntropy(seed);
  const number = (below: number): number => {
    const [high = 0, low = 0] = entropy.bytes(2);
    return (high * 256 + low) % below;
  };
  const one = <Value>(values: readonly Value[]): Value => values[number(values.length)] as Value;
  return { number, one, some: <Value>(values: readonly Value[]): Value[] => values.filter(() => number(3) === 0) };
}
