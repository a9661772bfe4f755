/**
 * Access control by roles, in one server: the policy in memory follows the stored objects, and nobody gives what they do not
 * have.
 *
 * @module
 */
import { withRules, type Authorizer } from '../authz/authorizer.js';
import type { RbacPolicy } from '../authz/rbac/policy.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../resources/index.js';
import type { FollowedPolicy, FollowedPolicyParts } from './followed-policy.js';

/** The kinds of access control. */
const KINDS: ReadonlySet<ResourceDefinition> = new Set<ResourceDefinition>([
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
]);

/**
 * The roles and bindings of one server. They are made and read when somebody first asks about them: a request that has to be
 * decided, or one for the objects themselves. A program that talks to its own server as its owner needs none of it, and does
 * not wait for it; what decides is loaded then, too.
 */
export class Rbac {
  readonly #parts: FollowedPolicyParts;
  #loaded: FollowedPolicy | undefined;
  #starting: Promise<FollowedPolicy> | undefined;
  #started: FollowedPolicy | undefined;

  constructor(parts: FollowedPolicyParts) {
    this.#parts = parts;
  }

  /** The policy as it is; undefined before somebody has waited for it ({@link ready}). */
  get policy(): RbacPolicy | undefined {
    return this.#started?.policy;
  }

  /** Decides by the policy as it is. */
  get authorize(): Authorizer {
    return withRules(
      (attributes) => this.#started?.decide(attributes) ?? this.#start().then(({ decide }) => decide(attributes)),
      async (user, namespace) => (await this.#start()).rulesFor(user, namespace),
    );
  }

  /** Waits until the policy is there, for the kinds that it is made of; undefined when there is nothing to wait for. */
  prepare(definition: ResourceDefinition): Promise<void> | undefined {
    return KINDS.has(definition) ? this.ready() : undefined;
  }

  /**
   * Makes what every server has, reads the stored roles and bindings, and follows them from then on. A failure is not
   * remembered: the next who asks tries again.
   *
   * @returns undefined when that is done
   * @throws StorageError when they cannot be read or made
   */
  ready(): Promise<void> | undefined {
    return this.#started === undefined ? this.#start().then(() => undefined) : undefined;
  }

  /** Stops following. */
  stop(): void {
    this.#loaded?.stop();
  }

  /**
   * The stage of admission that refuses escalation. It comes after all that may change an object, and before validation,
   * where production has it.
   *
   * @param authorize every authorizer of the server: `escalate` and `bind` may be allowed by any
   */
  admission(authorize: Authorizer): AdmissionPlugin {
    return {
      name: 'RoleEscalation',
      operations: ['CREATE', 'UPDATE'],
      // Whoever writes one of these kinds has waited for the policy (see prepare), but for controllers: they are allowed everything.
      mutate: (attributes) =>
        KINDS.has(attributes.info.definition)
          ? this.#load().then((loaded) => loaded.check(attributes, authorize))
          : undefined,
    };
  }

  async #load(): Promise<FollowedPolicy> {
    if (this.#loaded !== undefined) return this.#loaded;
    const { FollowedPolicy } = await import('./followed-policy.js');
    return (this.#loaded ??= new FollowedPolicy(this.#parts));
  }

  #start(): Promise<FollowedPolicy> {
    this.#starting ??= this.#startOnce().catch((error: unknown) => {
      this.#starting = undefined;
      this.stop();
      throw error;
    });
    return this.#starting;
  }

  async #startOnce(): Promise<FollowedPolicy> {
    const loaded = await this.#load();
    await loaded.start();
    this.#started = loaded;
    return loaded;
  }
}
