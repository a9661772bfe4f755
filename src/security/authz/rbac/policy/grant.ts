import type { UserInfo } from '../../../../foundation/index.js';
import type { Decision } from '../../authorizer.js';
import { identityOf } from '../subjects.js';
import type { RoleRef, Subject } from '../types.js';
import type { RoleEntry } from './role-table.js';

const NONE: ReadonlyMap<string, Grant> = new Map<string, Grant>();

/** A binding in a policy, with its resolved role. */
export class BoundRole {
  readonly kind: BindingKind;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
  /** The role, existing or missing; undefined when the reference is to another kind. */
  readonly role: RoleEntry | undefined;
  /** One grant per user and group of the subjects. */
  readonly grants: readonly Grant[];
  readonly #byUser: ReadonlyMap<string, Grant>;
  readonly #byGroup: ReadonlyMap<string, Grant>;

  constructor({
    kind,
    namespace,
    name,
    roleRef,
    subjects,
    role,
  }: Pick<BoundRole, 'kind' | 'namespace' | 'name' | 'roleRef' | 'subjects' | 'role'>) {
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.roleRef = roleRef;
    this.subjects = subjects;
    this.role = role;
    const found = { user: new Map<string, Grant>(), group: new Map<string, Grant>() };
    subjects.forEach((subject, index) => {
      const identity = identityOf(subject, namespace);
      // When several subjects are the same user, the first gives the reason.
      if (identity === undefined || found[identity.kind].has(identity.name)) return;
      found[identity.kind].set(identity.name, new Grant(this, subject, index, identity.kind, identity.name));
    });
    this.grants = [...found.user.values(), ...found.group.values()];
    // Most bindings have one subject and need no lookup.
    this.#byUser = this.grants.length > 1 ? found.user : NONE;
    this.#byGroup = this.grants.length > 1 ? found.group : NONE;
  }

  /** Returns the grant of the first subject that matches a user. `known` is any of the user's grants. */
  firstGrant(known: Grant, { username, groups }: UserInfo): Grant {
    if (this.grants.length === 1 || known.position === 0) return known;
    let first = this.#byUser.get(username) ?? known;
    for (let index = 0; index < groups.length; index += 1) {
      const grant = this.#byGroup.get(groups[index] ?? '');
      if (grant !== undefined && grant.position < first.position) first = grant;
    }
    return first;
  }
}

/** Kinds of bindings. */
export type BindingKind = 'RoleBinding' | 'ClusterRoleBinding';

/** The grant of one subject of a binding to one user or group. */
export class Grant {
  readonly binding: BoundRole;
  readonly subject: Subject;
  /** Index of the subject in its binding. */
  readonly position: number;
  readonly kind: 'user' | 'group';
  /** Name of the user or group. */
  readonly holder: string;
  /** Index in the grants of the user or group. */
  place = 0;
  /** The resulting decision, created on first use. */
  decision: Decision | undefined;

  constructor(binding: BoundRole, subject: Subject, position: number, kind: 'user' | 'group', holder: string) {
    this.binding = binding;
    this.subject = subject;
    this.position = position;
    this.kind = kind;
    this.holder = holder;
  }
}
