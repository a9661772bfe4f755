import { ROLE_KINDS } from '../role-kinds.js';
import type { BindingObject } from '../types.js';
import { GrantIndex } from './grant-index.js';
import { BoundRole, type BindingKind } from './grant.js';
import { keyOf, replaceAll, type PolicyPart } from './policy-part.js';
import type { RoleTable } from './role-table.js';
import { SteadyMap } from './steady-map.js';

/** The bindings of one kind. */
export class BindingTable implements PolicyPart<BindingObject> {
  readonly #kind: BindingKind;
  /** Role tables by the kind of a role reference. */
  readonly #roles: ReadonlyMap<string, RoleTable>;
  readonly #bindings = new SteadyMap<BoundRole>();
  /** Grants by namespace; empty for cluster-wide bindings. */
  readonly #grants = new SteadyMap<GrantIndex>();

  constructor(kind: BindingKind, roles: ReadonlyMap<string, RoleTable>) {
    this.#kind = kind;
    this.#roles = roles;
  }

  get size(): number {
    return this.#bindings.size;
  }

  set({ metadata: { namespace = '', name = '' }, roleRef, subjects = [] }: BindingObject): void {
    this.delete(namespace, name);
    const home = ROLE_KINDS.get(roleRef.kind)?.namespaced === true ? namespace : '';
    const role = this.#roles.get(roleRef.kind)?.acquire(home, roleRef.name);
    const binding = new BoundRole({ kind: this.#kind, namespace, name, roleRef, subjects, role });
    this.#bindings.set(keyOf(namespace, name), binding);
    let grants = this.#grants.get(namespace);
    if (grants === undefined) this.#grants.set(namespace, (grants = new GrantIndex()));
    for (const grant of binding.grants) grants.add(grant);
  }

  delete(namespace: string, name: string): boolean {
    const key = keyOf(namespace, name);
    const binding = this.#bindings.get(key);
    if (binding === undefined) return false;
    this.#bindings.delete(key);
    const grants = this.#grants.get(namespace);
    for (const grant of binding.grants) grants?.delete(grant);
    if (grants?.empty === true) this.#grants.delete(namespace);
    if (binding.role !== undefined) this.#roles.get(binding.roleRef.kind)?.release(binding.role);
    return true;
  }

  replace(bindings: Iterable<BindingObject>): void {
    replaceAll(this, this.#bindings.values(), bindings);
  }

  /** Returns all bindings. */
  values(): Iterable<BoundRole> {
    return this.#bindings.values();
  }

  /** Returns the grants in a namespace, or undefined when there are none. */
  grantsIn(namespace: string): GrantIndex | undefined {
    return this.#grants.get(namespace);
  }
}
