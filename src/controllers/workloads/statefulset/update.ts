import { inSlices, type Dialect, type Steps, type Work } from '../../../foundation/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import type { PodObject } from '../shared/kinds.js';
import { isTerminating } from '../shared/pod-state.js';
import { slowStart } from '../shared/slow-start.js';
import {
  claimTemplates,
  firstOrdinal,
  identityMatches,
  ordinalOf,
  podRevision,
  replicasOf,
  storageMatches,
} from './identity.js';
import {
  countsOf,
  firstUnhealthy,
  isHealthy,
  isRunningAndAvailable,
  isRunningAndReady,
  placesOf,
  type Slots,
} from './slots.js';
import type { SetRevision, StatefulPods } from './stateful-pods.js';
import type { StatefulSetObject, StatefulSetStatus } from './types.js';

/** Maximum number of pods that a step of a parallel set creates. They cause the next step. */
const BURST = 500;
/** Units of work to look at a pod. */
const POD_UNITS = 8;

/** The parts that a step of a stateful set works with. */
export interface SetStepOptions {
  readonly key: string;
  readonly set: StatefulSetObject;
  readonly current: SetRevision;
  readonly update: SetRevision;
  readonly collisions: number;
  /** The pods of the set by their places. */
  readonly slots: Slots;
  readonly work: Work;
  readonly nowMs: number;
  readonly dialect: Dialect;
  readonly control: StatefulPods;
  readonly events: EventSink;
}

/**
 * One step of a stateful set towards its desired pods: creates and repairs the wanted pods, deletes the others, then
 * replaces pods of old revisions. An ordered set waits after each change until the pod is available or gone; a parallel
 * set waits only when it replaces pods. Source: the behaviour of release 1.31.
 */
export class SetStep {
  readonly #options: SetStepOptions;
  readonly #slots: Slots;
  /** Whether the set makes one change at a time. */
  readonly #ordered: boolean;
  readonly #minReadySeconds: number;
  #replaced = 0;

  constructor(options: SetStepOptions) {
    const { spec } = options.set;
    this.#options = options;
    this.#slots = options.slots;
    this.#ordered = spec?.podManagementPolicy !== 'Parallel';
    this.#minReadySeconds = spec?.minReadySeconds ?? 0;
  }

