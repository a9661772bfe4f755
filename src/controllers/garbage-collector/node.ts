import { appendTo, FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type OwnerReference } from '../../foundation/index.js';
import type { InformedObject } from '../runtime/informer-cache.js';
import type { ServedKind } from '../runtime/served-kinds.js';

/**
 * The knowledge about an object. `virtual`: only references to it were observed. `observed`: its state is known. `gone`:
 * it was deleted, but references to it remain.
 */
export type NodeState = 'virtual' | 'observed' | 'gone';

/** The relation of a dependent to its owner. `foreign`: the owner is in another namespace, which is not allowed. */
export type Edge = 'free' | 'blocking' | 'foreign';

const NONE: readonly never[] = [];

/** Maximum number of owners that are searched without an index. */
const LINEAR_SEARCH_LIMIT = 8;

/** An object in the graph of owners and dependents. */
export class GraphNode {
  readonly uid: string;
  state: NodeState = 'virtual';
  /** Undefined while the object is virtual. */
  kind: ServedKind | undefined;
  namespace = '';
  name = '';
  /** Resource version of the known state, as a number. */
  revision = -1;
  owners: readonly OwnerReference[] = NONE;
  /** Index of the owners by uid, built on first use when there are many. */
  #ownersByUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;
  finalizers: readonly string[] = NONE;
  /** The object has a deletion timestamp. */
  terminating = false;
  readonly dependents = new Map<GraphNode, Edge>();
  /** Number of dependents that block a foreground deletion. */
  blocking = 0;
  /** Coordinates at which the server has no object with this uid; see `coordinatesOf`. */
  absent: Set<string> | undefined;
  /** Owners in other namespaces that were already reported. */
  reported: Set<string> | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  /** The object waits for the deletion of its dependents. */
  get deletingDependents(): boolean {
    return this.terminating && this.finalizers.includes(FOREGROUND_FINALIZER);
  }

  /** The object waits until its dependents no longer refer to it. */
  get orphaningDependents(): boolean {
    return this.terminating && this.finalizers.includes(ORPHAN_FINALIZER);
  }

  /**
   * Returns the references to an owner. Indexed, because an object may have thousands of owners that are each looked
   * up.
   */
  referencesTo(uid: string): readonly OwnerReference[] {
    const { owners } = this;
    if (owners.length <= LINEAR_SEARCH_LIMIT) return owners.filter((reference) => reference.uid === uid);
    this.#ownersByUid ??= byUid(owners);
    return this.#ownersByUid.get(uid) ?? NONE;
  }

  /** Makes the node virtual again. */
  reset(): void {
    this.state = 'virtual';
    this.revision = -1;
    this.owners = NONE;
    this.#ownersByUid = undefined;
    this.finalizers = NONE;
    this.terminating = false;
  }

  /** Records that the object is gone, so that its dependents are deleted even when its kind is no longer served. */
  rememberAbsence(): void {
    const { kind, name, uid } = this;
    if (kind === undefined) return;
    const reference = { apiVersion: kind.apiVersion, kind: kind.kind, name, uid };
    (this.absent ??= new Set()).add(coordinatesOf(reference, this.namespace));
  }

  /** Copies the state of an object. */
  read({ metadata }: InformedObject, kind: ServedKind): void {
    this.state = 'observed';
    this.kind = kind;
    this.namespace = metadata.namespace ?? '';
    this.name = metadata.name ?? '';
    this.revision = Number(metadata.resourceVersion ?? -1);
    this.owners = metadata.ownerReferences ?? NONE;
    this.#ownersByUid = undefined;
    this.finalizers = metadata.finalizers ?? NONE;
    this.terminating = metadata.deletionTimestamp !== undefined;
  }
}

function byUid(owners: readonly OwnerReference[]): ReadonlyMap<string, readonly OwnerReference[]> {
  const found = new Map<string, OwnerReference[]>();
  for (const reference of owners) appendTo(found, reference.uid, reference);
  return found;
}

/** Returns the coordinates that a reference names from an object in a namespace. */
export function coordinatesOf({ apiVersion, kind, name }: OwnerReference, namespace: string): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** Returns true when the reference matches the object's apiVersion, kind and name. */
export function isNamedBy(owner: GraphNode, reference: OwnerReference): boolean {
  return (
    owner.name === reference.name &&
    owner.kind?.kind === reference.kind &&
    owner.kind.apiVersion === reference.apiVersion
  );
}

/** Returns true when the owner is known to be in another namespace than the dependent, which is not allowed. */
export function isForeign(owner: GraphNode, dependent: GraphNode): boolean {
  return owner.state !== 'virtual' && owner.namespace !== '' && owner.namespace !== dependent.namespace;
}
