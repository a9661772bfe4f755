import type { LabelSelector } from '../../../machinery/index.js';
import type { InformedObject } from '../../runtime/informer-cache.js';
import type { InformerHandler } from '../../runtime/informer.js';
import { controllerOf } from './controller-ref.js';

/** The owners whose dependents are watched. */
export interface WatchedOwners<Owner> {
  /** Kind of the owners in owner references. */
  readonly kind: string;
  /** Informer of the owners, with the index `byNamespace`. */
  readonly owners: { get(key: string): Owner | undefined; find(index: string, value: string): Owner[] };
  readonly selectorOf: (owner: Owner) => LabelSelector;
  readonly enqueue: (owner: Owner) => void;
}

/**
 * Enqueues the controller of each object that changes, the one that it had before, and for an orphan every owner that
 * selects it.
 */
export function watchDependents<Item extends InformedObject, Owner extends InformedObject>(
  dependents: { subscribe(handler: InformerHandler<Item>): () => void },
  watched: WatchedOwners<Owner>,
): void {
  const changed = (object: Item): void => {
    if (controllerOf(object) !== undefined) enqueueController(object, watched);
    else if (object.metadata.deletionTimestamp === undefined) enqueueAdopters(object, watched);
  };
  dependents.subscribe({
    added: changed,
    updated: (object, old) => {
      if (controllerOf(old)?.uid !== controllerOf(object)?.uid) enqueueController(old, watched);
      changed(object);
    },
    deleted: (object) => enqueueController(object, watched),
  });
}

/** Returns the controller of an object, when it is one of the owners. */
export function ownerIn<Owner extends InformedObject>(
  object: InformedObject,
  { kind, owners }: Pick<WatchedOwners<Owner>, 'kind' | 'owners'>,
): Owner | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(`${object.metadata.namespace ?? ''}/${reference.name}`);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

function enqueueController<Owner extends InformedObject>(object: InformedObject, watched: WatchedOwners<Owner>): void {
  const owner = ownerIn(object, watched);
  if (owner !== undefined) watched.enqueue(owner);
}

function enqueueAdopters<Owner extends InformedObject>(
  { metadata }: InformedObject,
  { owners, selectorOf, enqueue }: WatchedOwners<Owner>,
): void {
  for (const owner of owners.find('byNamespace', metadata.namespace ?? ''))
    if (selectorOf(owner).matches(metadata.labels)) enqueue(owner);
}
