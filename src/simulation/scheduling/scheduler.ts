import type { ResourceClient } from '../../client/index.js';
import {
  hasReason,
  keyedReconciler,
  markPod,
  objectKey,
  watched,
  type EventSink,
  type Informer,
  type Reconciler,
  type RecordingHost,
  type WorkResult,
} from '../../controllers/index.js';
import { appendTo, formatTime, inSlices, SharedWork, type Steps, type Work } from '../../foundation/index.js';
import { Namespace, Pod, PodDisruptionBudget } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import type { VolumeGate } from '../cloud/volume-gate.js';
import { ClusterState, type NodeState } from '../nodes/cluster-state.js';
import { placedPod, PodsOnNode, type PlacedPod } from '../nodes/pods-on-node.js';
import type { SimulatedNode, SimulatedPod } from '../objects.js';
import type { PodPlan } from '../pods/outcomes.js';
import { findPreemption, priorityOf } from '../pods/preemption.js';
import { bindPod } from './binding.js';
import { availability, placePod, problemText, type NodeProblem, type PlacementContext } from './fit.js';
import { pendingPod, type PendingPod } from './pending-pod.js';
import type { RuleBook } from './rule-book.js';
import { KnownTerms } from './term-pods.js';

/** A pod of the API. */
export type PodObject = ObjectOf<typeof Pod>;
/** The client of pods. */
export type Pods = ResourceClient<PodObject, InputOf<typeof Pod>>;

/** The context that the parts of a simulation share. */
export interface SimulationContext extends RecordingHost {
  readonly pods: Informer<PodObject>;
  readonly podRules: RuleBook<SimulatedPod, PodPlan>;
  /** Resolves when the nodes of the options exist. */
  readonly nodesReady: Promise<void>;
  /** Returns a node as the rules about nodes make it. */
  readonly ruled: (node: SimulatedNode) => SimulatedNode;
  /** Keeps pods from nodes until their claims have volumes; undefined without a fake cloud. */
  readonly volumeGate: VolumeGate | undefined;
}

/** A part that reads nodes. */
export interface NodeObserver {
  setNode(node: SimulatedNode): void;
  removeNode(node: SimulatedNode): void;
}

/** A pod that fits nowhere, and why. */
interface FailedPlacement {
  readonly pending: PendingPod;
  readonly nodes: readonly NodeState[];
  readonly problems: readonly NodeProblem[];
  readonly work: Work;
}

/** Units of work to look at a node or a waiting pod. */
const LOOK_UNITS = 8;

const DEFAULT_SCHEDULER = 'default-scheduler';

