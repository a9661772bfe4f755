import { appendAll, equalJson } from '../../../foundation/index.js';
import { ControllerRevision, DaemonSet, Node, Pod } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import { byNamespace, objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import { BY_CONTROLLER, byController } from '../shared/controller-ref.js';
import type { NodeObject, PodObject } from '../shared/kinds.js';
import { PodControl } from '../shared/pod-control.js';
import { hasEnded, isTerminating, nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { slowStart } from '../shared/slow-start.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../shared/unseen-writes.js';
import { watchDependents } from '../shared/watch-dependents.js';
import type { WorkloadOptions } from '../shared/workload-options.js';
import { daemonPodChanges, decisionFor, type NodeDecision } from './daemon-pod.js';
import { FailedPods } from './failed-pods.js';
import { DaemonHistory, type DaemonRevisions } from './history.js';
import { podsByNode, surplusOf, updateStep, type NodePods } from './node-pods.js';
import { daemonStatus } from './status.js';
import type { DaemonSetObject } from './types.js';

/** Maximum number of pods that one run creates or deletes. */
const BURST = 250;

/** The changes of a run. */
interface Changes {
  readonly remove: PodObject[];
  /** Names of nodes that get a pod. */
  readonly add: string[];
}

/** Keeps one pod of each daemon set on every node that it selects. */
export function daemonSetController(options: WorkloadOptions): Controller {
  const { client, clock, dialect, informers, recorder, onError } = options;
  const sets = informers.of(DaemonSet);
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  const revisions = informers.of(ControllerRevision);
  sets.addIndex('byNamespace', byNamespace);
  pods.addIndex(BY_CONTROLLER, byController);
  revisions.addIndex(BY_CONTROLLER, byController);
  const events = recorder.of('daemonset-controller');
  const podControl = new PodControl(client, events);
  const unseen = new UnseenWrites();
  const failedPods = new FailedPods();
  const history = new DaemonHistory(client, revisions, unseen);
  const queue = new WorkQueue<string>({
    name: 'daemonset',
    clock,
    process,
    gathers: true,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (set: DaemonSetObject): void => void queue.add(objectKey(set));
  sets.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  watchDependents(pods, { kind: 'DaemonSet', owners: sets, selectorOf, enqueue });
  watchDependents(revisions, { kind: 'DaemonSet', owners: sets, selectorOf, enqueue });
  nodes.subscribe({
    added: (node) => enqueueWhere((set) => decisionFor(set, node, dialect).run),
    updated: nodeUpdated,
    deleted: (node) => enqueueWhere((set) => decisionFor(set, node, dialect).run),
  });

  function enqueueWhere(concerns: (set: DaemonSetObject) => boolean): void {
    for (const set of sets.values()) if (concerns(set)) enqueue(set);
  }

  function nodeUpdated(node: NodeObject, old: NodeObject): void {
    // Most updates are heartbeats.
    if (equalJson(node.metadata.labels, old.metadata.labels) && equalJson(node.spec?.taints, old.spec?.taints)) return;
    enqueueWhere((set) => !equalJson({ ...decisionFor(set, node, dialect) }, { ...decisionFor(set, old, dialect) }));
  }

  async function process(key: string): Promise<WorkResult> {
    const set = sets.get(key);
    if (set === undefined) {
      unseen.forget(key);
      failedPods.forget(key);
      return;
    }
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    if (equalJson(set.spec?.selector ?? {}, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      events.event(set, 'Warning', 'SelectingAll', message);
      return;
    }
    if (set.metadata.deletionTimestamp !== undefined) return;
    try {
      await sync(key, set);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async function sync(key: string, set: DaemonSetObject): Promise<void> {
    const known = await history.revisionsOf(key, set);
    const claimed = await claimPods(key, set);
    const byNode = podsByNode(claimed);
    const decisions = new Map([...nodes.values()].map((node) => [objectKey(node), decisionFor(set, node, dialect)]));
    const changes = changesOf(key, set, known, byNode, decisions);
    let failure = await apply(key, set, known.hash, changes);
    if (failure === undefined && changes.remove.length + changes.add.length === 0) {
      failure = await apply(key, set, known.hash, nextUpdate(set, known, byNode, decisions));
      if (failure === undefined) await history.truncate(key, set, known, claimed);
    }
    await writeStatus(key, set, known, byNode, decisions);
    if (failure !== undefined) throw failure.error;
    const next = nextAvailable(claimed, set.spec?.minReadySeconds ?? 0, clock.now());
    if (next < Infinity) queue.addAfter(key, next - clock.now());
  }

  function claimPods(key: string, set: DaemonSetObject): Promise<PodObject[]> {
    const { namespace = '', name = '' } = set.metadata;
    const dependents = { client: client.resource(Pod).namespace(namespace), informer: pods, unseen };
    return claim({
      owner: set,
      selector: selectorOf(set),
      dependents: pods,
      ...claimRequests(key, client.resource(DaemonSet).namespace(namespace), name, dependents),
    });
  }

  /** Returns the pods that nodes lack, and those that they must not have. */
  function changesOf(
    key: string,
    set: DaemonSetObject,
    { hash }: DaemonRevisions,
    byNode: NodePods,
    decisions: ReadonlyMap<string, NodeDecision>,
  ): Changes {
    const changes: Changes = { remove: [], add: [] };
    const context = { set, hash, nowMs: clock.now() };
    for (const [node, { run, keep }] of decisions) {
      const present = byNode.get(node);
      if (run && present === undefined) changes.add.push(node);
      else if (present !== undefined) {
        const alive = present.filter((pod) => !isTerminating(pod));
        const ended = keep ? alive.filter((pod) => hasEnded(pod) && mayReplace(key, set, node, pod)) : [];
        const surplus = keep
          ? surplusOf(
              alive.filter((pod) => !hasEnded(pod)),
              context,
            )
          : alive;
        appendAll(changes.remove, ended);
        appendAll(changes.remove, surplus);
      }
    }
    // Pods that were never bound wait for a node that is gone.
    for (const [node, waiting] of byNode)
      if (!decisions.has(node))
        appendAll(
          changes.remove,
          waiting.filter((pod) => !pod.spec?.nodeName && !isTerminating(pod)),
        );
    return changes;
  }

  /** Returns whether a pod that has ended is replaced now. Failed pods are replaced after growing pauses. */
  function mayReplace(key: string, set: DaemonSetObject, node: string, pod: PodObject): boolean {
    const { namespace = '', name = '' } = pod.metadata;
    if (pod.status?.phase === 'Succeeded') {
      const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
      events.event(set, 'Normal', 'SucceededDaemonPod', message);
      return true;
    }
    const place = `${set.status?.observedGeneration ?? 0}/${node}`;
    const pause = failedPods.pauseBefore(key, place, clock.now());
    if (pause > 0) {
      queue.addAfter(key, pause);
      return false;
    }
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    events.event(set, 'Warning', 'FailedDaemonPod', message);
    return true;
  }

  function nextUpdate(
    set: DaemonSetObject,
    { hash }: DaemonRevisions,
    byNode: NodePods,
    decisions: ReadonlyMap<string, NodeDecision>,
  ): Changes {
    if (set.spec?.updateStrategy?.type === 'OnDelete') return { remove: [], add: [] };
    const all = new Map(byNode);
    let desired = 0;
    for (const [node, { run }] of decisions) {
      if (!run) continue;
      desired += 1;
      if (!all.has(node)) all.set(node, []);
    }
    const step = updateStep(all, desired, { set, hash, nowMs: clock.now() });
    return { remove: [...step.remove], add: [...step.add] };
  }

  async function apply(
    key: string,
    set: DaemonSetObject,
    hash: string,
    { remove, add }: Changes,
  ): Promise<{ readonly error: unknown } | undefined> {
    const create = add.slice(0, BURST);
    const created = await slowStart(create.length, 1, async (index) => {
      const changes = daemonPodChanges(set, create[index] ?? '', hash, dialect);
      const pod = await podControl.create(set, set.spec?.template, changes);
      if (pod !== undefined) unseen.written(key, pods, pod);
    });
    const surplus = remove.slice(0, BURST);
    const deleted = await slowStart(surplus.length, surplus.length, async (index) => {
      const pod = surplus[index];
      if (pod === undefined) return;
      await podControl.delete(set, pod);
      unseen.deleted(key, pods, pod);
    });
    const error = created.error ?? deleted.error;
    return error === undefined ? undefined : { error };
  }

  async function writeStatus(
    key: string,
    set: DaemonSetObject,
    { hash, collisions }: DaemonRevisions,
    byNode: NodePods,
    decisions: ReadonlyMap<string, NodeDecision>,
  ): Promise<void> {
    const wanted = new Map([...decisions].map(([node, { run }]) => [node, run]));
    const counted = daemonStatus(set, wanted, byNode, hash, clock.now());
    const status =
      collisions === (set.status?.collisionCount ?? 0) ? counted : { ...counted, collisionCount: collisions };
    if (sameStatus(set.status, status)) return;
    unseen.written(key, sets, await client.resource(DaemonSet).updateStatus({ ...set, status }));
  }

  return { name: 'daemonset', informers: () => [sets, pods, nodes, revisions], queues: [queue] };
}

const selectorOf = ({ spec }: DaemonSetObject): LabelSelector => LabelSelector.fromObject(spec?.selector);
