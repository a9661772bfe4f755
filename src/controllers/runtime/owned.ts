import { inSlices, SharedWork, type Steps, type Work } from '../../foundation/index.js';
import { BY_CONTROLLER, byController, controllerOf } from './controller-ref.js';
import { byNamespace, objectKey, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { SelectorOf } from './owner-selectors.js';
import type { Urgency } from './ready-keys.js';
import { NO_QUEUES, urgencyIn, type KeySink, type Watch, type WatchHost } from './watch.js';
import { WorkQueue } from './work-queue.js';

/** Name of the index of owners by their namespace. */
export const BY_NAMESPACE = 'byNamespace';

/** The owners of a kind. */
export interface OwnerKind<Owner> {
  /** Kind of the owners in owner references. */
  readonly kind: string;
  readonly owners: { get(key: string): Owner | undefined };
}

/** Options of {@link owned}. */
export interface OwnedOptions<Owner, Item = InformedObject> {
  /** Kind of the owners in owner references. */
  readonly kind: string;
  /** Returns the selector of the objects that an owner adopts. Absent: the owners adopt nothing. */
  readonly selectorOf?: SelectorOf<Owner> | undefined;
  /** Returns whether the object in this state runs nothing. Default: no object. */
  readonly ignores?: ((object: Item) => boolean) | undefined;
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
  options: OwnedOptions<Owner, Item>,
): Owned<Owner> {
  informer.addIndex(BY_CONTROLLER, byController);
  return {
    by(owners) {
      if (options.selectorOf !== undefined) owners.addIndex(BY_NAMESPACE, byNamespace);
      return { informer, attach: (queue, host) => attach(queue, informer, { owners, host, ...options }) };
    },
  };
}

/** The parts that the changes of owned objects are mapped with. */
interface Attached<Owner extends InformedObject, Item> extends OwnedOptions<Owner, Item> {
  readonly owners: Informer<Owner>;
  readonly host: WatchHost;
}

function attach<Item extends InformedObject, Owner extends InformedObject>(
  queue: KeySink<string>,
  informer: Informer<Item>,
  { kind, owners, selectorOf, ignores, host }: Attached<Owner, Item>,
): ReturnType<Watch['attach']> {
  const addController = (object: InformedObject, urgency: Urgency = 'changed'): void => {
    const owner = ownerIn(object, { kind, owners });
    if (owner !== undefined) queue.add(objectKey(owner), urgency);
  };
  // An orphan is compared with the selectors of all owners, of which there may be thousands.
  const orphans = selectorOf && orphanQueue(queue, informer, new Adopters(owners, selectorOf), host);
  const changed = (object: Item, urgency: Urgency = 'changed'): void => {
    if (ignores?.(object) === true) return;
    if (controllerOf(object) !== undefined) addController(object, urgency);
    else if (object.metadata.deletionTimestamp === undefined) orphans?.add(objectKey(object));
  };
  informer.subscribe({
    added: (object) => changed(object, urgencyIn(informer)),
    updated(object, old) {
      if (controllerOf(old)?.uid !== controllerOf(object)?.uid) addController(old);
      changed(object);
    },
    deleted: (object) => addController(object),
  });
  return orphans === undefined ? NO_QUEUES : [orphans];
}

/** Returns the queue of objects without a controller: it runs the owners that may adopt them. */
function orphanQueue<Item extends InformedObject, Owner extends InformedObject>(
  queue: KeySink<string>,
  informer: Informer<Item>,
  adopters: Adopters<Owner>,
  { clock, onError }: WatchHost,
): WorkQueue<string> {
  return new WorkQueue<string>({
    clock,
    async process(key) {
      const object = informer.get(key);
      if (object === undefined || controllerOf(object) !== undefined) return;
      const work = new SharedWork();
      for (const owner of await inSlices(work, adopters.of(object, work))) queue.add(owner);
    },
    onError: (key, error) => onError(error, key),
  });
}

/** Units of work to look at an owner, besides the requirements of its selector. */
const OWNER_UNITS = 4;

/** The owners that may adopt an object. */
class Adopters<Owner extends InformedObject> {
  readonly #owners: Informer<Owner>;
  readonly #selectorOf: SelectorOf<Owner>;

  constructor(owners: Informer<Owner>, selectorOf: SelectorOf<Owner>) {
    this.#owners = owners;
    this.#selectorOf = selectorOf;
  }

  /** Returns the keys of the owners whose selectors match an object. */
  *of({ metadata }: InformedObject, work: Work): Steps<string[]> {
    const keys: string[] = [];
    for (const owner of this.#owners.find(BY_NAMESPACE, metadata.namespace ?? '')) {
      const selector = yield* this.#selectorOf(owner, work);
      if (work.spend(OWNER_UNITS + selector.requirements.length)) yield;
      if (selector.matches(metadata.labels)) keys.push(objectKey(owner));
    }
    return keys;
  }
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
