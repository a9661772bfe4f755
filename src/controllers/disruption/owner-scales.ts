import { goQuote, SharedWork, shareTurn, type OwnerReference } from '../../foundation/index.js';
import { hasReason } from '../runtime/failures.js';
import type { AnyObject, ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import { shownScale } from '../runtime/shown-scale.js';
import { controllerOf } from '../runtime/controller-ref.js';
import type { PodObject } from '../workloads/shared/kinds.js';

/** The number of pods that the controllers of some pods want. */
export interface ExpectedPods {
  readonly count: number;
  /** Names of the pods that have no controller. */
  readonly unmanaged: readonly string[];
}

/** A controller of pods, and the number of pods that it wants. */
interface OwnerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** Groups of the kinds that replica sets belong to. */
const WORKLOAD_GROUPS = ['apps', 'extensions'];

/** Finds the wanted scale of the controllers of pods, of any kind with a subresource `scale`. */
export class OwnerScales {
  readonly #kinds: ServedKinds;

  constructor(kinds: ServedKinds) {
    this.#kinds = kinds;
  }

  /**
   * Returns the sum of the wanted scales of the controllers of the pods, each counted once.
   *
   * @throws Error when the scale of a controller cannot be found
   */
  async expectedPods(pods: readonly PodObject[]): Promise<ExpectedPods> {
    const scales = new Map<string, number>();
    const seen = new Set<string>();
    const unmanaged: string[] = [];
    for (const pod of pods) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      const reference = controllerOf(pod);
      const { name = '', namespace = '' } = pod.metadata;
      if (reference === undefined) unmanaged.push(name);
      if (reference === undefined || seen.has(reference.uid)) continue;
      const scale = await this.#scaleOf(reference, namespace);
      if (scale === undefined) throw new Error(`found no controllers for pod ${goQuote(name)}`);
      seen.add(reference.uid);
      scales.set(scale.uid, scale.replicas);
    }
    let count = 0;
    for (const replicas of scales.values()) count += replicas;
    return { count, unmanaged };
  }

  /** Returns the scale of a controller; that of its deployment for a replica set. Undefined when it is gone. */
  async #scaleOf(reference: OwnerReference, namespace: string): Promise<OwnerScale | undefined> {
    const kind = this.#kindOf(reference);
    const object = await this.#read(kind, reference, namespace);
    if (object === undefined) return undefined;
    const isReplicaSet = kind.kind === 'ReplicaSet' && WORKLOAD_GROUPS.includes(kind.group);
    const deployment = isReplicaSet ? await this.#deploymentOf(object, namespace) : undefined;
    return deployment ?? scaleIn(kind, object);
  }

  async #deploymentOf(replicaSet: AnyObject, namespace: string): Promise<OwnerScale | undefined> {
    const reference = controllerOf(replicaSet);
    if (reference?.kind !== 'Deployment') return undefined;
    const kind = this.#kinds.find(reference.apiVersion, reference.kind);
    if (kind === undefined || !WORKLOAD_GROUPS.includes(kind.group)) return undefined;
    const deployment = await this.#read(kind, reference, namespace);
    return deployment === undefined ? undefined : scaleIn(kind, deployment);
  }

  /** @throws Error when the kind is not served, or has no scale */
  #kindOf({ apiVersion, kind }: OwnerReference): ServedKind {
    const served = this.#kinds.find(apiVersion, kind);
    if (served === undefined) throw new Error(`no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`);
    if (served.definition.subresources?.['scale'] !== undefined) return served;
    const name = served.group === '' ? served.resource : `${served.resource}.${served.group}`;
    throw new Error(`${name} does not implement the scale subresource`);
  }

  /** Reads an owner. Undefined when it is gone, or when another object has its name. */
  async #read(
    { client }: ServedKind,
    { name, uid }: OwnerReference,
    namespace: string,
  ): Promise<AnyObject | undefined> {
    try {
      const object = await client.namespace(namespace).get(name);
      return object.metadata.uid === uid ? object : undefined;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

/** Returns the wanted scale of an owner. */
async function scaleIn(kind: ServedKind, object: AnyObject): Promise<OwnerScale | undefined> {
  const scale = await shownScale(kind, object, new SharedWork());
  return scale === undefined ? undefined : { uid: object.metadata.uid ?? '', replicas: scale.spec?.replicas ?? 0 };
}
