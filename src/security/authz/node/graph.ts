import type { Dialect, JsonObject } from '../../../foundation/index.js';
import { relationOf, type NodeGraphSource } from './graph-sources.js';
import {
  ObjectIndex,
  type IndexedObject,
  type ObjectKey,
  type ObjectReference,
  type RelatedResource,
  type Relation,
} from './object-index.js';

function sameRelation(kept: Relation<IndexedObject>, next: Relation<ObjectReference>): boolean {
  if (kept.node !== next.node || kept.objects.length !== next.objects.length) return false;
  if (kept.claim === undefined ? next.claim !== undefined : next.claim === undefined || !kept.claim.is(next.claim))
    return false;
  return next.objects.every((reference, index) => kept.objects[index]?.is(reference) === true);
}

/**
 * The objects that each node needs. The graph follows all changes of pods, persistent volumes, volume attachments and
 * resource slices.
 *
 * It counts the references to each object per node. A change costs as much as the object has references (for a claim or
 * volume, also the nodes and volumes that it connects). A lookup costs one map access, however many pods exist. Memory
 * is bounded by the references of existing objects; deleted objects leave nothing behind.
 */
export class NodeGraph {
  readonly #dialect: Dialect;
  readonly #objects = new ObjectIndex();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Number of objects that were reported or referred to. */
  get size(): number {
    return this.#objects.size;
  }

  /**
   * Updates the graph with an object. Objects can be reported in any order and repeatedly; the last report of an object
   * counts.
   *
   * @param source plural name of the object's resource
   * @param object current state; undefined when it is deleted. It is not kept.
   */
  changed(source: NodeGraphSource, object: JsonObject | undefined, key: ObjectKey): void {
    const last = this.#objects.find(source, key.namespace, key.name)?.relation;
    const next = object === undefined ? undefined : relationOf(source, object, key, this.#dialect);
    if (last === next || (last !== undefined && next !== undefined && sameRelation(last, next))) return;
    const subject = this.#objects.mention({ resource: source, namespace: key.namespace, name: key.name });
    // Add before removing, so objects in both relations are not forgotten in between.
    subject.relation = next === undefined ? undefined : this.#assert(next);
    if (last !== undefined) this.#retract(last);
    this.#objects.forget(subject);
  }

  /** Updates the graph with a pod: {@link changed} for `pods`. */
  podChanged(pod: JsonObject | undefined, key: ObjectKey): void {
    this.changed('pods', pod, key);
  }

  /** True when the node needs the object. */
  isNeeded(node: string, resource: RelatedResource, namespace: string, name: string): boolean {
    return this.#objects.find(resource, namespace, name)?.has(node) ?? false;
  }

  #assert({ node, claim, objects }: Relation<ObjectReference>): Relation<IndexedObject> {
    const mentioned = objects.map((reference) => this.#objects.mention(reference));
    if (node !== undefined) for (const object of mentioned) need(object, node);
    if (claim === undefined) return { node, objects: mentioned };
    const bound = this.#objects.mention(claim);
    const relation = { claim: bound, objects: mentioned };
    (bound.volumes ??= new Set()).add(relation);
    for (const user of bound.nodes()) for (const object of mentioned) need(object, user);
    return relation;
  }

  #retract(relation: Relation<IndexedObject>): void {
    const { node, claim, objects } = relation;
    if (node !== undefined) for (const object of objects) unneed(object, node);
    if (claim !== undefined) {
      claim.volumes?.delete(relation);
      if (claim.volumes?.size === 0) claim.volumes = undefined;
      for (const user of claim.nodes()) for (const object of objects) unneed(object, user);
      this.#objects.forget(claim);
    }
    for (const object of objects) this.#objects.forget(object);
  }
}

/** A node that needs a claim needs its volumes too. */
function need(object: IndexedObject, node: string): void {
  if (!object.add(node) || object.volumes === undefined) return;
  for (const volume of object.volumes) for (const needed of volume.objects) need(needed, node);
}

function unneed(object: IndexedObject, node: string): void {
  if (!object.remove(node) || object.volumes === undefined) return;
  for (const volume of object.volumes) for (const needed of volume.objects) unneed(needed, node);
}
