import { equalJson } from '../../../foundation/index.js';
import { Deployment, Pod, ReplicaSet } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import { byNamespace, objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import { BY_CONTROLLER, byController } from '../shared/controller-ref.js';
import type { PodObject } from '../shared/kinds.js';
import { hasEnded } from '../shared/pod-state.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../shared/unseen-writes.js';
import { ownerIn, watchDependents } from '../shared/watch-dependents.js';
import type { WorkloadOptions } from '../shared/workload-options.js';
import { rolloutAnnotations } from './annotations.js';
import { conditionOf, REASON } from './conditions.js';
import { actualPods, isRollingUpdate, progressDeadline } from './limits.js';
import { activeSets, isScaled } from './replica-sets.js';
import { Rollout, RunAgain, type RolloutTools } from './rollout.js';
import { newSetSize, oldSetSizes, sizesAfterScaling } from './scaling.js';
import { countedStatus, deadlineOf, isComplete, rolloutStatus } from './status.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** Time after the deadline at which a rollout is examined: the deadline itself has not passed yet. */
const AFTER_DEADLINE_MS = 1000;

/** Rolls deployments out by their replica sets. */
export function deploymentController(options: WorkloadOptions): Controller {
  const { client, clock, dialect, informers, recorder, onError } = options;
  const deployments = informers.of(Deployment);
  const replicaSets = informers.of(ReplicaSet);
  const pods = informers.of(Pod);
  deployments.addIndex('byNamespace', byNamespace);
  replicaSets.addIndex(BY_CONTROLLER, byController);
  pods.addIndex(BY_CONTROLLER, byController);
  const unseen = new UnseenWrites();
  const events = recorder.of('deployment-controller');
  const names = rolloutAnnotations(dialect);
  const tools: RolloutTools = { client, clock, events, names, deployments, replicaSets, unseen };
  const queue = new WorkQueue<string>({
    name: 'deployment',
    clock,
    process,
    gathers: true,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (deployment: DeploymentObject): void => void queue.add(objectKey(deployment));
  deployments.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  const watched = { kind: 'Deployment', owners: deployments, selectorOf, enqueue };
  watchDependents(replicaSets, watched);
  pods.subscribe({ deleted: podDeleted });

  /** The last pod of the old replica sets is gone: the strategy Recreate may go on. */
  function podDeleted(pod: PodObject): void {
    const set = ownerIn(pod, { kind: 'ReplicaSet', owners: replicaSets });
    const deployment = set === undefined ? undefined : ownerIn(set, watched);
    if (deployment !== undefined && !isRollingUpdate(deployment)) enqueue(deployment);
  }

  async function process(key: string): Promise<WorkResult> {
    const deployment = deployments.get(key);
    if (deployment === undefined) {
      unseen.forget(key);
      return;
    }
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    try {
      await sync(key, deployment);
    } catch (error) {
      // The event of the change that this run conflicts with, or has made, starts the next one.
      if (error instanceof RunAgain) return;
      if (hasReason(error, 'Conflict')) return 'retry';
      // A deployment that is gone, or goes with its namespace, needs no rollout.
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async function sync(key: string, deployment: DeploymentObject): Promise<void> {
    if (equalJson(deployment.spec?.selector ?? {}, {})) return refuse(key, deployment);
    const rollout = new Rollout(key, deployment, await claimReplicaSets(key, deployment), tools);
    await rollout.syncRevision();
    if (deployment.metadata.deletionTimestamp === undefined) await step(rollout);
    else await rollout.finish((before, sets) => countedStatus(deployment, before, sets, clock.now()));
    wakeAtDeadline(key, rollout);
  }

  async function refuse(key: string, deployment: DeploymentObject): Promise<void> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    events.event(deployment, 'Warning', 'SelectingAll', message);
    await new Rollout(key, deployment, [], tools).finish((before) => ({
      ...before,
      observedGeneration: deployment.metadata.generation,
    }));
  }

  function claimReplicaSets(key: string, deployment: DeploymentObject): Promise<ReplicaSetObject[]> {
    const { namespace = '', name = '' } = deployment.metadata;
    const owners = client.resource(Deployment).namespace(namespace);
    const dependents = { client: client.resource(ReplicaSet).namespace(namespace), informer: replicaSets, unseen };
    return claim({
      owner: deployment,
      selector: selectorOf(deployment),
      dependents: replicaSets,
      ...claimRequests(key, owners, name, dependents),
    });
  }

  async function step(rollout: Rollout): Promise<void> {
    const { deployment } = rollout;
    markPause(rollout);
    if (deployment.spec?.paused === true || isScaled(deployment, rollout.all, names)) return scale(rollout);
    if (isRollingUpdate(deployment)) await rollOver(rollout);
    else await recreate(rollout);
    if (isComplete(deployment, deployment.status ?? {})) await rollout.cleanUp();
    await rollout.finish((before, sets) => rolloutStatus(deployment, before, sets, clock.now()));
  }

  /** Time does not count against a paused rollout. */
  function markPause(rollout: Rollout): void {
    const reason = conditionOf(rollout.status, 'Progressing')?.reason;
    if (reason === REASON.timedOut) return;
    const paused = rollout.deployment.spec?.paused === true;
    if (paused && reason !== REASON.paused) rollout.setProgress('Unknown', REASON.paused, 'Deployment is paused');
    if (!paused && reason === REASON.paused) rollout.setProgress('Unknown', REASON.resumed, 'Deployment is resumed');
  }

  /** Adapts the replica sets to another number of replicas, without a step of the rollout. */
  async function scale(rollout: Rollout): Promise<void> {
    const { deployment } = rollout;
    await rollout.resize(sizesAfterScaling(deployment, rollout.sets, names));
    if (deployment.spec?.paused === true) await rollout.cleanUp();
    await rollout.finish((before, sets) => countedStatus(deployment, before, sets, clock.now()));
  }

  /** Makes a step of a rolling update: either adds new pods or removes old ones. */
  async function rollOver(rollout: Rollout): Promise<void> {
    await rollout.createCurrent();
    const { current } = rollout.sets;
    if (current === undefined) return;
    const grown = { set: current, replicas: newSetSize(rollout.deployment, rollout.sets, current) };
    if (await rollout.resize([grown])) return;
    await rollout.resize(oldSetSizes(rollout.deployment, rollout.sets));
  }

  /** Removes all old pods, and creates the new ones when the old ones have ended. */
  async function recreate(rollout: Rollout): Promise<void> {
    const { old } = rollout.sets;
    if (await rollout.resize(activeSets(old).map((set) => ({ set, replicas: 0 })))) return;
    if (actualPods(old) > 0 || old.some(hasRunningPods)) return;
    await rollout.createCurrent();
    const { current } = rollout.sets;
    if (current !== undefined)
      await rollout.resize([{ set: current, replicas: rollout.deployment.spec?.replicas ?? 1 }]);
  }

  const hasRunningPods = ({ metadata }: ReplicaSetObject): boolean =>
    pods.find(BY_CONTROLLER, metadata.uid ?? '').some((pod) => !hasEnded(pod));

  function wakeAtDeadline(key: string, { deployment }: Rollout): void {
    const { status = {} } = deployment;
    const deadline = deadlineOf(deployment, status);
    const reason = conditionOf(status, 'Progressing')?.reason;
    if (deadline === undefined || progressDeadline(deployment) === undefined) return;
    if (reason === REASON.timedOut || reason === REASON.available || isComplete(deployment, status)) return;
    queue.addAfter(key, Math.max(0, deadline - clock.now()) + AFTER_DEADLINE_MS);
  }

  return { name: 'deployment', informers: () => [deployments, replicaSets, pods], queues: [queue] };
}

const selectorOf = ({ spec }: DeploymentObject): LabelSelector => LabelSelector.fromObject(spec?.selector);
