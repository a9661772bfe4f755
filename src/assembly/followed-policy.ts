/**
 * The policy of access control by roles, in the memory of one server: it has what every server has, follows the stored objects, and
 * decides.
 *
 * @module
 */
import type { Authorizer, UserRules } from '../authz/index.js';
import {
  checkBinding,
  checkRoleEscalation,
  createRbacAuthorizer,
  escalationPorts,
  isBindingObject,
  isRoleObject,
  RbacPolicy,
  rulesFor,
  type BindingObject,
  type ClusterRoleObject,
  type PolicyPart,
  type RoleObject,
  type SynchronousAuthorizer,
} from '../authz/rbac/index.js';
import type { Entropy } from '../meta/clock.js';
import type { UserInfo } from '../meta/object.js';
import type { AdmissionAttributes } from '../registry/admission.js';
import type { Catalogue } from '../registry/catalogue.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { StoreMirror } from '../registry/mirror.js';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../resources/index.js';
import type { Logger } from '../meta/logger.js';
import { ensureDefaultPolicy } from './default-policy.js';

/** What the policy of a server works with. */
export interface FollowedPolicyParts {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
  readonly logger: Logger;
}

/** The policy of one server. */
export class FollowedPolicy {
  readonly policy = new RbacPolicy();
  /** Decides by the policy as it is. */
  readonly decide: SynchronousAuthorizer = createRbacAuthorizer(this.policy);
  readonly #parts: FollowedPolicyParts;
  #mirrors: readonly StoreMirror[] = [];

  constructor(parts: FollowedPolicyParts) {
    this.#parts = parts;
  }

  /**
   * Makes what every server has, reads the stored roles and bindings, and follows them from then on.
   *
   * @throws StorageError when they cannot be read or made
   */
  async start(): Promise<void> {
    await ensureDefaultPolicy(this.#parts);
    this.#mirrors = [
      this.#follow(Role, this.policy.roles, isRoleObject),
      this.#follow(ClusterRole, this.policy.clusterRoles, isRoleObject),
      this.#follow(RoleBinding, this.policy.roleBindings, isBindingObject),
      this.#follow(ClusterRoleBinding, this.policy.clusterRoleBindings, isBindingObject),
    ];
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /** What a user may do in a namespace. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    return rulesFor(this.policy, user, namespace);
  }

  /**
   * Refuses a write of a role or binding by which somebody would give what they do not have.
   *
   * @param authorize every authorizer of the server: `escalate` and `bind` may be allowed by any
   * @throws ApiError 403 with what is missing; 404 when the role of a binding is not there
   */
  async check(attributes: AdmissionAttributes, authorize: Authorizer): Promise<void> {
    const ports = escalationPorts(this.policy, authorize);
    const { definition } = attributes.info;
    if (definition === Role || definition === ClusterRole)
      await checkRoleEscalation(
        { ...writeOf<ClusterRoleObject>(attributes), requestName: attributes.requestName },
        ports,
      );
    else await checkBinding(writeOf<BindingObject>(attributes), ports);
  }

  #follow<Kind extends RoleObject | BindingObject>(
    definition: ResourceDefinition,
    part: PolicyPart<Kind>,
    isKind: (object: object) => object is Kind,
  ): StoreMirror {
    const { catalogue, logger } = this.#parts;
    const store = catalogue.store(definition);
    const prefix = store.info.keyPrefix.length;
    const sink = {
      present: (key: string, object: object) => {
        if (!isKind(object))
          throw new TypeError(`what is stored under ${key} does not have the fields of a ${definition.kind}`);
        part.set(object);
      },
      absent: (key: string) => void part.delete(...placeOf(key.slice(prefix))),
    };
    return new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) => logger.error('roles and bindings cannot be read; the last known ones hold', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and grants nothing`, { error }),
    });
  }
}

/** Namespace and name of the end of a key. */
function placeOf(end: string): [namespace: string, name: string] {
  const slash = end.indexOf('/');
  return slash < 0 ? ['', end] : [end.slice(0, slash), end.slice(slash + 1)];
}

function writeOf<Kind>({ user, info, namespace, object, oldObject }: AdmissionAttributes) {
  // Admission of the kind hands in objects of the kind.
  return {
    user,
    resource: info,
    namespace,
    object: object as Kind,
    old: oldObject as Kind | undefined,
  };
}
