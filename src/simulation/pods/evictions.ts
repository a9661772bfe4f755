import type { ResourceClient } from '../../client/index.js';
import {
  hasReason,
  keyedReconciler,
  markPod,
  objectKey,
  Tolerations,
  watched,
  type EventSink,
  type Reconciler,
  type WorkResult,
} from '../../controllers/index.js';
import { equalJson, least, parseTime, secondsAsMs } from '../../foundation/index.js';
import { Pod, type coreV1 } from '../../kinds/index.js';
import type { InputOf } from '../../registry/index.js';
import type { SimulatedNodes } from '../nodes/nodes.js';
import type { SimulatedNode, SimulatedPod } from '../objects.js';
import type { PodObject, SimulationContext } from '../scheduling/scheduler.js';

/** The reason of events about evictions, for those that are given up, too. */
const REASON = 'TaintManagerEviction';

/** Why a pod is deleted, as its condition says before. */
const DISRUPTED = {
  ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

/**
 * Deletes pods from nodes with taints of the effect NoExecute that they do not tolerate.
 *
 * @see release 1.31, `pkg/controller/tainteviction`
 */
export class Evictions {
  readonly controller: Reconciler;
  readonly #context: SimulationContext;
  readonly #pods: ResourceClient<PodObject, InputOf<typeof Pod>>;
  readonly #nodes = new Map<string, SimulatedNode>();
  /** When the taints of each node were first seen, for those that do not say when they were added. */
  readonly #taintedMs = new Map<string, ReadonlyMap<string, number>>();
  /** Pods that will be evicted, unless the taint goes. */
  readonly #planned = new Set<string>();
  readonly #events: EventSink;

  constructor(context: SimulationContext, nodes: SimulatedNodes) {
    this.#context = context;
    const { client, recorder } = context;
    this.#pods = client.resource(Pod);
    this.#events = recorder.of('taint-eviction-controller');
    this.controller = keyedReconciler(context, {
      name: 'taint-eviction-controller',
      watches: [watched(Pod)],
      reconcile: (key) => this.#process(key),
    });
    nodes.subscribe({
      changed: (node) => {
        const name = node.metadata.name ?? '';
        const before = this.#nodes.get(name);
        this.#nodes.set(name, node);
        this.#noteTaints(name, node);
        if (before === undefined ? executing(node).length > 0 : before.spec?.taints !== node.spec?.taints)
          this.#enqueue(name);
      },
      removed: ({ metadata: { name = '' } }) => {
        this.#nodes.delete(name);
        this.#taintedMs.delete(name);
      },
    });
    context.pods.subscribe({
      added: (pod) => this.#seen(pod),
      updated: (pod, old) => {
        const isNew = pod.spec?.nodeName !== old.spec?.nodeName;
        if (isNew || !equalJson(pod.spec?.tolerations, old.spec?.tolerations)) this.#seen(pod);
      },
      deleted: (pod) => this.#planned.delete(objectKey(pod)),
    });
  }

  #noteTaints(name: string, node: SimulatedNode): void {
    const before = this.#taintedMs.get(name);
    const now = this.#context.clock.now();
    const times = executing(node).map(({ key, value, timeAdded }) => {
      const id = `${key}=${value ?? ''}`;
      return [id, parseTime(timeAdded ?? '') ?? before?.get(id) ?? now] as const;
    });
    this.#taintedMs.set(name, new Map(times));
  }

  #seen(pod: PodObject): void {
    const node = this.#nodes.get(pod.spec?.nodeName ?? '');
    if (node !== undefined && executing(node).length > 0) this.controller.add(objectKey(pod));
  }

  #enqueue(nodeName: string): void {
    for (const pod of this.#context.pods.values())
      if (pod.spec?.nodeName === nodeName) this.controller.add(objectKey(pod));
  }

  async #process(key: string): Promise<WorkResult> {
    const pod = this.#context.pods.get(key);
    const nodeName = pod?.spec?.nodeName ?? '';
    if (pod === undefined || nodeName === '') return;
    const node = this.#nodes.get(nodeName);
    if (node === undefined || pod.metadata.deletionTimestamp !== undefined) return;
    const dueMs = this.#evictionMs(pod, node);
    const leftMs = dueMs - this.#context.clock.now();
    if (leftMs <= 0) return this.#evict(key, pod);
    if (leftMs < Infinity) {
      this.#planned.add(key);
      this.controller.addAfter(key, leftMs);
    } else if (this.#planned.delete(key)) {
      this.#events.event(pod, 'Normal', REASON, `Cancelling deletion of Pod ${key}`);
    }
  }

  /** Returns when a pod must leave its node; infinite when it may stay. */
  #evictionMs(pod: SimulatedPod, node: SimulatedNode): number {
    const tolerations = new Tolerations(pod.spec?.tolerations ?? []);
    return least(executing(node).map((taint) => this.#toleratedUntil(node, tolerations, taint)));
  }

  #toleratedUntil({ metadata }: SimulatedNode, tolerations: Tolerations, taint: coreV1.Taint): number {
    const known = this.#taintedMs.get(metadata.name ?? '');
    const addedMs = known?.get(`${taint.key}=${taint.value ?? ''}`) ?? this.#context.clock.now();
    // The first toleration counts, as in Kubernetes.
    const toleration = tolerations.first(taint);
    if (toleration === undefined) return 0;
    const { tolerationSeconds } = toleration;
    return tolerationSeconds === undefined ? Infinity : addedMs + Math.max(0, secondsAsMs(tolerationSeconds));
  }

  async #evict(key: string, pod: PodObject): Promise<WorkResult> {
    const { namespace = '', name = '', uid } = pod.metadata;
    try {
      await markPod(this.#context, pod, { condition: DISRUPTED });
      await this.#pods.namespace(namespace).delete(name, uid === undefined ? {} : { preconditions: { uid } });
      this.#planned.delete(key);
      this.#events.event(pod, 'Normal', REASON, `Marking for deletion Pod ${key}`);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      if (hasReason(error, 'Conflict')) return 'retry';
      throw error;
    }
  }
}

const executing = ({ spec }: SimulatedNode): coreV1.Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
