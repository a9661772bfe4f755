import type { OwnerReference } from '../../meta/object.js';
import type { AnyObject, ServedKind } from '../served-kinds.js';
import { GraphNode, isForeign, isNamedBy, type Edge } from './node.js';

/** Whom the graph tells what is to be looked at. Calls are made while the graph changes: only note them down. */
export interface GraphListener {
  /** Whether the object may stay, or its finalizer go, is to be found out. */
  examine(node: GraphNode): void;
  /** Its dependants are to lose it. */
  orphan(node: GraphNode): void;
  /** The owner lives in another namespace. Told once for each pair. */
  foreignOwner(dependant: GraphNode, reference: OwnerReference): void;
}

/**
 * Who owns whom, by uid. Every uid that an observed object refers to has a node.
 *
 * Each change costs in proportion to what it touches: an owner with many dependants is told only when the last that blocks
 * it is gone.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #virtual = new Set<GraphNode>();
  readonly #listener: GraphListener;
  readonly #ignoresForeign: boolean;

  /** @param ignoresForeign references to owners of other namespaces mean nothing; otherwise they are references to nothing */
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

  /** Objects that others refer to and that were never seen. */
  get virtual(): ReadonlySet<GraphNode> {
    return this.#virtual;
  }

  /** Every owner is there, is what the object calls it, and is not waiting for the object to go. */
  isSound(node: GraphNode): boolean {
    return node.owners.every((reference) => {
      const owner = this.#nodes.get(reference.uid);
      return (
        owner?.state === 'observed' &&
        !owner.deletingDependants &&
        isNamedBy(owner, reference) &&
        (owner.namespace === '' || owner.namespace === node.namespace)
      );
    });
  }

  /** Takes in what an object says. States older than the known one change nothing. */
  observe(object: AnyObject, kind: ServedKind): void {
    const uid = object.metadata.uid ?? '';
    const node = this.#nodes.get(uid) ?? this.#insert(uid);
    if (node.state === 'gone' || Number(object.metadata.resourceVersion) <= node.revision) return;
    const { state, owners, deletingDependants, orphaningDependants } = node;
    node.read(object, kind);
    if (state === 'virtual') this.#identified(node);
    if (owners !== node.owners) this.#relink(node, owners);
    if (node.orphaningDependants && !orphaningDependants) this.#listener.orphan(node);
    if (node.deletingDependants && !deletingDependants) {
      this.#examineDependants(node);
      this.#listener.examine(node);
    }
  }

  /** The object is gone. */
  forget(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined || node.state !== 'observed') return;
    node.state = 'gone';
    for (const reference of node.owners) this.#unlink(reference.uid, node);
    this.#examineDependants(node);
    this.#dropUnneeded(node);
  }

  #insert(uid: string): GraphNode {
    const node = new GraphNode(uid);
    this.#nodes.set(uid, node);
    this.#virtual.add(node);
    return node;
  }

  /** A node that others referred to turns out to be this object: those who meant another one are looked at again. */
  #identified(node: GraphNode): void {
    this.#virtual.delete(node);
    for (const dependant of node.dependants.keys()) {
      this.#setEdge(node, dependant);
      const meant = dependant.referencesTo(node.uid).some((reference) => isNamedBy(node, reference));
      if (!meant || isForeign(node, dependant)) this.#listener.examine(dependant);
    }
  }

  #relink(node: GraphNode, before: readonly OwnerReference[]): void {
    for (const { uid } of before) if (node.referencesTo(uid).length === 0) this.#unlink(uid, node);
    for (const { uid } of node.owners) this.#setEdge(this.#nodes.get(uid) ?? this.#insert(uid), node);
    if (!this.isSound(node)) this.#listener.examine(node);
  }

  #setEdge(owner: GraphNode, dependant: GraphNode): void {
    const foreign = isForeign(owner, dependant);
    if (foreign && owner.state === 'observed') this.#report(owner, dependant);
    const blocks = dependant.referencesTo(owner.uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    const edge: Edge = foreign && this.#ignoresForeign ? 'foreign' : blocks ? 'blocking' : 'free';
    const before = owner.dependants.get(dependant);
    owner.dependants.set(dependant, edge);
    this.#count(owner, before, edge);
  }

  #unlink(ownerUid: string, dependant: GraphNode): void {
    const owner = this.#nodes.get(ownerUid);
    const edge = owner?.dependants.get(dependant);
    if (owner === undefined || edge === undefined) return;
    owner.dependants.delete(dependant);
    this.#count(owner, edge, undefined);
    this.#dropUnneeded(owner);
  }

  #count(owner: GraphNode, before: Edge | undefined, after: Edge | undefined): void {
    if (after === 'blocking' && before !== 'blocking') owner.blocking += 1;
    if (before !== 'blocking' || after === 'blocking') return;
    owner.blocking -= 1;
    if (owner.blocking === 0 && owner.deletingDependants) this.#listener.examine(owner);
  }

  #examineDependants(node: GraphNode): void {
    for (const [dependant, edge] of node.dependants) if (edge !== 'foreign') this.#listener.examine(dependant);
  }

  /** Forgets a node that stands only for references to it when the last of them is gone. */
  #dropUnneeded(node: GraphNode): void {
    if (node.state === 'observed' || node.dependants.size > 0) return;
    this.#nodes.delete(node.uid);
    this.#virtual.delete(node);
  }

  #report(owner: GraphNode, dependant: GraphNode): void {
    const [reference] = dependant.referencesTo(owner.uid);
    if (reference === undefined || dependant.reported?.has(owner.uid) === true) return;
    (dependant.reported ??= new Set()).add(owner.uid);
    this.#listener.foreignOwner(dependant, reference);
  }
}
