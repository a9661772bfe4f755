import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../meta/finalizers.js';
import type { OwnerReference } from '../../meta/object.js';
import type { AnyObject, ServedKind } from '../served-kinds.js';

/**
 * What is known of an object: `virtual`, somebody refers to it; `observed`, it was seen; `gone`, it was seen to go and
 * somebody still refers to it.
 */
export type NodeState = 'virtual' | 'observed' | 'gone';

/** How a dependant hangs on its owner. A `foreign` one names an owner of another namespace, which it cannot have. */
export type Edge = 'free' | 'blocking' | 'foreign';

const NONE: readonly never[] = [];

/** So many owners are searched one by one. */
const FEW = 8;

/** An object in the graph of owners and dependants. */
export class GraphNode {
  readonly uid: string;
  state: NodeState = 'virtual';
  /** Undefined while the object is virtual. */
  kind: ServedKind | undefined;
  namespace = '';
  name = '';
  /** Version of the state that is known, as a number. */
  revision = -1;
  owners: readonly OwnerReference[] = NONE;
  /** The owners by uid, when somebody has asked for one of many. */
  #ownersByUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;
  finalizers: readonly string[] = NONE;
  /** It has been deleted and is not gone yet. */
  ending = false;
  readonly dependants = new Map<GraphNode, Edge>();
  /** Dependants that hold up a foreground deletion. */
  blocking = 0;
  /** Where a request to the server has found that no object has this uid; see `coordinatesOf`. */
  absent: Set<string> | undefined;
  /** Owners of other namespaces that were reported. */
  reported: Set<string> | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  /** It waits for its dependants to go. */
  get deletingDependants(): boolean {
    return this.ending && this.finalizers.includes(FOREGROUND_FINALIZER);
  }

  /** It waits for its dependants to lose it. */
  get orphaningDependants(): boolean {
    return this.ending && this.finalizers.includes(ORPHAN_FINALIZER);
  }

  /** Its references to an owner. An object may have thousands of owners, and each of them asks. */
  referencesTo(uid: string): readonly OwnerReference[] {
    const { owners } = this;
    if (owners.length <= FEW) return owners.filter((reference) => reference.uid === uid);
    this.#ownersByUid ??= byUid(owners);
    return this.#ownersByUid.get(uid) ?? NONE;
  }

  /** Takes over what an object says. */
  read({ metadata }: AnyObject, kind: ServedKind): void {
    this.state = 'observed';
    this.kind = kind;
    this.namespace = metadata.namespace ?? '';
    this.name = metadata.name ?? '';
    this.revision = Number(metadata.resourceVersion ?? -1);
    this.owners = metadata.ownerReferences ?? NONE;
    this.#ownersByUid = undefined;
    this.finalizers = metadata.finalizers ?? NONE;
    this.ending = metadata.deletionTimestamp !== undefined;
  }
}

function byUid(owners: readonly OwnerReference[]): ReadonlyMap<string, readonly OwnerReference[]> {
  const found = new Map<string, OwnerReference[]>();
  for (const reference of owners) {
    const others = found.get(reference.uid);
    if (others === undefined) found.set(reference.uid, [reference]);
    else others.push(reference);
  }
  return found;
}

/** Where a reference points when it stands in an object of a namespace. */
export function coordinatesOf({ apiVersion, kind, name }: OwnerReference, namespace: string): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}

/** The reference names the object as it is: the same kind, in the same version, and name. */
export function isNamedBy(owner: GraphNode, reference: OwnerReference): boolean {
  return (
    owner.name === reference.name &&
    owner.kind?.kind === reference.kind &&
    owner.kind.apiVersion === reference.apiVersion
  );
}

/** The owner is known to live in another namespace than the dependant, which then cannot have it. */
export function isForeign(owner: GraphNode, dependant: GraphNode): boolean {
  return owner.state !== 'virtual' && owner.namespace !== '' && owner.namespace !== dependant.namespace;
}
