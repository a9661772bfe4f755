/**
 * The RBAC policy of one server, in memory: it creates the default objects, follows the stored objects, and decides
 * requests.
 *
 * @module
 */
import type { Entropy, Logger, UserInfo } from '../../foundation/index.js';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kinds/index.js';
import {
  StoreMirror,
  type AdmissionAttributes,
  type Catalogue,
  type ResourceDefinition,
} from '../../registry/index.js';
import {
  checkBinding,
  checkRoleEscalation,
  createRbacAuthorizer,
  escalationPorts,
  isBindingObject,
  isRoleObject,
  RbacPolicy,
  rulesFor,
  type Authorizer,
  type BindingObject,
  type ClusterRoleObject,
  type PolicyPart,
  type RoleObject,
  type SynchronousAuthorizer,
  type UserRules,
} from '../../security/index.js';
import { ensureDefaultPolicy, ensurePagePolicy } from './default-policy.js';

/** Dependencies of {@link MirroredPolicy}. */
export interface MirroredPolicyParts {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** Whether the store has the default roles and bindings: a fork is not a restart, which would create missing ones. */
  readonly hasDefaultPolicy: boolean;
}

/** The RBAC policy of one server. */
export class MirroredPolicy {
  readonly policy = new RbacPolicy();
  /** Decides by the current policy. */
  readonly decide: SynchronousAuthorizer = createRbacAuthorizer(this.policy);
  readonly #parts: MirroredPolicyParts;
  #mirrors: readonly StoreMirror[] = [];

  constructor(parts: MirroredPolicyParts) {
    this.#parts = parts;
  }

  /**
   * Creates the default roles and bindings, reads the stored ones, and starts following them.
   *
   * @throws StorageError when reading or creating fails
   */
  async start(): Promise<void> {
    if (!this.#parts.hasDefaultPolicy) await ensureDefaultPolicy(this.#parts);
    this.#mirrors = [
      this.#follow(Role, this.policy.roles, isRoleObject),
      this.#follow(ClusterRole, this.policy.clusterRoles, isRoleObject),
      this.#follow(RoleBinding, this.policy.roleBindings, isBindingObject),
      this.#follow(ClusterRoleBinding, this.policy.clusterRoleBindings, isBindingObject),
    ];
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Creates the roles and bindings of the page. @throws StorageError when reading or creating fails */
  addPage(): Promise<void> {
    return ensurePagePolicy(this.#parts);
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /** Returns the rules of a user in a namespace. */
  rulesFor(user: UserInfo, namespace: string): UserRules {
    return rulesFor(this.policy, user, namespace);
  }

  /**
   * Refuses a write of a role or binding that would grant permissions that its author does not have.
   *
   * @param authorize all authorizers of the server; any of them can allow `escalate` and `bind`
   * @throws ApiError 403 with the missing permissions; 404 when the role of a binding does not exist
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
    const sink = {
      present: (key: string, object: object) => {
        if (!isKind(object))
          throw new TypeError(`the object stored under ${key} does not have the fields of a ${definition.kind}`);
        part.set(object);
      },
      absent: (key: string) => {
        const { namespace, name } = store.info.placeOf(key);
        part.delete(namespace, name);
      },
    };
    return new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) => logger.error('roles and bindings cannot be read; the last known ones stay in use', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and grants nothing`, { error }),
    });
  }
}

function writeOf<Kind>({ user, info, namespace, object, oldObject, context }: AdmissionAttributes) {
  // Admission receives only objects of its kind.
  return {
    user,
    resource: info,
    namespace,
    object: object as Kind,
    old: oldObject as Kind | undefined,
    work: context.work,
  };
}
