import { NodeCounts } from './node-counts.js';

/** Plural names of the resources that a node can need. */
export type RelatedResource =
  | 'configmaps'
  | 'persistentvolumeclaims'
  | 'persistentvolumes'
  | 'pods'
  | 'resourceclaims'
  | 'resourceslices'
  | 'secrets'
  | 'serviceaccounts'
  | 'volumeattachments';

/** Identifies an object within its resource. The namespace is empty for cluster-scoped objects. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** Identifies an object. */
export interface ObjectReference extends ObjectKey {
  readonly resource: RelatedResource;
}

/** The references of one object: a node, or each node that uses a claim, needs some objects. */
export interface Relation<ObjectType> {
  /** Name of the node; undefined when the claim determines the nodes. */
  readonly node?: string | undefined;
  readonly claim?: ObjectType | undefined;
  readonly objects: readonly ObjectType[];
}

/** A referenced object, with the nodes that need it. */
export class IndexedObject extends NodeCounts implements ObjectReference {
  /** Number of references to it. */
  mentions = 0;
  /** Its own references. */
  relation: Relation<IndexedObject> | undefined;
  /** For a claim: the references of the volumes bound to it. */
  volumes: Set<Relation<IndexedObject>> | undefined;

  readonly resource: RelatedResource;
  readonly namespace: string;
  readonly name: string;

  constructor({ resource, namespace, name }: ObjectReference) {
    super();
    this.resource = resource;
    this.namespace = namespace;
    this.name = name;
  }

  /** True when the reference names this object. */
  is({ resource, namespace, name }: ObjectReference): boolean {
    return this.name === name && this.resource === resource && this.namespace === namespace;
  }
}

/** The referenced objects. Nested maps avoid a combined text key, which every lookup would have to build and hash. */
export class ObjectIndex {
  readonly #byResource = new Map<RelatedResource, Map<string, Map<string, IndexedObject>>>();
  #size = 0;

  /** Number of objects. */
  get size(): number {
    return this.#size;
  }

  /** Returns the object, or undefined when nothing refers to it. */
  find(resource: RelatedResource, namespace: string, name: string): IndexedObject | undefined {
    return this.#byResource.get(resource)?.get(namespace)?.get(name);
  }

  /** Returns the object with one more reference. Adds it when it is new. */
  mention(reference: ObjectReference): IndexedObject {
    const { resource, namespace, name } = reference;
    const object = this.find(resource, namespace, name) ?? this.#add(new IndexedObject(reference));
    object.mentions += 1;
    return object;
  }

  /** Removes one reference, and with the last one the object. */
  forget(object: IndexedObject): void {
    object.mentions -= 1;
    if (object.mentions > 0) return;
    const byNamespace = this.#byResource.get(object.resource);
    const byName = byNamespace?.get(object.namespace);
    if (byName?.delete(object.name) === true) this.#size -= 1;
    if (byName?.size === 0) byNamespace?.delete(object.namespace);
  }

  #add(object: IndexedObject): IndexedObject {
    const byNamespace = child(this.#byResource, object.resource);
    child(byNamespace, object.namespace).set(object.name, object);
    this.#size += 1;
    return object;
  }
}

/** Returns the inner map of a key. Creates it when it is missing. */
function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map<InnerKey, Value>()));
  return inner;
}
