import type { Client, ResourceClient } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { formatTime } from '../../meta/time.js';
import type { Dialect } from '../../names/dialect.js';
import type { InputOf, ObjectOf } from '../../registry/definition.js';
import { Namespace, Pod } from '../../resources/index.js';
import { hasReason } from '../failures.js';
import type { EventRecorder, EventSink } from '../event-recorder.js';
import type { Informer } from '../informer.js';
import { objectKey } from '../informer-cache.js';
import type { RunningQueue } from '../controller.js';
import { WorkQueue } from '../work-queue.js';
import { bindPod } from './binding.js';
import type { VolumeGate } from './cloud/volume-gate.js';
import { ClusterState, type NodeState } from './cluster-state.js';
import { placePod } from './fit.js';
import type { SimulatedNode, SimulatedPod } from './objects.js';
import type { PodPlan } from './outcomes.js';
import type { RuleBook } from './rule-book.js';

/** A pod of the API. */
export type PodObject = ObjectOf<typeof Pod>;
/** The client of pods. */
export type Pods = ResourceClient<PodObject, InputOf<typeof Pod>>;

/** What the parts of a simulation share. */
export interface SimulationContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly pods: Informer<PodObject>;
  readonly podRules: RuleBook<SimulatedPod, PodPlan>;
  /** Resolves when the nodes of the options exist. */
  readonly nodesReady: Promise<void>;
  /** Returns a node as the rules about nodes make it. */
  readonly ruled: (node: SimulatedNode) => SimulatedNode;
  readonly recorder: EventRecorder;
  /** Keeps pods from nodes until their claims have volumes; undefined without a fake cloud. */
  readonly volumeGate: VolumeGate | undefined;
  readonly onError: (error: unknown) => void;
}

/** A part that reads nodes. */
export interface NodeObserver {
  setNode(node: SimulatedNode): void;
  removeNode(node: SimulatedNode): void;
}

const DEFAULT_SCHEDULER = 'default-scheduler';

/** Binds pods to nodes, and tells which fit nowhere. */
export class Scheduler implements NodeObserver {
  readonly queue: RunningQueue;
  readonly #context: SimulationContext;
  readonly #state = new ClusterState();
  readonly #queue: WorkQueue<string>;
  readonly #events: EventSink;
  /** Pods that fit nowhere, which are tried again when something changes. */
  readonly #waiting = new Set<string>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();

  constructor(context: SimulationContext) {
    this.#context = context;
    const { clock, pods, onError } = context;
    this.#queue = new WorkQueue<string>({
      clock,
      process: (key) => this.#process(key),
      onError: (_key, error) => onError(error),
    });
    this.queue = this.#queue;
    this.#events = context.recorder.of(DEFAULT_SCHEDULER);
    pods.subscribe({
      added: (pod) => this.#seen(pod),
      updated: (pod, old) => {
        this.#seen(pod);
        if (isBound(pod) && !isBound(old)) this.#retryAffine();
      },
      deleted: (pod) => {
        this.#waiting.delete(objectKey(pod));
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

  /** Tries the pods again that fit nowhere. */
  retry(): void {
    for (const key of this.#waiting) this.#queue.add(key);
  }

  /** Tries the pods again that wait for others to run beside. */
  #retryAffine(): void {
    for (const key of this.#waiting)
      if (this.#context.pods.get(key)?.spec?.affinity?.podAffinity !== undefined) this.#queue.add(key);
  }

  #seen(pod: PodObject): void {
    const before = this.#state.size;
    if (isBound(pod)) {
      this.#waiting.delete(objectKey(pod));
      this.#state.setPod(pod);
      if (this.#state.size < before) this.retry();
    } else if (isSchedulable(pod)) this.#queue.add(objectKey(pod));
  }

  async #process(key: string): Promise<void> {
    await this.#context.nodesReady;
    const pod = this.#context.pods.get(key);
    if (pod === undefined || isBound(pod) || !isSchedulable(pod)) return;
    const rule = this.#context.podRules.find(pod);
    if (rule?.plan.unschedulable !== undefined) {
      rule.hit(pod.metadata.uid ?? '');
      return this.#refuse(key, pod, rule.plan.unschedulable.message);
    }
    await this.#readNamespaces(pod);
    const { dialect, volumeGate } = this.#context;
    const claims = volumeGate?.claimsOf(pod);
    const nodes = this.#nodes();
    if (claims?.problem !== undefined && nodes.length > 0)
      return this.#refuse(key, pod, summaryOf(nodes.length, claims.problem));
    const namespaceLabels = (name: string) => this.#namespaces.get(name);
    const placement = placePod(pod, nodes, { dialect, namespaceLabels });
    if ('problem' in placement) return this.#refuse(key, pod, placement.problem);
    if (claims !== undefined && claims.delayed.length > 0) {
      // The pod is bound when its claims are.
      this.#waiting.add(key);
      return volumeGate?.select(claims.delayed, placement.nodeName);
    }
    await this.#bind(key, pod, placement.nodeName);
  }

  #nodes(): NodeState[] {
    return Array.from(this.#state.nodes(), (state) => ({ ...state, node: this.#context.ruled(state.node) }));
  }

  async #bind(key: string, pod: PodObject, nodeName: string): Promise<void> {
    this.#state.place(pod, nodeName);
    try {
      await bindPod(this.#context.client, pod, nodeName);
      this.#waiting.delete(key);
    } catch (error) {
      this.#state.removePod(pod);
      // The pod was bound by somebody else, or deleted: its next event tells.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  async #refuse(key: string, pod: PodObject, message: string): Promise<void> {
    this.#waiting.add(key);
    const conditions = pod.status?.conditions ?? [];
    const known = conditions.find(({ type }) => type === 'PodScheduled');
    if (known?.status === 'False' && known.message === message) return;
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
        .updateStatus({ ...pod, status: { ...pod.status, conditions: [...rest, condition] } });
      this.#events.event(pod, 'Warning', 'FailedScheduling', message);
    } catch (error) {
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
