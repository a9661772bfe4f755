import { inSlices, SharedWork } from '../../../foundation/index.js';
import { Pod } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { isNotFound, retryingConflicts } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claiming, type Claims } from '../shared/claiming.js';
import type { PodObject } from '../shared/kinds.js';
import { PodControl } from '../shared/pod-control.js';
import { inDeletionOrder } from '../shared/pod-rank.js';
import { isActive, nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { slowStart } from '../shared/slow-start.js';
import type { ReplicaKind, ReplicaOwner } from './replica-kind.js';
import { replicaStatus, type Managed } from './status.js';

/** Maximum number of pods that one run creates or deletes. */
const BURST = 500;

/**
 * Keeps the number of pods of each owner at `spec.replicas`, and its status up to date. The controllers `replicaset` and
 * `replicationcontroller` differ in the kind of the owner only.
 */
export class Replicas<Item extends ReplicaOwner> {
  readonly unseen = new UnseenWrites();
  readonly #kind: ReplicaKind<Item>;
  readonly #host: RecordingHost;
  readonly #pods: Informer<PodObject>;
  readonly #podControl: PodControl;
  readonly #claimPods: Claims<Item, PodObject>;

  constructor(kind: ReplicaKind<Item>, host: RecordingHost) {
    const { client, informers, recorder } = host;
    this.#kind = kind;
    this.#host = host;
    this.#pods = informers.of(Pod);
    this.#podControl = new PodControl(client, recorder.of(kind.component));
    this.#claimPods = claiming({
      ...{ selectorOf: kind.selectorOf, informer: this.#pods, unseen: this.unseen },
      owners: kind.client,
      dependents: client.resource(Pod),
      // Pods that have ended are neither adopted nor released.
      counts: isActive,
    });
  }

  async reconcile(owner: Item, run: Run): Promise<WorkResult> {
    const active = await this.#claimPods(run.key, owner);
    const managed = owner.metadata.deletionTimestamp === undefined ? await this.#manage(run.key, owner, active) : {};
    const conflict = (await this.#writeStatus(run.key, owner, active, managed)) === 'retry';
    if (managed.error !== undefined) throw managed.error;
    if (conflict) return 'retry';
    const now = this.#host.clock.now();
    run.requeueAfter(nextAvailable(active, owner.spec?.minReadySeconds ?? 0, now) - now);
  }

  async #manage(key: string, owner: Item, active: readonly PodObject[]): Promise<Managed> {
    const missing = (owner.spec?.replicas ?? 1) - active.length;
    if (missing > 0) return this.#createPods(key, owner, Math.min(missing, BURST));
    if (missing < 0) return this.#deletePods(key, owner, active, Math.min(-missing, BURST));
    return {};
  }

  #createPods(key: string, owner: Item, count: number): Promise<Managed> {
    return slowStart(count, 1, async () => {
      const pod = await this.#podControl.create(owner, owner.spec?.template);
      if (pod !== undefined) this.unseen.written(key, this.#pods, pod);
    });
  }

  async #deletePods(key: string, owner: Item, active: readonly PodObject[], count: number): Promise<Managed> {
    const { clock, dialect } = this.#host;
    const related = this.#kind.relatedPods(owner, active).filter(isActive);
    const work = new SharedWork();
    const context = { related, nowMs: clock.now(), dialect };
    const surplus = (await inSlices(work, inDeletionOrder(active, context, work))).slice(0, count);
    return slowStart(surplus.length, surplus.length, async (index) => {
      const pod = surplus[index];
      if (pod === undefined) return;
      if (await this.#podControl.delete(owner, pod)) this.unseen.deleted(key, this.#pods, pod);
    });
  }

  /** Returns `retry` after a conflict: the event of the change that this one conflicts with runs the owner again. */
  async #writeStatus(key: string, owner: Item, active: readonly PodObject[], managed: Managed): Promise<WorkResult> {
    const work = new SharedWork();
    const context = { managed, nowMs: this.#host.clock.now() };
    const status = await inSlices(work, replicaStatus(owner, active, context, work));
    if (sameStatus(owner.status, status)) return;
    return retryingConflicts(this.#storeStatus(key, { ...owner, status }), isNotFound);
  }

  async #storeStatus(key: string, owner: Item): Promise<void> {
    const { client, informer } = this.#kind;
    this.unseen.written(key, informer, await client.namespace(owner.metadata.namespace ?? '').updateStatus(owner));
  }
}
