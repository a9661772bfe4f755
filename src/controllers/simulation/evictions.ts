import { least } from '../../meta/append-to.js';
import type { coreV1 } from '../../kinds/index.js';
import type { ResourceClient } from '../../client/index.js';
import type { InputOf } from '../../registry/definition.js';
import { Pod } from '../../resources/index.js';
import type { RunningQueue } from '../controller.js';
import { hasReason } from '../failures.js';
import { objectKey } from '../informer-cache.js';
import { parseTime } from '../../meta/time.js';
import { WorkQueue } from '../work-queue.js';
import { tolerates } from './node-selection.js';
import type { SimulatedNode, SimulatedPod } from './objects.js';
import type { SimulatedNodes } from './nodes.js';
import type { PodObject, SimulationContext } from './scheduler.js';

/** Time for which pods tolerate a node that is not ready, when they say nothing about it. */
const DEFAULT_TOLERATION_MS = 300_000;
/** Time after which the pods of a removed node are removed. */
const ORPHAN_MS = 40_000;

/**
 * Deletes pods from nodes with taints of the effect NoExecute that they do not tolerate, and pods whose node was
 * removed.
 */
export class Evictions {
  readonly queue: RunningQueue;
  readonly #context: SimulationContext;
  readonly #queue: WorkQueue<string>;
  readonly #pods: ResourceClient<PodObject, InputOf<typeof Pod>>;
  readonly #nodes = new Map<string, SimulatedNode>();
  /** When nodes were removed. */
  readonly #removed = new Map<string, number>();
  /** When the taints of each node were first seen, for those that do not say when they were added. */
  readonly #taintedMs = new Map<string, ReadonlyMap<string, number>>();
  readonly #defaults: ReadonlySet<string>;

  constructor(context: SimulationContext, nodes: SimulatedNodes) {
    this.#context = context;
    const { client, clock, dialect, onError } = context;
    this.#pods = client.resource(Pod);
    this.#defaults = new Set(['not-ready', 'unreachable'].map((name) => `node.${dialect.labelDomain}/${name}`));
    this.#queue = new WorkQueue<string>({
      clock,
      process: (key) => this.#process(key),
      onError: (_key, error) => onError(error),
    });
    this.queue = this.#queue;
    nodes.subscribe({
      changed: (node) => {
        const name = node.metadata.name ?? '';
        const before = this.#nodes.get(name);
        this.#nodes.set(name, node);
        this.#removed.delete(name);
        this.#noteTaints(name, node);
        if (before === undefined ? executing(node).length > 0 : before.spec?.taints !== node.spec?.taints)
          this.#enqueue(name);
      },
      removed: ({ metadata: { name = '' } }) => {
        this.#nodes.delete(name);
        this.#taintedMs.delete(name);
        this.#removed.set(name, clock.now());
        this.#enqueue(name);
      },
    });
    context.pods.subscribe({
      added: (pod) => this.#seen(pod),
      updated: (pod, old) => {
        if (pod.spec?.nodeName !== old.spec?.nodeName) this.#seen(pod);
      },
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
    if (node !== undefined && executing(node).length > 0) this.#queue.add(objectKey(pod));
  }

  #enqueue(nodeName: string): void {
    for (const pod of this.#context.pods.values()) if (pod.spec?.nodeName === nodeName) this.#queue.add(objectKey(pod));
  }

  async #process(key: string): Promise<void> {
    const pod = this.#context.pods.get(key);
    const nodeName = pod?.spec?.nodeName ?? '';
    if (pod === undefined || nodeName === '') return;
    const removedMs = this.#removed.get(nodeName);
    const node = this.#nodes.get(nodeName);
    const isOrphan = removedMs !== undefined;
    const dueMs = isOrphan ? removedMs + ORPHAN_MS : node === undefined ? Infinity : this.#evictionMs(pod, node);
    const leftMs = dueMs - this.#context.clock.now();
    if (leftMs > 0) {
      if (leftMs < Infinity) this.#queue.addAfter(key, leftMs);
      return;
    }
    if (isOrphan || pod.metadata.deletionTimestamp === undefined) await this.#delete(pod, isOrphan);
  }

  /** Returns when a pod must leave its node; infinite when it may stay. */
  #evictionMs(pod: SimulatedPod, node: SimulatedNode): number {
    const taints = executing(node);
    return least(taints.map((taint) => this.#toleratedUntil(pod, taint)));
  }

  #toleratedUntil({ spec }: SimulatedPod, taint: coreV1.Taint): number {
    const known = this.#taintedMs.get(spec?.nodeName ?? '');
    const addedMs = known?.get(`${taint.key}=${taint.value ?? ''}`) ?? this.#context.clock.now();
    const matching = (spec?.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return this.#defaults.has(taint.key) ? addedMs + DEFAULT_TOLERATION_MS : 0;
    const limits = matching.flatMap(({ tolerationSeconds }) =>
      tolerationSeconds === undefined ? [] : [tolerationSeconds],
    );
    return limits.length === 0 ? Infinity : addedMs + Math.max(0, least(limits)) * 1000;
  }

  async #delete({ metadata }: PodObject, isOrphan: boolean): Promise<void> {
    const { namespace = '', name = '', uid } = metadata;
    try {
      await this.#pods.namespace(namespace).delete(name, {
        ...(isOrphan ? { gracePeriodSeconds: 0 } : {}),
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      });
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }
}

const executing = ({ spec }: SimulatedNode): coreV1.Taint[] =>
  (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
