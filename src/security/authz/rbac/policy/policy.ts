import { ApiError, errors, goQuote, pathSegment, type UserInfo } from '../../../../foundation/index.js';
import { ROLE_KINDS, roleResource, unsupportedRoleText } from '../role-kinds.js';
import type { BindingObject, PolicyRule, RoleObject, RoleRef, Subject } from '../types.js';
import { BindingTable } from './binding-table.js';
import type { CompileAllowance } from './compiled-rules.js';
import type { BindingKind, BoundRole, Grant } from './grant.js';
import type { PolicyPart } from './policy-part.js';
import { RoleTable } from './role-table.js';
import { combinedResource, type RuleAttributes } from './rule-match.js';

/** Rules and values of them that a decision compiles: less than a millisecond, whatever the user is bound to. */
const COMPILED_PER_DECISION = 1_000;

/** A binding that applies to a user. */
export interface UserBinding {
  readonly kind: BindingKind;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  /** The first of its subjects that matches the user. */
  readonly subject: Subject;
  /** Rules of its role; undefined when the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined;
}

/**
 * Roles and bindings in memory, indexed by user and group. Every change is applied object by object, and the next
 * decision sees it. The cost of a decision depends on the user's own bindings, not on the total number.
 *
 * Objects must be valid and are not copied. Bindings can be added before their roles.
 */
export class RbacPolicy {
  readonly #roles = new RoleTable();
  readonly #clusterRoles = new RoleTable();
  readonly #tables: ReadonlyMap<string, RoleTable> = new Map([
    ['Role', this.#roles],
    ['ClusterRole', this.#clusterRoles],
  ]);
  readonly #roleBindings = new BindingTable('RoleBinding', this.#tables);
  readonly #clusterRoleBindings = new BindingTable('ClusterRoleBinding', this.#tables);
  /** Of the decision that is being made: a decision allocates nothing. */
  readonly #allowance: CompileAllowance = { left: 0 };

  readonly roles: PolicyPart<RoleObject> = this.#roles;
  readonly clusterRoles: PolicyPart<RoleObject> = this.#clusterRoles;
  readonly roleBindings: PolicyPart<BindingObject> = this.#roleBindings;
  readonly clusterRoleBindings: PolicyPart<BindingObject> = this.#clusterRoleBindings;

  /**
   * Returns the grant that allows a request, or undefined. Cluster-wide bindings come first.
   *
   * @internal
   */
  find(user: UserInfo, namespace: string, attributes: RuleAttributes): Grant | undefined {
    const combined = combinedResource(attributes.resource, attributes.subresource);
    const allowance = this.#allowance;
    allowance.left = COMPILED_PER_DECISION;
    const everywhere = this.#clusterRoleBindings.grantsIn('')?.find(user, attributes, combined, allowance);
    if (everywhere !== undefined || namespace === '') return everywhere;
    return this.#roleBindings.grantsIn(namespace)?.find(user, attributes, combined, allowance);
  }

  /** True when a binding of the user refers to a missing role. */
  hasBroken(user: UserInfo, namespace: string): boolean {
    if (this.#clusterRoleBindings.grantsIn('')?.hasBroken(user) === true) return true;
    return namespace !== '' && this.#roleBindings.grantsIn(namespace)?.hasBroken(user) === true;
  }

  /**
   * Returns the bindings of a user: cluster-wide ones, then those of the namespace (none when empty), each sorted by
   * name.
   */
  bindingsOf(user: UserInfo, namespace: string): UserBinding[] {
    const everywhere = userBindings(user, this.#clusterRoleBindings.grantsIn(''));
    return namespace === ''
      ? everywhere
      : [...everywhere, ...userBindings(user, this.#roleBindings.grantsIn(namespace))];
  }

  /**
   * Yields the bindings of both kinds.
   *
   * @internal
   */
  *bindings(): Generator<BoundRole, void, undefined> {
    yield* this.#clusterRoleBindings.values();
    yield* this.#roleBindings.values();
  }

  /**
   * Returns the rules of the role that a binding refers to.
   *
   * @param namespace of the binding; empty for a ClusterRoleBinding
   * @throws ApiError like a read of the role: 404 when it does not exist, 400 for an invalid reference; 500 for a
   *   reference to another kind of object
   */
  rulesOf({ apiGroup, kind, name }: RoleRef, namespace: string): readonly PolicyRule[] {
    const table = this.#tables.get(kind);
    if (table === undefined) throw new ApiError({ message: unsupportedRoleText(kind), code: 500 });
    const namespaced = ROLE_KINDS.get(kind)?.namespaced === true;
    const home = namespaced ? namespace : '';
    if (namespaced && home === '') throw errors.badRequest('Namespace parameter required.');
    if (name === '') throw errors.badRequest('Name parameter required.');
    const wrong = pathSegment(name, false);
    if (wrong.length > 0) throw errors.badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`);
    const rules = table.rules(home, name);
    if (rules === undefined) throw errors.notFound(roleResource(kind, apiGroup), name);
    return rules;
  }
}

function userBindings(
  user: UserInfo,
  grants: { visit(user: UserInfo, visitor: (grant: Grant) => void): void } | undefined,
): UserBinding[] {
  const first = new Map<BoundRole, Grant>();
  grants?.visit(user, (grant) => {
    const before = first.get(grant.binding);
    if (before === undefined || grant.position < before.position) first.set(grant.binding, grant);
  });
  return [...first]
    .sort(([a], [b]) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(([{ kind, namespace, name, roleRef, role }, { subject }]) => ({
      kind,
      namespace,
      name,
      roleRef,
      subject,
      rules: role?.rules,
    }));
}