  /** Makes the step. @throws the error of the change that fails */
  async run(): Promise<void> {
    const { set } = this.#options;
    if (set.metadata.deletionTimestamp !== undefined) return;
    if (await this.#eachReplica()) return;
    await this.#claimsOfCondemned();
    if (await this.#eachCondemned()) return;
    if (set.spec?.updateStrategy?.type !== 'OnDelete') await this.#replaceOne();
  }

  /** Returns the status after the step. */
  *status(): Steps<StatefulSetStatus> {
    const { set, current, update, collisions, nowMs, work } = this.#options;
    const names = { current: current.name, update: update.name };
    const counts = yield* countsOf(this.#slots, names, this.#minReadySeconds, nowMs, work);
    const status = {
      ...counts,
      currentReplicas: counts.currentReplicas - this.#replaced,
      observedGeneration: set.metadata.generation,
      currentRevision: current.name,
      updateRevision: update.name,
      collisionCount: set.status?.collisionCount === undefined && collisions === 0 ? undefined : collisions,
    };
    const complete = counts.updatedReplicas === counts.replicas && counts.readyReplicas === counts.replicas;
    if (set.spec?.updateStrategy?.type === 'OnDelete' || !complete) return status;
    return { ...status, currentReplicas: counts.updatedReplicas, currentRevision: update.name };
  }

  /** Returns whether the step ends here. */
  async #eachReplica(): Promise<boolean> {
    const places = placesOf(this.#slots, this.#ordered ? 1 : BURST);
    return this.#each(places.length, (index) => this.#replica(places[index] ?? 0));
  }

  async #each(count: number, change: (index: number) => Promise<boolean>): Promise<boolean> {
    if (this.#ordered) {
      for (let index = 0; index < count; index += 1) if (await change(index)) return true;
      return false;
    }
    const { error } = await slowStart(count, 1, async (index) => {
      await change(index);
    });
    if (error !== undefined) throw error;
    return false;
  }

  /** Brings one wanted pod closer to its state. Returns whether an ordered set has to wait for it. */
  async #replica(index: number): Promise<boolean> {
    const { key, set, control, nowMs, work } = this.#options;
    const ordinal = firstOrdinal(set) + index;
    const pod = this.#slots.replicas.get(index);
    if (pod === undefined) {
      if (await inSlices(work, control.claims.areStale(set, ordinal, work))) return true;
      await control.create(key, set, ordinal, this.#revisionFor(ordinal));
      return true;
    }
    if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return this.#replaceEnded(pod);
    if (pod.status?.phase === 'Pending') await control.claims.ensure(key, set, ordinal);
    if (isTerminating(pod) || !isRunningAndAvailable(pod, this.#minReadySeconds, nowMs)) if (this.#ordered) return true;
    const matches = await inSlices(work, this.#isComplete(pod, ordinal));
    if (!matches && !isTerminating(pod)) await control.repair(key, set, pod, ordinal);
    return false;
  }

  /** Returns whether a pod has its identity, its volumes, and claims with the right owners. */
  *#isComplete(pod: PodObject, ordinal: number): Steps<boolean> {
    const { set, control, dialect, work } = this.#options;
    if (work.spend(POD_UNITS)) yield;
    return (
      identityMatches(pod, dialect) &&
      (yield* storageMatches(set, pod, ordinal, work)) &&
      (yield* control.claims.followPolicy(set, pod, ordinal, work))
    );
  }

  async #replaceEnded(pod: PodObject): Promise<boolean> {
    const { key, set, control, events } = this.#options;
    if (isTerminating(pod)) return true;
    const { namespace = '', name = '' } = set.metadata;
    const failed = pod.status?.phase === 'Failed';
    events.event(
      set,
      failed ? 'Warning' : 'Normal',
      failed ? 'RecreatingFailedPod' : 'RecreatingTerminatedPod',
      `StatefulSet ${namespace}/${name} is recreating ${failed ? 'failed' : 'terminated'} Pod ${pod.metadata.name ?? ''}`,
    );
    await control.delete(key, set, pod);
    // The next run creates the pod again, when this one is gone.
    return true;
  }

  /** Pods below the partition, or of the part that the rollout has not reached, keep the revision it started from. */
  #revisionFor(ordinal: number): SetRevision {
    const { set, current, update } = this.#options;
    const { type = 'RollingUpdate', rollingUpdate } = set.spec?.updateStrategy ?? {};
    if (type !== 'RollingUpdate') return update;
    const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
    return ordinal < firstOrdinal(set) + kept ? current : update;
  }

  /** The claims of pods that are scaled away get their owners before the pods are deleted. */
  async #claimsOfCondemned(): Promise<void> {
    const { key, set, control, work } = this.#options;
    if (claimTemplates(set).length === 0) return;
    for (const pod of this.#slots.condemned) {
      const ordinal = ordinalOf(set, pod) ?? 0;
      if (!(await inSlices(work, control.claims.followPolicy(set, pod, ordinal, work))))
        await control.claims.applyPolicy(key, set, pod, ordinal);
    }
  }

  async #eachCondemned(): Promise<boolean> {
    const { key, set, control, nowMs, work } = this.#options;
    const { condemned } = this.#slots;
    if (condemned.length === 0) return false;
    const unhealthy = await inSlices(work, firstUnhealthy(this.#slots, work));
    return this.#each(condemned.length, async (index) => {
      const pod = condemned[index];
      if (pod === undefined || isTerminating(pod)) return this.#ordered;
      const waits = !isRunningAndReady(pod) || !isRunningAndAvailable(pod, this.#minReadySeconds, nowMs);
      if (waits && this.#ordered && pod !== unhealthy) return true;
      await control.delete(key, set, pod);
      return this.#ordered;
    });
  }

  /** Deletes the pod of the highest ordinal that has an old revision, unless a pod above it is not healthy. */
  async #replaceOne(): Promise<void> {
    const { key, set, update, control, work } = this.#options;
    const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (let index = replicasOf(set) - 1; index >= partition; index -= 1) {
      if (work.spend(POD_UNITS)) await work.next();
      const pod = this.#slots.replicas.get(index);
      if (pod === undefined) return;
      if (podRevision(pod) !== update.name && !isTerminating(pod)) {
        await control.delete(key, set, pod);
        this.#replaced += 1;
        return;
      }
      if (!isHealthy(pod)) return;
    }
  }
}
