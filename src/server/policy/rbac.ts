/**
 * RBAC of one server: the policy in memory follows the stored objects, and escalation checks apply.
 *
 * @module
 */
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../kinds/index.js';
import type { AdmissionPlugin, ResourceDefinition } from '../../registry/index.js';
import { withRules, type Authorizer, type RbacPolicy } from '../../security/index.js';
import type { MirroredPolicy, MirroredPolicyParts } from './mirrored-policy.js';

/** The RBAC kinds. */
const KINDS: readonly ResourceDefinition[] = [Role, ClusterRole, RoleBinding, ClusterRoleBinding];

/**
 * Roles and bindings of one server. They are created, read and loaded on first use: a request that needs a decision, or
 * a request for the objects. A program that uses its own server as the owner does not wait for them.
 */
export class Rbac {
  readonly #parts: MirroredPolicyParts;
  #loaded: MirroredPolicy | undefined;
  #starting: Promise<MirroredPolicy> | undefined;
  #started: MirroredPolicy | undefined;
  #servesPage = false;

  constructor(parts: MirroredPolicyParts) {
    this.#parts = parts;
  }

  /** The current policy; undefined before {@link ready} was awaited. */
  get policy(): RbacPolicy | undefined {
    return this.#started?.policy;
  }

  /** Whether the store has the default roles and bindings, or had them when it was forked. */
  get hasDefaultPolicy(): boolean {
    return this.#parts.hasDefaultPolicy || this.#started !== undefined;
  }

  /** Decides by the current policy. */
  get authorize(): Authorizer {
    return withRules(
      (attributes) => this.#started?.decide(attributes) ?? this.#start().then(({ decide }) => decide(attributes)),
      async (user, namespace) => (await this.#start()).rulesFor(user, namespace),
    );
  }

  /** Waits for the policy when the kind belongs to it; undefined when it is ready. */
  prepare(definition: ResourceDefinition): Promise<void> | undefined {
    return KINDS.includes(definition) ? this.ready() : undefined;
  }

  /**
   * Creates the default roles and bindings, reads the stored ones and starts following them. After a failure the next
   * call retries.
   *
   * @returns undefined when it is ready
   * @throws StorageError when reading or creating fails
   */
  ready(): Promise<void> | undefined {
    return this.#started === undefined ? this.#start().then(() => undefined) : undefined;
  }

  /** Adds the roles and bindings of the page, once the policy is ready. A failure is logged. */
  servePage(): void {
    if (this.#servesPage) return;
    this.#servesPage = true;
    if (this.#started !== undefined) void this.#addPage(this.#started);
  }

  /** Stops following. */
  stop(): void {
    this.#loaded?.stop();
  }

  /**
   * Returns the plugin that refuses escalation. It runs after all mutating plugins and before validation, as in
   * Kubernetes.
   *
   * @param authorize all authorizers of the server; any of them can allow `escalate` and `bind`
   */
  admission(authorize: Authorizer): AdmissionPlugin {
    return {
      name: 'RoleEscalation',
      kinds: KINDS,
      operations: ['CREATE', 'UPDATE'],
      // Requests for these kinds have awaited the policy (see prepare), except those of controllers, which are always
      // allowed.
      mutate: (attributes) => this.#load().then((loaded) => loaded.check(attributes, authorize)),
    };
  }

  async #load(): Promise<MirroredPolicy> {
    if (this.#loaded !== undefined) return this.#loaded;
    const { MirroredPolicy } = await import('./mirrored-policy.js');
    return (this.#loaded ??= new MirroredPolicy(this.#parts));
  }

  #start(): Promise<MirroredPolicy> {
    this.#starting ??= this.#startOnce().catch((error: unknown) => {
      this.#starting = undefined;
      this.stop();
      throw error;
    });
    return this.#starting;
  }

  async #addPage(loaded: MirroredPolicy): Promise<void> {
    try {
      await loaded.addPage();
    } catch (error) {
      this.#parts.logger.error('the roles of the page could not be created', { error });
    }
  }

  async #startOnce(): Promise<MirroredPolicy> {
    const loaded = await this.#load();
    await loaded.start();
    if (this.#servesPage) await this.#addPage(loaded);
    this.#started = loaded;
    return loaded;
  }
}
