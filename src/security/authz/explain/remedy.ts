import { ApiError, type Dialect } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import type { RbacPolicy } from '../rbac/policy/policy.js';
import type { Remedy } from './explanation.js';
import { bindingManifest, freeName, nameOfUser, objectName, roleManifest, subjectOf } from './manifests.js';
import { leastRule } from './permissions.js';

/** Options of {@link remedyFor}. */
export interface RemedyContext {
  readonly policy: RbacPolicy;
  readonly dialect: Dialect;
  /** True when the resource is cluster-scoped, whatever the request says. */
  readonly clusterScoped: boolean;
}

const NOT_FOUND = 404;

function roleExists(policy: RbacPolicy, kind: string, namespace: string, name: string): boolean {
  try {
    policy.rulesOf({ apiGroup: '', kind, name }, namespace);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === NOT_FOUND) return false;
    throw error;
  }
}

/**
 * Returns a role with one rule and its binding to the user. Their names are new, and no binding refers to the role's
 * name, so applying them changes nothing else.
 */
export function remedyFor(attributes: Attributes, { policy, dialect, clusterScoped }: RemedyContext): Remedy {
  const { user, verb, isResource, resource, subresource, name, path } = attributes;
  const namespace = isResource && !clusterScoped ? attributes.namespace : '';
  const what = isResource ? [verb, resource, subresource, name] : [verb, path];
  const kind = namespace === '' ? 'ClusterRole' : 'Role';
  const taken = takenNames(policy, kind, namespace);
  const roleName = freeName(
    objectName(what),
    (candidate) => taken.roles.has(candidate) || roleExists(policy, kind, namespace, candidate),
  );
  const role = roleManifest(dialect, namespace, roleName, [leastRule(attributes)]);
  const subject = subjectOf(dialect, user);
  if (subject === undefined) return { role };
  const bindingName = freeName(objectName([nameOfUser(user), ...what]), (candidate) => taken.bindings.has(candidate));
  return { role, binding: bindingManifest(dialect, role, bindingName, subject) };
}

/** Returns the names of bindings in a scope, and of the roles that bindings refer to, even if a role does not exist. */
function takenNames(
  policy: RbacPolicy,
  kind: string,
  namespace: string,
): { readonly roles: ReadonlySet<string>; readonly bindings: ReadonlySet<string> } {
  const roles = new Set<string>();
  const bindings = new Set<string>();
  for (const binding of policy.bindings()) {
    const { roleRef } = binding;
    if (roleRef.kind === kind && (kind === 'ClusterRole' || binding.namespace === namespace)) roles.add(roleRef.name);
    if (binding.namespace === namespace) bindings.add(binding.name);
  }
  return { roles, bindings };
}
