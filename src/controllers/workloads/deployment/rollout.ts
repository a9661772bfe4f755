import type { Client, ResourceClient } from '../../../client/index.js';
import { equalJson, goQuote, inSlices, messageOf, SharedWork, type Clock } from '../../../foundation/index.js';
import { Deployment, ReplicaSet } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import { controllerReference, isControlledBy } from '../../runtime/controller-ref.js';
import { sameStatus } from '../shared/same-status.js';
import { templateHash } from '../shared/template-hash.js';
import type { UnseenWrites } from '../../runtime/unseen-writes.js';
import {
  newSetAnnotations,
  nextRevision,
  replicaAnnotations,
  revisionIn,
  type RolloutAnnotations,
} from './annotations.js';
import { conditionOf, newCondition, REASON, withCondition } from './conditions.js';
import { historyLimit, nextNewReplicas, progressDeadline, replicasOf } from './limits.js';
import { byRevision, equalTemplates, TEMPLATE_HASH_LABEL } from './replica-sets.js';
import type { Resize } from './scaling.js';
import { allSets, type ReplicaSets } from './status.js';
import type { DeploymentObject, DeploymentStatus, ReplicaSetObject } from './types.js';

/** The parts that the runs of a deployment controller share. */
export interface RolloutTools {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventSink;
  readonly names: RolloutAnnotations;
  readonly deployments: Informer<DeploymentObject>;
  readonly replicaSets: Informer<ReplicaSetObject>;
  readonly unseen: UnseenWrites;
}

/** Thrown to end a run after a change whose event starts the next one. */
export class RunAgain extends Error {}

