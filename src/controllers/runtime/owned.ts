import type { LabelSelector } from '../../machinery/index.js';
import { BY_CONTROLLER, byController, controllerOf } from './controller-ref.js';
import { byNamespace, objectKey, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { KeySink, Watch } from './watch.js';

/** Name of the index of owners by their namespace. */
export const BY_NAMESPACE = 'byNamespace';

/** The owners of a kind. */
export interface OwnerKind<Owner> {
  /** Kind of the owners in owner references. */
  readonly kind: string;
  readonly owners: { get(key: string): Owner | undefined };
}

/** Options of {@link owned}. */
export interface OwnedOptions<Owner> {
  /** Kind of the owners in owner references. */
  readonly kind: string;
  /** Returns the selector of the objects that an owner adopts. Absent: the owners adopt nothing. */
  readonly selectorOf?: ((owner: Owner) => LabelSelector) | undefined;
}

/** Objects that name an object of a reconciler as their controller. */
export interface Owned<Owner> {
  /** Returns the watch that runs the owners. */
  by(owners: Informer<Owner & InformedObject>): Watch;
}

/**
 * Returns the objects whose changes run their controller, the one that they had before, and for an orphan every owner
 * that selects it. The informer of the objects gets the index `BY_CONTROLLER`.
 */
export function owned<Item extends InformedObject, Owner extends InformedObject>(
  informer: Informer<Item>,
  options: OwnedOptions<Owner>,
): Owned<Owner> {
  informer.addIndex(BY_CONTROLLER, byController);
  return {
    by(owners) {
      if (options.selectorOf !== undefined) owners.addIndex(BY_NAMESPACE, byNamespace);
      return { informer, attach: (queue) => attach(queue, informer, owners, options) };
    },
  };
}

function attach<Item extends InformedObject, Owner extends InformedObject>(
  queue: KeySink<string>,
  informer: Informer<Item>,
  owners: Informer<Owner>,
  { kind, selectorOf }: OwnedOptions<Owner>,
): void {
  const addController = (object: InformedObject): void => {
    const owner = ownerIn(object, { kind, owners });
    if (owner !== undefined) queue.add(objectKey(owner));
  };
  const addAdopters = ({ metadata }: InformedObject): void => {
    if (selectorOf === undefined || metadata.deletionTimestamp !== undefined) return;
    for (const owner of owners.find(BY_NAMESPACE, metadata.namespace ?? ''))
      if (selectorOf(owner).matches(metadata.labels)) queue.add(objectKey(owner));
  };
  const changed = (object: InformedObject): void =>
    controllerOf(object) === undefined ? addAdopters(object) : addController(object);
  informer.subscribe({
    added: changed,
    updated(object, old) {
      if (controllerOf(old)?.uid !== controllerOf(object)?.uid) addController(old);
      changed(object);
    },
    deleted: addController,
  });
}

/** Returns the controller of an object, when it is one of the owners. */
export function ownerIn<Owner extends InformedObject>(
  object: InformedObject,
  { kind, owners }: OwnerKind<Owner>,
): Owner | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const { namespace = '' } = object.metadata;
  // An owner in no namespace may own objects in any.
  const owner = owners.get(`${namespace}/${reference.name}`) ?? owners.get(reference.name);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}
