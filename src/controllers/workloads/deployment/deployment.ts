import { equalJson, inSlices, SharedWork } from '../../../foundation/index.js';
import { Deployment, Pod, ReplicaSet } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { BY_CONTROLLER, byController } from '../../runtime/controller-ref.js';
import type { Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { isNamespaceTerminating, retryingConflicts } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { owned, ownerIn } from '../../runtime/owned.js';
import { specSelectors, type SelectorOf } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import { watched } from '../../runtime/watch.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claiming, type Claims } from '../shared/claiming.js';
import type { PodObject } from '../shared/kinds.js';
import { hasEnded } from '../shared/pod-state.js';
import { rolloutAnnotations } from './annotations.js';
import { conditionOf, REASON } from './conditions.js';
import { actualPods, isRollingUpdate, progressDeadline } from './limits.js';
import { activeSets, isScaled, sortedOut } from './replica-sets.js';
import { Rollout, RunAgain, type RolloutTools } from './rollout.js';
import { newSetSize, oldSetSizes, sizesAfterScaling } from './scaling.js';
import { countedStatus, deadlineOf, isComplete, rolloutStatus } from './status.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** Time after the deadline at which a rollout is examined: the deadline itself has not passed yet. */
const AFTER_DEADLINE_MS = 1000;

/** Rolls deployments out by their replica sets. */
export function deploymentController(host: RecordingHost): Controller {
  const { informers } = host;
  const deployments = informers.of(Deployment);
  const replicaSets = informers.of(ReplicaSet);
  const pods = informers.of(Pod);
  pods.addIndex(BY_CONTROLLER, byController);
  const selectorOf = specSelectors<DeploymentObject>();
  const rollouts = new Deployments(host, selectorOf);

  /** The last pod of the old replica sets is gone: the strategy Recreate may go on. */
  const podDeleted = (pod: PodObject): string[] => {
    const set = ownerIn(pod, { kind: 'ReplicaSet', owners: replicaSets });
    const deployment = set && ownerIn(set, { kind: 'Deployment', owners: deployments });
    return deployment === undefined || isRollingUpdate(deployment) ? [] : [objectKey(deployment)];
  };

  return reconciler(host, {
    name: 'deployment',
    queue: 'deployment',
    gathers: true,
    kind: Deployment,
    owns: [owned(ReplicaSet, { selectorOf })],
    watches: [watched(Pod, { changes: { deleted: podDeleted } })],
    writes: rollouts.unseen,
    reconcile: (deployment, run) => rollouts.reconcile(deployment, run),
  });
}

class Deployments {
  readonly unseen = new UnseenWrites();
  readonly #host: RecordingHost;
  readonly #replicaSets: Informer<ReplicaSetObject>;
  readonly #pods: Informer<PodObject>;
  readonly #events: EventSink;
  readonly #tools: RolloutTools;
  readonly #claimReplicaSets: Claims<DeploymentObject, ReplicaSetObject>;

  constructor(host: RecordingHost, selectorOf: SelectorOf<DeploymentObject>) {
    const { client, clock, dialect, informers, recorder } = host;
    this.#host = host;
    this.#replicaSets = informers.of(ReplicaSet);
    this.#pods = informers.of(Pod);
    this.#events = recorder.of('deployment-controller');
    this.#tools = {
      ...{ client, clock, events: this.#events, names: rolloutAnnotations(dialect) },
      ...{ deployments: informers.of(Deployment), replicaSets: this.#replicaSets, unseen: this.unseen },
    };
    this.#claimReplicaSets = claiming({
      ...{ selectorOf, informer: this.#replicaSets, unseen: this.unseen },
      owners: client.resource(Deployment),
      dependents: client.resource(ReplicaSet),
    });
  }

  reconcile(deployment: DeploymentObject, run: Run): Promise<WorkResult> {
    // The event of the change that this run has made starts the next one. A deployment that is gone, or goes with its
    // namespace, needs no rollout.
    return retryingConflicts(
      this.#sync(deployment, run),
      (error) => error instanceof RunAgain || isNamespaceTerminating(error),
    );
  }

  async #sync(deployment: DeploymentObject, run: Run): Promise<void> {
    const { key } = run;
    if (equalJson(deployment.spec?.selector ?? {}, {})) return this.#refuse(key, deployment);
    const owned = await this.#claimReplicaSets(key, deployment);
    const work = new SharedWork();
    const sets = await inSlices(work, sortedOut(deployment, owned, work));
    const rollout = new Rollout(key, deployment, sets, this.#tools);
    await rollout.syncRevision();
    if (deployment.metadata.deletionTimestamp === undefined) await this.#step(rollout);
    else await rollout.finish((before, sets) => countedStatus(deployment, before, sets, this.#host.clock.now()));
    this.#wakeAtDeadline(run, rollout);
  }

  async #refuse(key: string, deployment: DeploymentObject): Promise<void> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    this.#events.event(deployment, 'Warning', 'SelectingAll', message);
    const none = { current: undefined, old: [] };
    await new Rollout(key, deployment, none, this.#tools).finish((before) => ({
      ...before,
      observedGeneration: deployment.metadata.generation,
    }));
  }

  async #step(rollout: Rollout): Promise<void> {
    const { deployment } = rollout;
    this.#markPause(rollout);
    if (deployment.spec?.paused === true || isScaled(deployment, rollout.all, this.#tools.names))
      return this.#scale(rollout);
    if (isRollingUpdate(deployment)) await this.#rollOver(rollout);
    else await this.#recreate(rollout);
    if (isComplete(deployment, deployment.status ?? {})) await rollout.cleanUp();
    await rollout.finish((before, sets) => rolloutStatus(deployment, before, sets, this.#host.clock.now()));
  }

  /** Time does not count against a paused rollout. */
  #markPause(rollout: Rollout): void {
    const reason = conditionOf(rollout.status, 'Progressing')?.reason;
    if (reason === REASON.timedOut) return;
    const paused = rollout.deployment.spec?.paused === true;
    if (paused && reason !== REASON.paused) rollout.setProgress('Unknown', REASON.paused, 'Deployment is paused');
    if (!paused && reason === REASON.paused) rollout.setProgress('Unknown', REASON.resumed, 'Deployment is resumed');
  }

  /** Adapts the replica sets to another number of replicas, without a step of the rollout. */
  async #scale(rollout: Rollout): Promise<void> {
    const { deployment } = rollout;
    await rollout.resize(sizesAfterScaling(deployment, rollout.sets, this.#tools.names));
    if (deployment.spec?.paused === true) await rollout.cleanUp();
    await rollout.finish((before, sets) => countedStatus(deployment, before, sets, this.#host.clock.now()));
  }

  /** Makes a step of a rolling update: either adds new pods or removes old ones. */
  async #rollOver(rollout: Rollout): Promise<void> {
    await rollout.createCurrent();
    const { current } = rollout.sets;
    if (current === undefined) return;
    const grown = { set: current, replicas: newSetSize(rollout.deployment, rollout.sets, current) };
    if (await rollout.resize([grown])) return;
    await rollout.resize(oldSetSizes(rollout.deployment, rollout.sets));
  }

  /** Removes all old pods, and creates the new ones when the old ones have ended. */
  async #recreate(rollout: Rollout): Promise<void> {
    const { old } = rollout.sets;
    if (await rollout.resize(activeSets(old).map((set) => ({ set, replicas: 0 })))) return;
    if (actualPods(old) > 0 || old.some((set) => this.#hasRunningPods(set))) return;
    await rollout.createCurrent();
    const { current } = rollout.sets;
    if (current !== undefined)
      await rollout.resize([{ set: current, replicas: rollout.deployment.spec?.replicas ?? 1 }]);
  }

  #hasRunningPods({ metadata }: ReplicaSetObject): boolean {
    return this.#pods.find(BY_CONTROLLER, metadata.uid ?? '').some((pod) => !hasEnded(pod));
  }

  #wakeAtDeadline(run: Run, { deployment }: Rollout): void {
    const { status = {} } = deployment;
    const deadline = deadlineOf(deployment, status);
    const reason = conditionOf(status, 'Progressing')?.reason;
    if (deadline === undefined || progressDeadline(deployment) === undefined) return;
    if (reason === REASON.timedOut || reason === REASON.available || isComplete(deployment, status)) return;
    run.requeueAfter(Math.max(0, deadline - this.#host.clock.now()) + AFTER_DEADLINE_MS);
  }
}
