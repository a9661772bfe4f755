import { FOREGROUND_FINALIZER } from '../../meta/finalizers.js';
import type { OwnerReference } from '../../meta/object.js';
import { shareTurn } from '../../meta/turn.js';
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

/** What {@link OwnerLookup} needs. */
export interface OwnerLookupOptions {
  readonly kinds: ServedKinds;
  readonly graph: DependencyGraph;
  /** See {@link DependencyGraph}. */
  readonly ignoresForeign: boolean;
  /**
   * Resolves when the graph knows of every object of the kind that existed at a version of the store. Undefined for a kind that
   * the graph does not follow.
   */
  readonly catchUp: (kind: ServedKind, revision: number) => Promise<void> | undefined;
}

/** Asks the server for owners. */
export class OwnerLookup {
  readonly #options: OwnerLookupOptions;

  constructor(options: OwnerLookupOptions) {
    this.#options = options;
  }

  /** Sorts the owners of an object. */
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

  /**
   * Whether an owner that nobody has seen yet lives in another namespace. To ask the server for each owner would cost as much as
   * there are objects of the kind; the graph, though, need only be as new as the object, since nobody knows the uid of an owner
   * that is not there yet.
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

function isWaiting({ metadata }: AnyObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND_FINALIZER) === true;
}
