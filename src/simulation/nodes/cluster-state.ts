import { objectKey } from '../../controllers/index.js';
import type { SimulatedNode, SimulatedPod } from '../objects.js';
import { amountsOf, type Amounts } from '../scheduling/requests.js';
import { placedPod, PodsOnNode } from './pods-on-node.js';

/** A node and the pods on it. */
export interface NodeState {
  readonly node: SimulatedNode;
  readonly allocatable: Amounts;
  readonly on: Pick<PodsOnNode, 'pods' | 'avoiding' | 'requested' | 'hostPorts'>;
}

interface Entry {
  node: SimulatedNode | undefined;
  allocatable: Amounts;
  readonly on: PodsOnNode;
}

/** The nodes, and the pods on them that have not ended. */
export class ClusterState {
  readonly #entries = new Map<string, Entry>();
  readonly #placed = new Map<string, string>();

  /** Number of pods on nodes. */
  get size(): number {
    return this.#placed.size;
  }

  /** The nodes that exist. */
  *nodes(): Generator<NodeState, void, undefined> {
    for (const { node, ...rest } of this.#entries.values()) if (node !== undefined) yield { node, ...rest };
  }

  /** Returns a node; undefined when it does not exist. */
  node(name: string): NodeState | undefined {
    const entry = this.#entries.get(name);
    return entry?.node === undefined ? undefined : { ...entry, node: entry.node };
  }

  setNode(node: SimulatedNode): void {
    const entry = this.#entry(node.metadata.name ?? '');
    entry.node = node;
    entry.allocatable = amountsOf(node.status?.allocatable ?? node.status?.capacity);
  }

  removeNode(name: string): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) entry.node = undefined;
  }

  /** Counts a pod on its node; a pod that has ended, or has none, counts nowhere. */
  setPod(pod: SimulatedPod): void {
    const { spec, status } = pod;
    const ended = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (spec?.nodeName === undefined || spec.nodeName === '' || ended) this.removePod(pod);
    else this.place(pod, spec.nodeName);
  }

  /** Counts a pod on a node that it is about to be bound to. */
  place(pod: SimulatedPod, nodeName: string): void {
    const key = objectKey(pod);
    const { on } = this.#entry(nodeName);
    const present = this.#placed.get(key) === nodeName ? on.pods.get(key) : undefined;
    if (present !== undefined && present.pod.metadata.uid === pod.metadata.uid) {
      on.renew(key, pod);
      return;
    }
    this.removePod(pod);
    this.#entry(nodeName).on.add(placedPod(pod));
    this.#placed.set(key, nodeName);
  }

  /** Returns whether a pod is counted on a node. */
  counts(pod: SimulatedPod): boolean {
    const key = objectKey(pod);
    const nodeName = this.#placed.get(key);
    return nodeName !== undefined && this.#entry(nodeName).on.pods.get(key)?.pod.metadata.uid === pod.metadata.uid;
  }

  /** Returns whether the pod was counted. */
  removePod(pod: SimulatedPod): boolean {
    const key = objectKey(pod);
    const nodeName = this.#placed.get(key);
    if (nodeName === undefined) return false;
    this.#placed.delete(key);
    const { node, on } = this.#entry(nodeName);
    on.remove(key);
    if (node === undefined && on.pods.size === 0) this.#entries.delete(nodeName);
    return true;
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = { node: undefined, allocatable: new Map(), on: new PodsOnNode() };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}
