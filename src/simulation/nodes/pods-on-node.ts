import { objectKey } from '../../controllers/index.js';
import type { SimulatedPod } from '../objects.js';
import { podRequests, type Amounts } from '../scheduling/requests.js';
import { HostPorts, hostPortsOf, type HostPort } from './host-ports.js';

/** A pod on a node, as the scheduler sees it. */
export interface PlacedPod {
  readonly pod: SimulatedPod;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
}

/** Returns a pod as it counts on a node. */
export const placedPod = (pod: SimulatedPod): PlacedPod => ({
  pod,
  requests: podRequests(pod.spec ?? { containers: [] }),
  ports: hostPortsOf(pod),
});

/** The pods on a node, by their keys, and what they take together. */
export class PodsOnNode {
  readonly #pods = new Map<string, PlacedPod>();
  readonly #avoiding = new Map<string, SimulatedPod>();
  readonly #requested = new Map<string, number>();
  readonly #hostPorts = new HostPorts();

  constructor(pods: Iterable<PlacedPod> = []) {
    for (const placed of pods) this.add(placed);
  }

  get pods(): ReadonlyMap<string, PlacedPod> {
    return this.#pods;
  }

  /** The pods that require other pods to be elsewhere. */
  get avoiding(): ReadonlyMap<string, SimulatedPod> {
    return this.#avoiding;
  }

  /** Sum of the requests. */
  get requested(): Amounts {
    return this.#requested;
  }

  /** The ports of the node in use. */
  get hostPorts(): Pick<HostPorts, 'isTaken'> {
    return this.#hostPorts;
  }

  /** Adds a pod that is not there. */
  add(placed: PlacedPod): void {
    const { pod, requests, ports } = placed;
    const key = objectKey(pod);
    this.#pods.set(key, placed);
    if (avoidsOthers(pod)) this.#avoiding.set(key, pod);
    for (const [name, amount] of requests) this.#requested.set(name, (this.#requested.get(name) ?? 0) + amount);
    for (const port of ports) this.#hostPorts.add(port);
  }

  /** Replaces a pod that is there by a newer state of it, which takes the same. */
  renew(key: string, pod: SimulatedPod): void {
    const placed = this.#pods.get(key);
    if (placed !== undefined) this.#pods.set(key, { ...placed, pod });
  }

  remove(key: string): void {
    const placed = this.#pods.get(key);
    if (placed === undefined) return;
    this.#pods.delete(key);
    this.#avoiding.delete(key);
    for (const [name, amount] of placed.requests) {
      const left = (this.#requested.get(name) ?? 0) - amount;
      if (left === 0) this.#requested.delete(name);
      else this.#requested.set(name, left);
    }
    for (const port of placed.ports) this.#hostPorts.remove(port);
  }
}

const avoidsOthers = ({ spec }: SimulatedPod): boolean =>
  (spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
