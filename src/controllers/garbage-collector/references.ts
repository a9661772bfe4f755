import { FOREGROUND_FINALIZER } from '../../meta/finalizers.js';
import type { OwnerReference } from '../../meta/object.js';
import { hasReason } from '../failures.js';
import type { AnyObject, ServedKind, ServedKinds } from '../served-kinds.js';
import type { DependencyGraph } from './graph.js';
import { coordinatesOf, isForeign, type GraphNode } from './node.js';

/** The owners of an object, by what the server says of them. */
export interface OwnerFindings {
  /** Owners that are there. */
  readonly solid: OwnerReference[];
  /** Owners that are not. */
  readonly dangling: OwnerReference[];
  /** Owners that wait for this object to go. */
  readonly waiting: OwnerReference[];
  /** An owner of which nothing can be said: its kind is not served, or it cannot own this object. Nothing may be done then. */
  unresolvable: boolean;
  /** A solid owner was never seen by the graph, so nobody tells when it goes. */
  unobserved: boolean;
}

/** Asks the server for owners. */
export class OwnerLookup {
  readonly #kinds: ServedKinds;
  readonly #graph: DependencyGraph;
  readonly #ignoresForeign: boolean;

  /** @param ignoresForeign see {@link DependencyGraph} */
  constructor(kinds: ServedKinds, graph: DependencyGraph, ignoresForeign: boolean) {
    this.#kinds = kinds;
    this.#graph = graph;
    this.#ignoresForeign = ignoresForeign;
  }

  /** Sorts the owners of an object. */
  async find(node: GraphNode, owners: readonly OwnerReference[]): Promise<OwnerFindings> {
    const findings: OwnerFindings = { solid: [], dangling: [], waiting: [], unresolvable: false, unobserved: false };
    for (const reference of owners) await this.#findOne(node, reference, findings);
    return findings;
  }

  async #findOne(node: GraphNode, reference: OwnerReference, findings: OwnerFindings): Promise<void> {
    const owner = this.#graph.get(reference.uid);
    const kind = this.#kinds.find(reference.apiVersion, reference.kind);
    if (kind === undefined || (kind.namespaced && node.namespace === '')) {
      findings.unresolvable = true;
      return;
    }
    if (this.#ignoresForeign && owner !== undefined && isForeign(owner, node)) {
      findings.solid.push(reference);
      return;
    }
    const namespace = kind.namespaced ? node.namespace : '';
    const coordinates = coordinatesOf(reference, namespace);
    const found = owner?.absent?.has(coordinates) === true ? undefined : await this.#read(kind, namespace, reference);
    if (found !== undefined) {
      findings.unobserved ||= owner?.state !== 'observed';
      (isWaiting(found) ? findings.waiting : findings.solid).push(reference);
    } else if (
      this.#ignoresForeign &&
      kind.namespaced &&
      owner?.state === 'virtual' &&
      owner.absent?.has(coordinates) !== true &&
      (await this.#isElsewhere(kind, reference))
    ) {
      findings.unobserved = true;
      findings.solid.push(reference);
    } else {
      if (owner !== undefined) (owner.absent ??= new Set()).add(coordinates);
      findings.dangling.push(reference);
    }
  }

  /** The owner as it is; undefined when there is none of that name, or one with another uid. */
  async #read(kind: ServedKind, namespace: string, reference: OwnerReference): Promise<AnyObject | undefined> {
    try {
      const found = await kind.client.namespace(namespace).get(reference.name);
      return found.metadata.uid === reference.uid ? found : undefined;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Whether an owner that nobody has seen yet lives in another namespace. */
  async #isElsewhere(kind: ServedKind, reference: OwnerReference): Promise<boolean> {
    const { items } = await kind.client.list({ fieldSelector: `metadata.name=${reference.name}` });
    return items.some(({ metadata }) => metadata.uid === reference.uid);
  }
}

function isWaiting({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND_FINALIZER) === true;
}