/** Why a pod is deleted to make room, as its condition says before. */
const PREEMPTED = {
  ...{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
  message: `${DEFAULT_SCHEDULER}: preempting to accommodate a higher priority pod`,
} as const;

/** Binds pods to nodes, and tells which fit nowhere. */
export class Scheduler implements NodeObserver {
  readonly controller: Reconciler;
  readonly #context: SimulationContext;
  readonly #state = new ClusterState();
  readonly #events: EventSink;
  /** Pods that fit nowhere, which are tried again when something changes. */
  readonly #waiting = new Set<string>();
  /** The nodes on which others make room for waiting pods. */
  readonly #nominated = new Map<string, string>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly #terms = new KnownTerms();

  constructor(context: SimulationContext) {
    this.#context = context;
    const { pods } = context;
    this.controller = keyedReconciler(context, {
      name: 'scheduler',
      watches: [watched(Pod)],
      reconcile: (key) => this.#process(key),
    });
    this.#events = context.recorder.of(DEFAULT_SCHEDULER);
    pods.subscribe({
      added: (pod) => this.#seen(pod),
      updated: (pod, old) => {
        this.#seen(pod);
        if (isBound(pod) && !isBound(old)) this.#retryAffine();
      },
      deleted: (pod) => {
        this.#forget(objectKey(pod));
        if (this.#state.removePod(pod)) this.retry();
      },
    });
    context.podRules.onChange(() => this.retry());
    context.volumeGate?.onChange(() => this.retry());
  }

  setNode(node: SimulatedNode): void {
    this.#state.setNode(node);
    this.retry();
  }

  removeNode(node: SimulatedNode): void {
    this.#state.removeNode(node.metadata.name ?? '');
  }

  /** Tries the pods again that fit nowhere, those of higher priority first. */
  retry(): void {
    const waiting = Array.from(this.#waiting, (key) => ({ key, priority: this.#priority(key) }));
    if (waiting.some(({ priority }) => priority !== waiting[0]?.priority))
      waiting.sort((a, b) => b.priority - a.priority);
    for (const { key } of waiting) this.controller.add(key);
  }

  #priority(key: string): number {
    const pod = this.#context.pods.get(key);
    return pod === undefined ? 0 : priorityOf(pod);
  }

  /** Tries the pods again that wait for others to run beside. */
  #retryAffine(): void {
    for (const key of this.#waiting)
      if (this.#context.pods.get(key)?.spec?.affinity?.podAffinity !== undefined) this.controller.add(key);
  }

  #seen(pod: PodObject): void {
    const before = this.#state.size;
    if (isBound(pod)) {
      this.#forget(objectKey(pod));
      this.#state.setPod(pod);
      if (this.#state.size < before) this.retry();
    } else if (isSchedulable(pod)) {
      const { nominatedNodeName = '' } = pod.status ?? {};
      if (nominatedNodeName !== '') this.#nominated.set(objectKey(pod), nominatedNodeName);
      this.controller.add(objectKey(pod));
    }
  }

  #forget(key: string): void {
    this.#waiting.delete(key);
    this.#nominated.delete(key);
  }

  readonly #namespaceLabels = (name: string): Readonly<Record<string, string>> | undefined =>
    this.#namespaces.get(name);

  get #placementContext(): PlacementContext {
    const { dialect } = this.#context;
    return { dialect, namespaceLabels: this.#namespaceLabels, terms: this.#terms };
  }

  async #process(key: string): Promise<WorkResult> {
    await this.#context.nodesReady;
    const pod = this.#context.pods.get(key);
    if (pod === undefined || isBound(pod) || !isSchedulable(pod)) return;
    // It has been bound, which the informer has not seen. It would preempt others, since it takes the room itself.
    if (this.#state.counts(pod)) return;
    const rule = this.#context.podRules.find(pod);
    if (rule?.plan.unschedulable !== undefined) {
      rule.hit(pod.metadata.uid ?? '');
      return this.#refuse(key, pod, rule.plan.unschedulable.message);
    }
    await this.#readNamespaces(pod);
    const { volumeGate } = this.#context;
    const claims = volumeGate?.claimsOf(pod);
    const work = new SharedWork();
    const nodes = await inSlices(work, this.#nodesFor(key, pod, work));
    if (claims?.problem !== undefined && nodes.length > 0)
      return this.#refuse(key, pod, summaryOf(nodes.length, claims.problem));
    const pending = pendingPod(pod);
    const placement = await inSlices(work, placePod(pending, nodes, this.#placementContext, work));
    if ('problems' in placement) return this.#preempt(key, pod, { pending, nodes, problems: placement.problems, work });
    if (claims !== undefined && claims.delayed.length > 0) {
      // The pod is bound when its claims are.
      this.#waiting.add(key);
      return volumeGate?.select(claims.delayed, placement.nodeName);
    }
    await this.#bind(key, pod, placement.nodeName);
  }

  /** Returns the nodes as a pod finds them: room that pods of its priority or more wait for is taken. */
  *#nodesFor(key: string, pod: PodObject, work: Work): Steps<NodeState[]> {
    const reserved = new Map<string, PlacedPod[]>();
    for (const [other, nodeName] of this.#nominated) {
      if (work.spend(LOOK_UNITS)) yield;
      const waiting = this.#context.pods.get(other);
      if (other === key || waiting === undefined || priorityOf(waiting) < priorityOf(pod)) continue;
      appendTo(reserved, nodeName, placedPod(waiting));
    }
    const nodes: NodeState[] = [];
    for (const state of this.#state.nodes()) {
      if (work.spend(LOOK_UNITS)) yield;
      const ruled = { ...state, node: this.#context.ruled(state.node) };
      const others = reserved.get(state.node.metadata.name ?? '');
      nodes.push(
        others === undefined ? ruled : { ...ruled, on: new PodsOnNode([...state.on.pods.values(), ...others]) },
      );
    }
    return nodes;
  }

  /** Makes room for a pod that fits nowhere, if less important pods can leave; otherwise says why it fits nowhere. */
  async #preempt(
    key: string,
    pod: PodObject,
    { pending, nodes, problems, work }: FailedPlacement,
  ): Promise<WorkResult> {
    const text = problemText(problems);
    if (problems.length === 0) return this.#refuse(key, pod, text);
    const reason = this.#whyNotPreempting(pod, nodes);
    if (reason !== undefined) return this.#refuse(key, pod, `${text} preemption: not eligible due to ${reason}.`);
    const context = {
      ...this.#placementContext,
      nowMs: this.#context.clock.now(),
      budgets: await this.#budgets(pod, nodes),
    };
    const found = await inSlices(work, findPreemption(pending, nodes, problems, context, work));
    if ('hopes' in found) return this.#refuse(key, pod, `${text} preemption: ${availability(found.hopes)}.`);
    for (const victim of found.victims) await this.#evict(victim, pod, found.nodeName);
    this.#nominated.set(key, found.nodeName);
    return this.#refuse(key, pod, text, found.nodeName);
  }

  /** Returns why a pod may not preempt others; undefined when it may. */
  #whyNotPreempting(pod: PodObject, nodes: readonly NodeState[]): string | undefined {
    if (pod.spec?.preemptionPolicy === 'Never') return 'preemptionPolicy=Never';
    const nominated = pod.status?.nominatedNodeName ?? '';
    const state = nodes.find(({ node }) => node.metadata.name === nominated);
    const leaves = [...(state?.on.pods.values() ?? [])].some(
      ({ pod: other }) => other.metadata.deletionTimestamp !== undefined && priorityOf(other) < priorityOf(pod),
    );
    return leaves ? 'a terminating pod on the nominated node' : undefined;
  }

  /** Returns the disruption budgets, when a pod is less important than one that wants its place. */
  async #budgets(pod: PodObject, nodes: readonly NodeState[]) {
    const isVictim = ({ pod: other }: PlacedPod): boolean => priorityOf(other) < priorityOf(pod);
    if (!nodes.some(({ on }) => [...on.pods.values()].some(isVictim))) return [];
    return (await this.#context.client.resource(PodDisruptionBudget).list()).items;
  }

  async #evict(victim: SimulatedPod, { metadata: { uid = '' } }: PodObject, nodeName: string): Promise<void> {
    const { namespace = '', name = '', deletionTimestamp } = victim.metadata;
    const current = this.#context.pods.get(objectKey(victim));
    if (deletionTimestamp !== undefined || current === undefined) return;
    try {
      await markPod(this.#context, current, { condition: PREEMPTED });
      const preconditions = { uid: current.metadata.uid };
      await this.#context.client.resource(Pod).namespace(namespace).delete(name, { preconditions });
      this.#events.event(current, 'Normal', 'Preempted', `Preempted by pod ${uid} on node ${nodeName}`);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  async #bind(key: string, pod: PodObject, nodeName: string): Promise<void> {
    this.#state.place(pod, nodeName);
    try {
      await bindPod(this.#context.client, pod, nodeName);
      this.#forget(key);
    } catch (error) {
      this.#state.removePod(pod);
      // The pod was bound by somebody else, or deleted: its next event tells.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  async #refuse(key: string, pod: PodObject, message: string, nominatedNodeName?: string): Promise<WorkResult> {
    this.#waiting.add(key);
    const conditions = pod.status?.conditions ?? [];
    const known = conditions.find(({ type }) => type === 'PodScheduled');
    const isNominated = nominatedNodeName === undefined || pod.status?.nominatedNodeName === nominatedNodeName;
    if (known?.status === 'False' && known.message === message && isNominated) return;
    const condition = {
      ...{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
      lastTransitionTime:
        (known?.status === 'False' ? known.lastTransitionTime : undefined) ?? formatTime(this.#context.clock.now()),
    };
    const rest = conditions.filter(({ type }) => type !== 'PodScheduled');
    const { namespace = '' } = pod.metadata;
    try {
      await this.#context.client
        .resource(Pod)
        .namespace(namespace)
        .updateStatus({
          ...pod,
          status: {
            ...pod.status,
            ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
            conditions: [...rest, condition],
          },
        });
      this.#events.event(pod, 'Warning', 'FailedScheduling', message);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  /** Reads the labels of the namespaces for a pod whose affinity selects namespaces by label. */
  async #readNamespaces({ spec }: SimulatedPod): Promise<void> {
    const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
    const terms = [podAffinity, podAntiAffinity].flatMap(
      (side) => side?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    );
    if (terms.every(({ namespaceSelector }) => namespaceSelector === undefined)) return;
    const { items } = await this.#context.client.resource(Namespace).list();
    for (const { metadata } of items) this.#namespaces.set(metadata.name ?? '', metadata.labels ?? {});
  }
}

/** Returns the message about a problem that does not depend on the node. */
const summaryOf = (nodes: number, problem: string): string =>
  `0/${nodes} nodes are available: ${problem}. preemption: 0/${nodes} nodes are available: ${nodes} Preemption is not helpful for scheduling.`;

const isBound = ({ spec }: SimulatedPod): boolean => (spec?.nodeName ?? '') !== '';

/** Returns whether the scheduler is to place a pod. */
function isSchedulable({ spec, metadata }: SimulatedPod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (spec?.schedulingGates ?? []).length === 0 &&
    (spec?.schedulerName ?? DEFAULT_SCHEDULER) === DEFAULT_SCHEDULER
  );
}
