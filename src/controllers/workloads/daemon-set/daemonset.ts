import { appendAll, equalJson } from '../../../foundation/index.js';
import { ControllerRevision, DaemonSet, Node, Pod } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import type { Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { isNamespaceTerminating, retryingConflicts } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-reconciler.js';
import { owned } from '../../runtime/owned.js';
import { specSelectors, type SelectorOf } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import { watched } from '../../runtime/watch.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import type { NodeObject, PodObject } from '../shared/kinds.js';
import { PodControl } from '../shared/pod-control.js';
import { hasEnded, isTerminating, nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { slowStart } from '../shared/slow-start.js';
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
export function daemonSetController(host: RecordingHost): Controller {
  const { dialect, informers } = host;
  const sets = informers.of(DaemonSet);
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  const revisions = informers.of(ControllerRevision);
  const selectorOf = specSelectors<DaemonSetObject>();
  const daemons = new Daemons(host, selectorOf);
  const setsWhere = (concerns: (set: DaemonSetObject) => boolean): string[] =>
    [...sets.values()].filter(concerns).map(objectKey);
  const setsOn = (node: NodeObject): string[] => setsWhere((set) => decisionFor(set, node, dialect).run);
  return reconciler<DaemonSetObject>(host, {
    name: 'daemonset',
    queue: 'daemonset',
    gathers: true,
    kind: sets,
    owns: [owned(pods, { kind: 'DaemonSet', selectorOf }), owned(revisions, { kind: 'DaemonSet', selectorOf })],
    watches: [
      watched(nodes, {
        added: setsOn,
        updated(node, old) {
          // Most updates are heartbeats.
          const isSame =
            equalJson(node.metadata.labels, old.metadata.labels) && equalJson(node.spec?.taints, old.spec?.taints);
          return isSame ? [] : setsWhere((set) => isDecidedOtherwise(set, node, old));
        },
        deleted: setsOn,
      }),
    ],
    writes: daemons.unseen,
    reconcile: (set, run) => daemons.reconcile(set, run),
    gone: (key) => daemons.forget(key),
  });

  function isDecidedOtherwise(set: DaemonSetObject, node: NodeObject, old: NodeObject): boolean {
    return !equalJson({ ...decisionFor(set, node, dialect) }, { ...decisionFor(set, old, dialect) });
  }
}

/** A run of a daemon set, with what it found. */
interface DaemonRun {
  readonly set: DaemonSetObject;
  readonly run: Run;
  readonly known: DaemonRevisions;
  readonly byNode: NodePods;
  /** By name of the node. */
  readonly decisions: ReadonlyMap<string, NodeDecision>;
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
  readonly #selectorOf: SelectorOf<DaemonSetObject>;

  constructor(host: RecordingHost, selectorOf: SelectorOf<DaemonSetObject>) {
    const { client, informers, recorder } = host;
    this.#host = host;
    this.#selectorOf = selectorOf;
    this.#sets = informers.of(DaemonSet);
    this.#pods = informers.of(Pod);
    this.#nodes = informers.of(Node);
    this.#events = recorder.of('daemonset-controller');
    this.#podControl = new PodControl(client, this.#events);
    this.#history = new DaemonHistory(client, informers.of(ControllerRevision), this.unseen, selectorOf);
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
    const { clock, dialect } = this.#host;
    const known = await this.#history.revisionsOf(run.key, set);
    const claimed = await this.#claimPods(run.key, set);
    const decisions = new Map(
      [...this.#nodes.values()].map((node) => [objectKey(node), decisionFor(set, node, dialect)]),
    );
    const daemonRun: DaemonRun = { set, run, known, byNode: podsByNode(claimed), decisions };
    const changes = this.#changesOf(daemonRun);
    let failure = await this.#apply(daemonRun, changes);
    if (failure === undefined && changes.remove.length + changes.add.length === 0) {
      failure = await this.#apply(daemonRun, this.#nextUpdate(daemonRun));
      if (failure === undefined) await this.#history.truncate(run.key, set, known, claimed);
    }
    await this.#writeStatus(daemonRun);
    if (failure !== undefined) throw failure.error;
    const now = clock.now();
    run.requeueAfter(nextAvailable(claimed, set.spec?.minReadySeconds ?? 0, now) - now);
  }

  #claimPods(key: string, set: DaemonSetObject): Promise<PodObject[]> {
    const { client } = this.#host;
    const { namespace = '', name = '' } = set.metadata;
    const dependents = {
      client: client.resource(Pod).namespace(namespace),
      informer: this.#pods,
      unseen: this.unseen,
    };
    return claim({
      owner: set,
      selector: (work) => this.#selectorOf(set, work),
      dependents: this.#pods,
      ...claimRequests(key, client.resource(DaemonSet).namespace(namespace), name, dependents),
    });
  }

  /** Returns the pods that nodes lack, and those that they must not have. */
  #changesOf(daemonRun: DaemonRun): Changes {
    const { byNode, decisions } = daemonRun;
    const changes: Changes = { remove: [], add: [] };
    for (const [node, { run, keep }] of decisions) {
      const found = byNode.get(node);
      if (run && found === undefined) changes.add.push(node);
      else if (found !== undefined) appendAll(changes.remove, this.#superfluous(daemonRun, node, found, keep));
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

  /** Returns the pods that a node must not have. */
  #superfluous(
    { set, run, known }: DaemonRun,
    node: string,
    found: readonly PodObject[],
    keep: boolean,
  ): readonly PodObject[] {
    const alive = found.filter((pod) => !isTerminating(pod));
    if (!keep) return alive;
    const ended = alive.filter((pod) => hasEnded(pod) && this.#mayReplace(run, set, node, pod));
    const surplus = surplusOf(
      alive.filter((pod) => !hasEnded(pod)),
      { set, hash: known.hash, nowMs: this.#host.clock.now() },
    );
    return [...ended, ...surplus];
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

  #nextUpdate({ set, known, byNode, decisions }: DaemonRun): Changes {
    if (set.spec?.updateStrategy?.type === 'OnDelete') return { remove: [], add: [] };
    const all = new Map(byNode);
    let desired = 0;
    for (const [node, { run }] of decisions) {
      if (!run) continue;
      desired += 1;
      if (!all.has(node)) all.set(node, []);
    }
    const step = updateStep(all, desired, { set, hash: known.hash, nowMs: this.#host.clock.now() });
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

  async #writeStatus({ set, run: { key }, known, byNode, decisions }: DaemonRun): Promise<void> {
    const { client, clock } = this.#host;
    const wanted = new Map([...decisions].map(([node, { run }]) => [node, run]));
    const counted = daemonStatus(set, wanted, byNode, known.hash, clock.now());
    const status =
      known.collisions === (set.status?.collisionCount ?? 0)
        ? counted
        : { ...counted, collisionCount: known.collisions };
    if (sameStatus(set.status, status)) return;
    this.unseen.written(key, this.#sets, await client.resource(DaemonSet).updateStatus({ ...set, status }));
  }
}
