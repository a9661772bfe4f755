import type { JsonObject } from '../../meta/json.js';
import type { Dialect } from '../../names/dialect.js';
import { relationOf, type NodeGraphSource } from './graph-sources.js';
import {
  ObjectIndex,
  type IndexedObject,
  type ObjectKey,
  type ObjectReference,
  type RelatedResource,
  type Relation,
} from './object-index.js';

function saysTheSame(kept: Relation<IndexedObject>, next: Relation<ObjectReference>): boolean {
  if (kept.node !== next.node || kept.objects.length !== next.objects.length) return false;
  if (kept.claim === undefined ? next.claim !== undefined : next.claim === undefined || !kept.claim.is(next.claim))
    return false;
  return next.objects.every((reference, index) => kept.objects[index]?.is(reference) === true);
}

/**
 * Which objects are needed on which nodes, kept by being told of every change of pods, persistent volumes, volume attachments
 * and resource slices.
 *
 * For each object it counts, node by node, who needs it there. A change costs as much as the changed object has references (and,
 * for a claim or volume, the nodes and volumes that it joins); a question costs one look-up, however many pods there are. Memory
 * is bounded by the references of the objects that were told, and nothing is left of those that were deleted.
 */
export class NodeGraph {
  readonly #dialect: Dialect;
  readonly #objects = new ObjectIndex();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** How many objects were told of or referred to. */
  get size(): number {
    return this.#objects.size;
  }

  /**
   * Takes note of an object. Objects may be told of in any order and more than once; of the same object the last word holds.
   *
   * @param source plural name of the object's resource
   * @param object as it is now; undefined when it is deleted. It is read, and not kept.
   */
  changed(source: NodeGraphSource, object: JsonObject | undefined, key: ObjectKey): void {
    const last = this.#objects.find(source, key.namespace, key.name)?.relation;
    const next = object === undefined ? undefined : relationOf(source, object, key, this.#dialect);
    if (last === next || (last !== undefined && next !== undefined && saysTheSame(last, next))) return;
    const speaker = this.#objects.mention({ resource: source, namespace: key.namespace, name: key.name });
    // The new word is noted first, so that what both name is not forgotten in between.
    speaker.relation = next === undefined ? undefined : this.#assert(next);
    if (last !== undefined) this.#retract(last);
    this.#objects.forget(speaker);
  }

  /** Takes note of a pod: {@link changed} of `pods`. */
  podChanged(pod: JsonObject | undefined, key: ObjectKey): void {
    this.changed('pods', pod, key);
  }

  /** True when something on the node needs the object. */
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

/** A claim that comes to a node brings its volumes. */
function need(object: IndexedObject, node: string): void {
  if (!object.add(node) || object.volumes === undefined) return;
  for (const volume of object.volumes) for (const needed of volume.objects) need(needed, node);
}

function unneed(object: IndexedObject, node: string): void {
  if (!object.remove(node) || object.volumes === undefined) return;
  for (const volume of object.volumes) for (const needed of volume.objects) unneed(needed, node);
}
