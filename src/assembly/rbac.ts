/**
 * Access control by roles, in one server: the policy in memory follows the stored objects, and nobody gives what they do not
 * have.
 *
 * @module
 */
import { withRules, type Authorizer } from '../authz/index.js';
import {
  checkBinding, checkRoleEscalation, createRbacAuthorizer, escalationPorts, RbacPolicy, rulesFor, type BindingObject, type ClusterRoleObject, type PolicyPart, type RoleObject,
} from '../authz/rbac/index.js';
import type { Clock } from '../meta/clock.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../registry/admission.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { StoreMirror } from '../registry/mirror.js';
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../resources/index.js';
import type { GenericServer } from '../server/generic-server.js';
import type { Logger } from '../server/logger.js';

/** The kinds of access control. */
const KINDS: ReadonlySet<ResourceDefinition> = new Set<ResourceDefinition>([Role, ClusterRole, RoleBinding, ClusterRoleBinding]);

/**
 * The roles and bindings of one server. They are made and read when somebody first asks about them: a request that has to be
 * decided, or one for the objects themselves. A program that talks to its own server as its owner needs none of it, and does
 * not wait for it.
 */
export class Rbac {
  readonly policy = new RbacPolicy();
  readonly #server: () => GenericServer;
  #mirrors: readonly StoreMirror[] = [];
  #starting: Promise<void> | undefined;
  #started = false;

  /** @param server asked for at the first use */
  constructor(server: () => GenericServer) {
    this.#server = server;
  }

  /** Decides by the policy as it is. */
  get authorize(): Authorizer {
    const decide = createRbacAuthorizer(this.policy);
    return withRules(
      (attributes) => (this.#started ? decide(attributes) : this.ready()?.then(() => decide(attributes)) ?? decide(attributes)),
      async (user, namespace) => {
        await this.ready();
        return rulesFor(this.policy, user, namespace);
      },
    );
  }

  /** Waits until the policy is there, for the kinds that it is made of; undefined when there is nothing to wait for. */
  prepare(definition: ResourceDefinition): Promise<void> | undefined {
    return this.#started || !KINDS.has(definition) ? undefined : this.ready();
  }

  /**
   * Makes what every server has, reads the stored roles and bindings, and follows them from then on. A failure is not
   * remembered: the next who asks tries again.
   *
   * @returns undefined when that is done
   * @throws StorageError when they cannot be read or made
   */
  ready(): Promise<void> | undefined {
    if (this.#started) return undefined;
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      this.stop();
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    const server = this.#server();
    const { ensureDefaultPolicy } = await import('./default-policy.js');
    await ensureDefaultPolicy(server);
    await this.#follow(server, server.options);
    this.#started = true;
  }

  async #follow(server: GenericServer, { clock, logger }: { readonly clock: Clock; readonly logger: Logger }): Promise<void> {
    const onError = (error: unknown): void => logger.error('roles and bindings cannot be read; the last known ones hold', { error });
    const follow = <Kind extends RoleObject | BindingObject>(definition: ResourceDefinition, part: PolicyPart<Kind>): StoreMirror => {
      const { store } = server.operationsOf(definition);
      const prefix = store.info.keyPrefix.length;
      const sink = {
        // Stored objects of the kind have the shape: they were validated when they were written.
        present: (_key: string, object: object) => part.set(object as Kind),
        absent: (key: string) => void part.delete(...placeOf(key.slice(prefix))),
      };
      return new StoreMirror(store, sink, { clock, onError });
    };
    this.#mirrors = [
      follow(Role, this.policy.roles),
      follow(ClusterRole, this.policy.clusterRoles),
      follow(RoleBinding, this.policy.roleBindings),
      follow(ClusterRoleBinding, this.policy.clusterRoleBindings),
    ];
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /**
   * The stage of admission that refuses escalation. It comes after all that may change an object, and before validation,
   * where production has it.
   *
   * @param authorize every authorizer of the server: `escalate` and `bind` may be allowed by any
   */
  admission(authorize: Authorizer): AdmissionPlugin {
    const ports = escalationPorts(this.policy, authorize);
    // Whoever writes one of these kinds has waited for the policy: see prepare.
    const checks = new Map<ResourceDefinition, (attributes: AdmissionAttributes) => Promise<void>>();
    for (const definition of [Role, ClusterRole]) checks.set(definition, (attributes) => checkRoleEscalation({ ...writeOf<ClusterRoleObject>(attributes), requestName: requestNameOf(attributes) }, ports));
    for (const definition of [RoleBinding, ClusterRoleBinding]) checks.set(definition, (attributes) => checkBinding(writeOf<BindingObject>(attributes), ports));
    return { name: 'RoleEscalation', operations: ['CREATE', 'UPDATE'], mutate: (attributes) => checks.get(attributes.info.definition)?.(attributes) };
  }
}

/** Namespace and name of the end of a key. */
function placeOf(end: string): [namespace: string, name: string] {
  const slash = end.indexOf('/');
  return slash < 0 ? ['', end] : [end.slice(0, slash), end.slice(slash + 1)];
}

/** A create has no name in its path. */
const requestNameOf = ({ operation, name }: AdmissionAttributes): string => (operation === 'CREATE' ? '' : name);

function writeOf<Kind>({ user, info, namespace, object, oldObject }: AdmissionAttributes) {
  // Admission of the kind hands in objects of the kind.
  return { user, resource: info, namespace, object: object as Kind, ...(oldObject === undefined ? {} : { old: oldObject as Kind }) };
}
