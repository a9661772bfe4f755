import { objectKey } from '../../controllers/index.js';
import type { coreV1 } from '../../kinds/index.js';
import type { SimulatedNode, SimulatedPod } from '../objects.js';
import { amountsOf, podRequests, type Amounts } from '../scheduling/requests.js';

/** A pod on a node, as the scheduler sees it. */
export interface PlacedPod {
  readonly pod: SimulatedPod;
  readonly requests: Amounts;
}

/** A node and the pods on it. */
export interface NodeState {
  readonly node: SimulatedNode;
  readonly allocatable: Amounts;
  readonly pods: ReadonlyMap<string, PlacedPod>;
  /** The pods that require other pods to be elsewhere. */
  readonly avoiding: ReadonlyMap<string, SimulatedPod>;
  /** Sum of the requests. */
  readonly requested: Amounts;
  /** Host ports in use: `TCP/0.0.0.0/80`. */
  readonly hostPorts: ReadonlySet<string>;
}

interface Entry {
  node: SimulatedNode | undefined;
  allocatable: Map<string, number>;
  readonly pods: Map<string, PlacedPod>;
  readonly avoiding: Map<string, SimulatedPod>;
  readonly requested: Map<string, number>;
  readonly hostPorts: Set<string>;
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
    const known = this.#placed.get(key);
    const entry = this.#entry(nodeName);
    const present = known === nodeName ? entry.pods.get(key) : undefined;
    if (present?.pod.metadata.uid === pod.metadata.uid && present !== undefined) {
      entry.pods.set(key, { pod, requests: present.requests });
      return;
    }
    this.removePod(pod);
    const placed = placedPod(pod);
    const { requests } = placed;
    entry.pods.set(key, placed);
    if (avoidsOthers(pod)) entry.avoiding.set(key, pod);
    for (const [name, amount] of requests) entry.requested.set(name, (entry.requested.get(name) ?? 0) + amount);
    for (const port of hostPortsOf(pod)) entry.hostPorts.add(port);
    this.#placed.set(key, nodeName);
  }

  /** Returns whether the pod was counted. */
  removePod(pod: SimulatedPod): boolean {
    const key = objectKey(pod);
    const nodeName = this.#placed.get(key);
    if (nodeName === undefined) return false;
    const entry = this.#entry(nodeName);
    const placed = entry.pods.get(key);
    entry.pods.delete(key);
    entry.avoiding.delete(key);
    this.#placed.delete(key);
    for (const [name, amount] of placed?.requests ?? [])
      entry.requested.set(name, (entry.requested.get(name) ?? 0) - amount);
    if (placed !== undefined) for (const port of hostPortsOf(placed.pod)) entry.hostPorts.delete(port);
    if (entry.node === undefined && entry.pods.size === 0) this.#entries.delete(nodeName);
    return true;
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = {
        ...{ node: undefined, allocatable: new Map(), requested: new Map(), hostPorts: new Set() },
        ...{ pods: new Map(), avoiding: new Map() },
      };
      this.#entries.set(name, entry);
    }
    return entry;
  }
}

/** Returns a pod as it counts on a node. */
export const placedPod = (pod: SimulatedPod): PlacedPod => ({
  pod,
  requests: podRequests(pod.spec ?? { containers: [] }),
});

/** Returns the state of a node with other pods on it. */
export function nodeStateOf({ node, allocatable }: NodeState, pods: Iterable<PlacedPod>): NodeState {
  const placed = new Map<string, PlacedPod>();
  const avoiding = new Map<string, SimulatedPod>();
  const requested = new Map<string, number>();
  const hostPorts = new Set<string>();
  for (const one of pods) {
    const key = objectKey(one.pod);
    placed.set(key, one);
    if (avoidsOthers(one.pod)) avoiding.set(key, one.pod);
    for (const [name, amount] of one.requests) requested.set(name, (requested.get(name) ?? 0) + amount);
    for (const port of hostPortsOf(one.pod)) hostPorts.add(port);
  }
  return { node, allocatable, pods: placed, avoiding, requested, hostPorts };
}

const avoidsOthers = ({ spec }: SimulatedPod): boolean =>
  (spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;

/** Returns the ports of the node that a pod takes: protocol, address and port. */
export function hostPortsOf({ spec }: SimulatedPod): string[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }: coreV1.Container) =>
    ports.flatMap(({ hostPort, protocol = 'TCP', hostIP }) =>
      hostPort === undefined || hostPort === 0 ? [] : [`${protocol}/${hostIP || ANY_ADDRESS}/${hostPort}`],
    ),
  );
}

const ANY_ADDRESS = '0.0.0.0';

/** Returns whether a port is taken. The address 0.0.0.0 stands for all addresses. */
export function isTaken(port: string, taken: ReadonlySet<string>): boolean {
  if (taken.has(port)) return true;
  const [protocol = '', address = '', number = ''] = port.split('/');
  if (address !== ANY_ADDRESS) return taken.has(`${protocol}/${ANY_ADDRESS}/${number}`);
  for (const other of taken) if (other.startsWith(`${protocol}/`) && other.endsWith(`/${number}`)) return true;
  return false;
}