/** One run of the controller for a deployment: its replica sets, its next status, and the writes of both. */
export class Rollout {
  readonly deployment: DeploymentObject;
  readonly #key: string;
  readonly #tools: RolloutTools;
  readonly #clients: {
    readonly deployments: ResourceClient<DeploymentObject, InputOf<typeof Deployment>>;
    readonly replicaSets: ResourceClient<ReplicaSetObject, InputOf<typeof ReplicaSet>>;
  };
  #sets: ReplicaSets;
  #revision: bigint | undefined;
  /** The stored status, with the conditions that this run has set. */
  status: DeploymentStatus;

  constructor(key: string, deployment: DeploymentObject, sets: ReplicaSets, tools: RolloutTools) {
    this.deployment = deployment;
    this.#key = key;
    this.#tools = tools;
    const { namespace = '' } = deployment.metadata;
    this.#clients = {
      deployments: tools.client.resource(Deployment).namespace(namespace),
      replicaSets: tools.client.resource(ReplicaSet).namespace(namespace),
    };
    this.#sets = sets;
    this.status = deployment.status ?? {};
  }

  /** The replica sets, as this run has changed them. */
  get sets(): ReplicaSets {
    return this.#sets;
  }

  get #nowMs(): number {
    return this.#tools.clock.now();
  }

  /** Sets a condition Progressing, when the deployment has a deadline. */
  setProgress(status: 'True' | 'False' | 'Unknown', reason: string, message: string): void {
    if (progressDeadline(this.deployment) === undefined) return;
    this.status = withCondition(this.status, newCondition(this.#nowMs, 'Progressing', status, reason, message));
  }

  /** Brings the annotations of the new replica set, when it exists, and of the deployment up to date. */
  async syncRevision(): Promise<void> {
    const { current } = this.#sets;
    if (current === undefined) return;
    const { names } = this.#tools;
    const revision = nextRevision(this.#sets.old, names);
    const annotations = newSetAnnotations(this.deployment, current.metadata.annotations ?? {}, revision, names);
    const minReadySeconds = this.deployment.spec?.minReadySeconds ?? 0;
    const { spec, metadata } = current;
    if (!equalJson(annotations, metadata.annotations ?? {}) || (spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const changed = { ...current, metadata: { ...metadata, annotations }, ...withSpec(current, { minReadySeconds }) };
      await this.#update(current, changed);
    }
    this.#revision = revisionIn(this.#sets.current ?? current, names);
    if (conditionOf(this.status, 'Progressing') === undefined)
      this.setProgress('True', REASON.found, `Found new replica set ${goQuote(metadata.name ?? '')}`);
  }

  /**
   * Creates the new replica set, when it does not exist.
   *
   * @throws RunAgain when its name is taken, or the cache does not have it yet; ApiError when the server refuses it
   */
  async createCurrent(): Promise<void> {
    if (this.#sets.current !== undefined) return;
    const draft = await this.#newSet();
    const name = draft.metadata.name ?? '';
    let created: ReplicaSetObject;
    try {
      created = await this.#clients.replicaSets.create(draft);
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return this.#nameTaken(name);
      if (!isNamespaceTerminating(error)) await this.#createFailed(name, error);
      throw error;
    }
    const { unseen, replicaSets, names, events } = this.#tools;
    unseen.written(this.#key, replicaSets, created);
    this.#sets = { ...this.#sets, current: created };
    this.#revision = revisionIn(created, names);
    const replicas = replicasOf(created);
    if (replicas > 0)
      events.event(this.deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} to ${replicas}`);
    this.setProgress('True', REASON.created, `Created new replica set ${goQuote(name)}`);
  }

  async #newSet(): Promise<InputOf<typeof ReplicaSet>> {
    const { deployment, status } = this;
    const { names } = this.#tools;
    const { template, selector, minReadySeconds } = deployment.spec ?? {};
    const work = new SharedWork();
    const hash = await inSlices(work, templateHash(template ?? {}, status.collisionCount ?? 0, work));
    const labels = { ...template?.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash };
    const revision = nextRevision(this.#sets.old, names);
    return {
      metadata: {
        name: `${deployment.metadata.name ?? ''}-${hash}`,
        ...(deployment.metadata.namespace === undefined ? {} : { namespace: deployment.metadata.namespace }),
        labels,
        annotations: {
          ...newSetAnnotations(deployment, {}, revision, names),
          ...replicaAnnotations(deployment, names),
        },
        ownerReferences: [controllerReference(deployment)],
      },
      spec: {
        replicas: nextNewReplicas(deployment, this.#sets.old, 0),
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
        template: { ...template, metadata: { ...template?.metadata, labels } },
      },
    };
  }

  /** Counts a collision, unless the replica set with the name is the wanted one, which the cache does not have yet. */
  async #nameTaken(name: string): Promise<never> {
    const other = await this.#clients.replicaSets.get(name);
    const { deployment } = this;
    const work = new SharedWork();
    const wanted =
      isControlledBy(other, deployment) &&
      (await inSlices(work, equalTemplates(other.spec?.template, deployment.spec?.template, work)));
    if (wanted) this.#tools.unseen.written(this.#key, this.#tools.replicaSets, other);
    else {
      this.status = { ...this.status, collisionCount: (this.status.collisionCount ?? 0) + 1 };
      await this.#writeStatus(this.status);
    }
    throw new RunAgain(`the name ${name} is taken`);
  }

  async #createFailed(name: string, error: unknown): Promise<void> {
    const message = `Failed to create new replica set ${goQuote(name)}: ${messageOf(error)}`;
    this.setProgress('False', REASON.createFailed, message);
    this.#tools.events.event(this.deployment, 'Warning', REASON.createFailed, message);
    if (!sameStatus(this.deployment.status, this.status)) await this.#writeStatus(this.status);
  }

  /**
   * Gives replica sets new sizes. The annotations of the sizes follow.
   *
   * @returns whether a size has changed
   */
  async resize(sizes: readonly Resize[]): Promise<boolean> {
    let changed = false;
    for (const { set, replicas, annotate = false } of sizes) {
      const before = replicasOf(set);
      if (before === replicas && !annotate) continue;
      const annotations = { ...set.metadata.annotations, ...replicaAnnotations(this.deployment, this.#tools.names) };
      if (before === replicas && equalJson(annotations, set.metadata.annotations ?? {})) continue;
      await this.#update(set, {
        ...set,
        metadata: { ...set.metadata, annotations },
        ...withSpec(set, { replicas }),
      });
      if (before === replicas) continue;
      changed = true;
      const { name = '' } = set.metadata;
      const message = `Scaled ${before < replicas ? 'up' : 'down'} replica set ${name} to ${replicas} from ${before}`;
      this.#tools.events.event(this.deployment, 'Normal', 'ScalingReplicaSet', message);
    }
    return changed;
  }

  async #update(old: ReplicaSetObject, changed: ReplicaSetObject): Promise<void> {
    const written = await this.#clients.replicaSets.update(changed);
    this.#tools.unseen.written(this.#key, this.#tools.replicaSets, written);
    const swap = (set: ReplicaSetObject): ReplicaSetObject => (set === old ? written : set);
    const { current, old: others } = this.#sets;
    this.#sets = { current: current === undefined ? undefined : swap(current), old: others.map(swap) };
  }

  /** Deletes the oldest replica sets without pods beyond the limit of the history. */
  async cleanUp(): Promise<void> {
    const limit = historyLimit(this.deployment);
    if (limit === undefined) return;
    const alive = this.#sets.old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const surplus = [...alive].sort(byRevision(this.#tools.names)).slice(0, Math.max(0, alive.length - limit));
    for (const set of surplus) if (isEmpty(set)) await this.#delete(set);
  }

  async #delete(set: ReplicaSetObject): Promise<void> {
    const { name = '', uid } = set.metadata;
    try {
      await this.#clients.replicaSets.delete(name, { preconditions: { uid }, propagationPolicy: 'Background' });
      this.#tools.unseen.deleted(this.#key, this.#tools.replicaSets, set);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  /**
   * Writes the status, and the revision of the deployment, when they differ from the stored ones.
   *
   * @returns whether they were written
   */
  async finish(compute: (before: DeploymentStatus, sets: ReplicaSets) => DeploymentStatus): Promise<boolean> {
    const status = compute(this.status, this.#sets);
    const { metadata } = this.deployment;
    const known = metadata.annotations?.[this.#tools.names.revision];
    if (
      sameStatus(this.deployment.status, status) &&
      (this.#revision === undefined || known === String(this.#revision))
    )
      return false;
    await this.#writeStatus(status);
    return true;
  }

  async #writeStatus(status: DeploymentStatus): Promise<void> {
    const { metadata } = this.deployment;
    const annotations =
      this.#revision === undefined
        ? metadata.annotations
        : { ...metadata.annotations, [this.#tools.names.revision]: String(this.#revision) };
    const changed = { ...this.deployment, metadata: { ...metadata, ...(annotations && { annotations }) }, status };
    const written = await this.#clients.deployments.updateStatus(changed);
    this.#tools.unseen.written(this.#key, this.#tools.deployments, written);
  }

  /** All replica sets. */
  get all(): readonly ReplicaSetObject[] {
    return allSets(this.#sets);
  }
}

type ReplicaSetSpec = NonNullable<ReplicaSetObject['spec']>;

/** Returns the spec of a replica set with changes, as a part of the object. */
function withSpec({ spec }: ReplicaSetObject, changes: Partial<ReplicaSetSpec>): { spec: ReplicaSetSpec } {
  if (spec === undefined) throw new TypeError('a replica set has no spec');
  return { spec: { ...spec, ...changes } };
}

/** Returns whether a replica set has no pods, wants none, and its controller knows that. */
function isEmpty({ metadata, spec, status }: ReplicaSetObject): boolean {
  return (
    (status?.replicas ?? 0) === 0 &&
    (spec?.replicas ?? 1) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
