import { FOREGROUND_FINALIZER, shareTurn, type OwnerReference } from '../../foundation/index.js';
import { hasReason } from '../runtime/failures.js';
import type { AnyObject, ServedKind, ServedKinds } from '../runtime/served-kinds.js';
import type { DependencyGraph } from './graph.js';
import { coordinatesOf, isForeign, type GraphNode } from './node.js';

/** The owners of an object, classified by their state on the server. */
export interface OwnerFindings {
  /** Owners that exist. */
  readonly solid: OwnerReference[];
  /** Owners that do not exist. */
  readonly dangling: OwnerReference[];
  /** Owners that wait for the deletion of this object. */
  readonly waiting: OwnerReference[];
  /**
   * Whether an owner cannot be classified: its kind is not served, or it cannot own this object. The object must be
   * left alone.
   */
  unresolvable: boolean;
  /** Whether the graph has never observed a solid owner, so no watch reports its deletion. */
  unobserved: boolean;
}

/** Options of {@link OwnerLookup}. */
export interface OwnerLookupOptions {
  readonly kinds: ServedKinds;
  readonly graph: DependencyGraph;
  /** See {@link DependencyGraph}. */
  readonly ignoresForeign: boolean;
  /**
   * Resolves when the graph has every object of the kind that existed at a resource version. Returns undefined for a
   * kind that the graph does not watch.
   */
  readonly catchUp: (kind: ServedKind, revision: number) => Promise<void> | undefined;
}

/** Looks up owners on the server. */
export class OwnerLookup {
  readonly #options: OwnerLookupOptions;

  constructor(options: OwnerLookupOptions) {
    this.#options = options;
  }

  /** Classifies the owners of an object. */
  async find(node: GraphNode, owners: readonly OwnerReference[]): Promise<OwnerFindings> {
    const findings: OwnerFindings = { solid: [], dangling: [], waiting: [], unresolvable: false, unobserved: false };
    for (const reference of owners) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      await this.#findOne(node, reference, findings);
    }
    return findings;
  }

  async #findOne(node: GraphNode, reference: OwnerReference, findings: OwnerFindings): Promise<void> {
    const { kinds, graph, ignoresForeign } = this.#options;
    const owner = graph.get(reference.uid);
    const kind = kinds.find(reference.apiVersion, reference.kind);
    if (kind === undefined && isKnownAbsent(owner, reference, node)) {
      findings.dangling.push(reference);
      return;
    }
    if (kind === undefined || (kind.namespaced && node.namespace === '')) {
      findings.unresolvable = true;
      return;
    }
    if (ignoresForeign && owner !== undefined && isForeign(owner, node)) {
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
      ignoresForeign &&
      kind.namespaced &&
      owner?.state === 'virtual' &&
      owner.absent?.has(coordinates) !== true &&
      (await this.#isElsewhere(kind, reference, node))
    ) {
      findings.unobserved ||= graph.get(reference.uid)?.state === 'virtual';
      findings.solid.push(reference);
    } else {
      if (owner !== undefined) (owner.absent ??= new Set()).add(coordinates);
      findings.dangling.push(reference);
    }
  }

  /** Returns the owner, or undefined when it does not exist or has another uid. */
  async #read(kind: ServedKind, namespace: string, reference: OwnerReference): Promise<AnyObject | undefined> {
    try {
      const found = await kind.client.namespace(namespace).get(reference.name);
      return found.metadata.uid === reference.uid ? found : undefined;
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /**
   * Returns true when an owner that was never observed is in another namespace. A list of all namespaces for each owner
   * would be expensive. The graph suffices when it is as new as the object: an owner is created before any reference to
   * its uid.
   */
  async #isElsewhere(kind: ServedKind, reference: OwnerReference, node: GraphNode): Promise<boolean> {
    const { graph, catchUp } = this.#options;
    const caughtUp = catchUp(kind, node.revision);
    if (caughtUp === undefined) {
      const { items } = await kind.client.list({ fieldSelector: `metadata.name=${reference.name}` });
      return items.some(({ metadata }) => metadata.uid === reference.uid);
    }
    await caughtUp;
    const owner = graph.get(reference.uid);
    return owner !== undefined && isForeign(owner, node);
  }
}

/** Returns whether the owner was deleted before its kind ceased to be served. */
function isKnownAbsent(owner: GraphNode | undefined, reference: OwnerReference, { namespace }: GraphNode): boolean {
  const absent = owner?.absent;
  return (
    absent !== undefined &&
    (absent.has(coordinatesOf(reference, namespace)) || absent.has(coordinatesOf(reference, '')))
  );
}

function isWaiting({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND_FINALIZER) === true;
}
