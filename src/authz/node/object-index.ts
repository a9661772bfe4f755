import { NodeCounts } from './node-counts.js';

/** Plural names of the resources that something on a node may need. */
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

/** Which object of a resource. The namespace is empty where there is none. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** Which object of all. */
export interface ObjectReference extends ObjectKey {
  readonly resource: RelatedResource;
}

/** What one object says: on a node, or wherever a claim is used, some objects are needed. */
export interface Relation<ObjectType> {
  /** Name of the node; undefined when a claim leads there. */
  readonly node?: string | undefined;
  readonly claim?: ObjectType | undefined;
  readonly objects: readonly ObjectType[];
}

/** An object that somebody speaks of, with the nodes on which it is needed. */
export class IndexedObject extends NodeCounts implements ObjectReference {
  /** How many times relations name it. */
  mentions = 0;
  /** What it says itself. */
  relation: Relation<IndexedObject> | undefined;
  /** What the volumes say that are bound to it, if it is a claim. */
  volumes: Set<Relation<IndexedObject>> | undefined;

  constructor(
    readonly resource: RelatedResource,
    readonly namespace: string,
    readonly name: string,
  ) {
    super();
  }

  /** True when the reference is to this object. */
  is({ resource, namespace, name }: ObjectReference): boolean {
    return this.name === name && this.resource === resource && this.namespace === namespace;
  }
}

/** The objects that somebody speaks of. Looking one up makes no text of its parts, which would have to be hashed each time. */
export class ObjectIndex {
  readonly #byResource = new Map<RelatedResource, Map<string, Map<string, IndexedObject>>>();
  #size = 0;

  /** How many objects are known. */
  get size(): number {
    return this.#size;
  }

  /** The object, if somebody speaks of it. */
  find(resource: RelatedResource, namespace: string, name: string): IndexedObject | undefined {
    return this.#byResource.get(resource)?.get(namespace)?.get(name);
  }

  /** The object, known from now on, and mentioned once more. */
  mention({ resource, namespace, name }: ObjectReference): IndexedObject {
    const object = this.find(resource, namespace, name) ?? this.#add(new IndexedObject(resource, namespace, name));
    object.mentions += 1;
    return object;
  }

  /** Takes a mention back. An object that nobody mentions is forgotten. */
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

/** The map at a key, made when there is none. */
function child<Key, InnerKey, Value>(map: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = map.get(key);
  if (inner === undefined) map.set(key, (inner = new Map<InnerKey, Value>()));
  return inner;
}
