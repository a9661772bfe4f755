import type { OwnerReference } from '../../foundation/index.js';
import type { InformedObject } from '../runtime/informer-cache.js';
import type { ServedKind } from '../runtime/served-kinds.js';
import { GraphNode, isForeign, isNamedBy, type Edge } from './node.js';

/** Receives the work that changes of the graph cause. It is called during a change, so it must only enqueue. */
export interface GraphListener {
  /** Decide whether the object may stay or its finalizer can be removed. */
  examine(node: GraphNode): void;
  /** Remove the references to the object from its dependents. */
  orphan(node: GraphNode): void;
  /** The owner is in another namespace. Called once for each pair. */
  foreignOwner(dependent: GraphNode, reference: OwnerReference): void;
}

/**
 * The ownership graph, by uid. Every uid that an observed object refers to has a node.
 *
 * The cost of a change is proportional to the affected nodes: an owner with many dependents is examined only when its
 * last blocking dependent is gone.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #virtual = new Set<GraphNode>();
  readonly #listener: GraphListener;
  readonly #ignoresForeign: boolean;

  /**
   * @param ignoresForeign whether references to owners in other namespaces have no effect; otherwise those owners count
   * as missing
   */
  constructor(listener: GraphListener, ignoresForeign: boolean) {
    this.#listener = listener;
    this.#ignoresForeign = ignoresForeign;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Nodes of owners that were never observed. */
  get virtual(): ReadonlySet<GraphNode> {
    return this.#virtual;
  }

  /** Returns true when every owner exists, matches its reference, and does not wait for the object's deletion. */
  hasAllOwners(node: GraphNode): boolean {
    return node.owners.every((reference) => {
      const owner = this.#nodes.get(reference.uid);
      return (
        owner?.state === 'observed' &&
        !owner.deletingDependents &&
        isNamedBy(owner, reference) &&
        (owner.namespace === '' || owner.namespace === node.namespace)
      );
    });
  }

  /** Records the state of an object. Ignores states older than the known one. */
  observe(object: InformedObject, kind: ServedKind): void {
    const uid = object.metadata.uid ?? '';
    const node = this.#nodes.get(uid) ?? this.#insert(uid);
    if (node.state === 'gone' || Number(object.metadata.resourceVersion) <= node.revision) return;
    const { state, owners, deletingDependents, orphaningDependents } = node;
    node.read(object, kind);
    if (state === 'virtual') this.#becomeObserved(node);
    if (owners !== node.owners) this.#replaceOwners(node, owners);
    if (node.orphaningDependents && !orphaningDependents) this.#listener.orphan(node);
    if (node.deletingDependents && !deletingDependents) {
      this.#examineDependents(node);
      this.#listener.examine(node);
    }
  }

  /** Records the deletion of an object. */
  forget(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined || node.state !== 'observed') return;
    node.state = 'gone';
    node.rememberAbsence();
    for (const reference of node.owners) this.#unlink(reference.uid, node);
    this.#examineDependents(node);
    this.#dropUnneeded(node);
  }

  /**
   * Forgets the state of an object whose kind is no longer served, or that can no longer be read. Whether the object exists
   * is unknown from then on.
   */
  lose(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined || node.state !== 'observed') return;
    const { owners } = node;
    node.reset();
    this.#virtual.add(node);
    for (const reference of owners) this.#unlink(reference.uid, node);
    this.#dropUnneeded(node);
  }

  /** Forgets the state of an object that can no longer be read. Its dependents look for it until they know more. */
  hide(uid: string): void {
    this.lose(uid);
    const node = this.#nodes.get(uid);
    if (node !== undefined) this.#examineDependents(node);
  }

  /** Replaces the kind by which an observed object is read and changed. */
  serveBy(uid: string, kind: ServedKind): void {
    const node = this.#nodes.get(uid);
    if (node?.state === 'observed') node.kind = kind;
  }

  #insert(uid: string): GraphNode {
    const node = new GraphNode(uid);
    this.#nodes.set(uid, node);
    this.#virtual.add(node);
    return node;
  }

  /**
   * Completes a virtual node with its object, and examines the dependents whose references do not match that object.
   */
  #becomeObserved(node: GraphNode): void {
    this.#virtual.delete(node);
    for (const dependent of node.dependents.keys()) {
      this.#setEdge(node, dependent);
      const meant = dependent.referencesTo(node.uid).some((reference) => isNamedBy(node, reference));
      if (!meant || isForeign(node, dependent)) this.#listener.examine(dependent);
    }
  }

  #replaceOwners(node: GraphNode, before: readonly OwnerReference[]): void {
    for (const { uid } of before) if (node.referencesTo(uid).length === 0) this.#unlink(uid, node);
    for (const { uid } of node.owners) this.#setEdge(this.#nodes.get(uid) ?? this.#insert(uid), node);
    if (!this.hasAllOwners(node)) this.#listener.examine(node);
  }

  #setEdge(owner: GraphNode, dependent: GraphNode): void {
    const foreign = isForeign(owner, dependent);
    if (foreign && owner.state === 'observed') this.#report(owner, dependent);
    const blocks = dependent.referencesTo(owner.uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    const edge: Edge = foreign && this.#ignoresForeign ? 'foreign' : blocks ? 'blocking' : 'free';
    const before = owner.dependents.get(dependent);
    owner.dependents.set(dependent, edge);
    this.#updateBlockingCount(owner, before, edge);
  }

  #unlink(ownerUid: string, dependent: GraphNode): void {
    const owner = this.#nodes.get(ownerUid);
    const edge = owner?.dependents.get(dependent);
    if (owner === undefined || edge === undefined) return;
    owner.dependents.delete(dependent);
    this.#updateBlockingCount(owner, edge, undefined);
    this.#dropUnneeded(owner);
  }

  #updateBlockingCount(owner: GraphNode, before: Edge | undefined, after: Edge | undefined): void {
    if (after === 'blocking' && before !== 'blocking') owner.blocking += 1;
    if (before !== 'blocking' || after === 'blocking') return;
    owner.blocking -= 1;
    if (owner.blocking === 0 && owner.deletingDependents) this.#listener.examine(owner);
  }

  #examineDependents(node: GraphNode): void {
    for (const [dependent, edge] of node.dependents) if (edge !== 'foreign') this.#listener.examine(dependent);
  }

  /** Removes an unobserved node without dependents. */
  #dropUnneeded(node: GraphNode): void {
    if (node.state === 'observed' || node.dependents.size > 0) return;
    this.#nodes.delete(node.uid);
    this.#virtual.delete(node);
  }

  #report(owner: GraphNode, dependent: GraphNode): void {
    const [reference] = dependent.referencesTo(owner.uid);
    if (reference === undefined || dependent.reported?.has(owner.uid) === true) return;
    (dependent.reported ??= new Set()).add(owner.uid);
    this.#listener.foreignOwner(dependent, reference);
  }
}
