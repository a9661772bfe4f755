import { appendAll, equalJson, inSlices, SharedWork, type Steps, type Work } from '../../../foundation/index.js';
import { ControllerRevision, DaemonSet, Node, Pod } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import type { Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { isNamespaceTerminating, retryingConflicts } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { owned } from '../../runtime/owned.js';
import { specSelectors, type SelectorOf } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { watchedInSlices } from '../../runtime/sliced-watch.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claiming, type Claims } from '../shared/claiming.js';
import type { NodeObject, PodObject } from '../shared/kinds.js';
import { PodControl } from '../shared/pod-control.js';
import { hasEnded, isTerminating, nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { slowStart } from '../shared/slow-start.js';
import { DaemonPlacement, daemonPodChanges, type NodeDecision } from './daemon-pod.js';
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
export function daemonSetController(host: RecordingHost): Controller {
  const { dialect, informers } = host;
  const sets = informers.of(DaemonSet);
  const selectorOf = specSelectors<DaemonSetObject>();
  const placements = new WeakMap<DaemonSetObject, DaemonPlacement>();
  const daemons = new Daemons(host, { selectorOf, placementOf });
  return reconciler(host, {
    name: 'daemonset',
    queue: 'daemonset',
    gathers: true,
    kind: DaemonSet,
    owns: [owned(Pod, { selectorOf }), owned(ControllerRevision, { selectorOf })],
    watches: [watchedInSlices(Node, setsOf)],
    writes: daemons.unseen,
    reconcile: (set, run) => daemons.reconcile(set, run),
    gone: (key) => daemons.forget(key),
  });

  function placementOf(set: DaemonSetObject): DaemonPlacement {
    const known = placements.get(set);
    if (known !== undefined) return known;
    const placement = new DaemonPlacement(set, dialect);
    placements.set(set, placement);
    return placement;
  }

  /** Returns the sets for which a change of a node means something. */
  function* setsOf(node: NodeObject | undefined, old: NodeObject | undefined, work: Work): Steps<string[]> {
    // Most updates are heartbeats.
    if (node !== undefined && old !== undefined && hasSamePlace(node, old)) return [];
    const either = node ?? old;
    const keys: string[] = [];
    if (either === undefined) return keys;
    for (const set of sets.values()) {
      const placement = placementOf(set);
      if (work.spend(placement.unitsFor(either) + LOOK_UNITS)) yield;
      const [now, before] = [node && placement.on(node), old && placement.on(old)];
      const concerns =
        now === undefined || before === undefined
          ? (now ?? before)?.run === true
          : now.run !== before.run || now.keep !== before.keep;
      if (concerns) keys.push(objectKey(set));
    }
    return keys;
  }
}

const hasSamePlace = (node: NodeObject, old: NodeObject): boolean =>
  equalJson(node.metadata.labels, old.metadata.labels) && equalJson(node.spec?.taints, old.spec?.taints);

/** Units of work to look at a set, a node or a pod. */
const LOOK_UNITS = 4;

/** Derived facts of a daemon set, made once for each version of it. */
interface SetFacts {
  readonly selectorOf: SelectorOf<DaemonSetObject>;
  readonly placementOf: (set: DaemonSetObject) => DaemonPlacement;
}

/** A run of a daemon set, with what it found. */
interface DaemonRun {
  readonly set: DaemonSetObject;
  readonly run: Run;
  readonly known: DaemonRevisions;
  readonly byNode: NodePods;
  /** By name of the node. */
  readonly decisions: ReadonlyMap<string, NodeDecision>;
  readonly nowMs: number;
  readonly work: Work;
}

class Daemons {
  readonly unseen = new UnseenWrites();
  readonly #host: RecordingHost;
  readonly #sets: Informer<DaemonSetObject>;
  readonly #pods: Informer<PodObject>;
  readonly #nodes: Informer<NodeObject>;
  readonly #events: EventSink;
  readonly #podControl: PodControl;
  readonly #failedPods = new FailedPods();
  readonly #history: DaemonHistory;
  readonly #facts: SetFacts;
  readonly #claimPods: Claims<DaemonSetObject, PodObject>;

  constructor(host: RecordingHost, facts: SetFacts) {
    const { client, informers, recorder } = host;
    this.#host = host;
    this.#facts = facts;
    this.#sets = informers.of(DaemonSet);
    this.#pods = informers.of(Pod);
    this.#nodes = informers.of(Node);
    this.#events = recorder.of('daemonset-controller');
    this.#podControl = new PodControl(client, this.#events);
    this.#history = new DaemonHistory(client, informers.of(ControllerRevision), this.unseen, facts.selectorOf);
    this.#claimPods = claiming({
      ...{ selectorOf: facts.selectorOf, informer: this.#pods, unseen: this.unseen },
      owners: client.resource(DaemonSet),
      dependents: client.resource(Pod),
    });
  }

  forget(key: string): void {
    this.#failedPods.forget(key);
  }

  async reconcile(set: DaemonSetObject, run: Run): Promise<WorkResult> {
    if (equalJson(set.spec?.selector ?? {}, {})) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      this.#events.event(set, 'Warning', 'SelectingAll', message);
      return;
    }
    if (set.metadata.deletionTimestamp !== undefined) return;
    return retryingConflicts(this.#sync(set, run), isNamespaceTerminating);
  }

  async #sync(set: DaemonSetObject, run: Run): Promise<void> {
    const { clock } = this.#host;
    const known = await this.#history.revisionsOf(run.key, set);
    const claimed = await this.#claimPods(run.key, set);
    const work = new SharedWork();
    const daemonRun = await inSlices(work, this.#examine(set, { run, known, nowMs: clock.now(), work }, claimed));
    const changes = await inSlices(work, this.#changesOf(daemonRun));
    let failure = await this.#apply(daemonRun, changes);
    if (failure === undefined && changes.remove.length + changes.add.length === 0) {
      failure = await this.#apply(daemonRun, await inSlices(work, this.#nextUpdate(daemonRun)));
      if (failure === undefined) await this.#history.truncate(run.key, set, known, claimed);
    }
    await this.#writeStatus(daemonRun);
    if (failure !== undefined) throw failure.error;
    const now = clock.now();
    run.requeueAfter(nextAvailable(claimed, set.spec?.minReadySeconds ?? 0, now) - now);
  }

  /** Decides about all nodes. */
  *#examine(
    set: DaemonSetObject,
    facts: Pick<DaemonRun, 'run' | 'known' | 'nowMs' | 'work'>,
    claimed: readonly PodObject[],
  ): Steps<DaemonRun> {
    const { work } = facts;
    const placement = this.#facts.placementOf(set);
    const decisions = new Map<string, NodeDecision>();
    for (const node of this.#nodes.values()) {
      if (work.spend(placement.unitsFor(node))) yield;
      decisions.set(objectKey(node), placement.on(node));
    }
    return { ...facts, set, byNode: yield* podsByNode(claimed, work), decisions };
  }

  /** Returns the pods that nodes lack, and those that they must not have. */
  *#changesOf(daemonRun: DaemonRun): Steps<Changes> {
    const { byNode, decisions, work } = daemonRun;
    const changes: Changes = { remove: [], add: [] };
    for (const [node, { run, keep }] of decisions) {
      if (work.spend(LOOK_UNITS)) yield;
      const found = byNode.get(node);
      if (run && found === undefined) changes.add.push(node);
      else if (found !== undefined) appendAll(changes.remove, yield* this.#superfluous(daemonRun, node, found, keep));
    }
    // Pods that were never bound wait for a node that is gone.
    for (const [node, waiting] of byNode) {
      if (work.spend(LOOK_UNITS * waiting.length)) yield;
      if (!decisions.has(node))
        appendAll(
          changes.remove,
          waiting.filter((pod) => !pod.spec?.nodeName && !isTerminating(pod)),
        );
    }
    return changes;
  }

  /** Returns the pods that a node must not have. */
  *#superfluous(
    { set, run, known, nowMs, work }: DaemonRun,
    node: string,
    found: readonly PodObject[],
    keep: boolean,
  ): Steps<readonly PodObject[]> {
    if (work.spend(LOOK_UNITS * found.length)) yield;
    const alive = found.filter((pod) => !isTerminating(pod));
    if (!keep) return alive;
    const ended = alive.filter((pod) => hasEnded(pod) && this.#mayReplace(run, set, node, pod));
    const running = alive.filter((pod) => !hasEnded(pod));
    return [...ended, ...(yield* surplusOf(running, { set, hash: known.hash, nowMs }, work))];
  }

  /** Returns whether a pod that has ended is replaced now. Failed pods are replaced after growing pauses. */
  #mayReplace(run: Run, set: DaemonSetObject, node: string, pod: PodObject): boolean {
    const { namespace = '', name = '' } = pod.metadata;
    if (pod.status?.phase === 'Succeeded') {
      const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
      this.#events.event(set, 'Normal', 'SucceededDaemonPod', message);
      return true;
    }
    const place = `${set.status?.observedGeneration ?? 0}/${node}`;
    const pause = this.#failedPods.pauseBefore(run.key, place, this.#host.clock.now());
    if (pause > 0) {
      run.requeueAfter(pause);
      return false;
    }
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
    this.#events.event(set, 'Warning', 'FailedDaemonPod', message);
    return true;
  }

  *#nextUpdate({ set, known, byNode, decisions, nowMs, work }: DaemonRun): Steps<Changes> {
    if (set.spec?.updateStrategy?.type === 'OnDelete') return { remove: [], add: [] };
    const all = new Map(byNode);
    let desired = 0;
    for (const [node, { run }] of decisions) {
      if (work.spend(LOOK_UNITS)) yield;
      if (!run) continue;
      desired += 1;
      if (!all.has(node)) all.set(node, []);
    }
    const step = yield* updateStep(all, desired, { set, hash: known.hash, nowMs }, work);
    return { remove: [...step.remove], add: [...step.add] };
  }

  async #apply(
    { set, run: { key }, known }: DaemonRun,
    { remove, add }: Changes,
  ): Promise<{ readonly error: unknown } | undefined> {
    const create = add.slice(0, BURST);
    const created = await slowStart(create.length, 1, async (index) => {
      const changes = daemonPodChanges(set, create[index] ?? '', known.hash, this.#host.dialect);
      const pod = await this.#podControl.create(set, set.spec?.template, changes);
      if (pod !== undefined) this.unseen.written(key, this.#pods, pod);
    });
    const surplus = remove.slice(0, BURST);
    const deleted = await slowStart(surplus.length, surplus.length, async (index) => {
      const pod = surplus[index];
      if (pod === undefined) return;
      await this.#podControl.delete(set, pod);
      this.unseen.deleted(key, this.#pods, pod);
    });
    const error = created.error ?? deleted.error;
    return error === undefined ? undefined : { error };
  }

  async #writeStatus({ set, run: { key }, known, byNode, decisions, work }: DaemonRun): Promise<void> {
    const { client, clock } = this.#host;
    const context = { set, hash: known.hash, nowMs: clock.now() };
    const counted = await inSlices(work, daemonStatus(context, decisions, byNode, work));
    const status =
      known.collisions === (set.status?.collisionCount ?? 0)
        ? counted
        : { ...counted, collisionCount: known.collisions };
    if (sameStatus(set.status, status)) return;
    this.unseen.written(key, this.#sets, await client.resource(DaemonSet).updateStatus({ ...set, status }));
  }
}
