import { inSlices, SharedWork, type Steps, type Work } from '../../foundation/index.js';
import { BY_CONTROLLER, byController, controllerOf } from './controller-ref.js';
import { byNamespace, objectKey, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { ReconcilerHost } from './keyed-reconciler.js';
import type { SelectorOf } from './owner-selectors.js';
import type { Urgency } from './ready-keys.js';
import type { AnyObject } from './served-kinds.js';
import { kindOf, type Source } from './sources.js';
import { NO_QUEUES, urgencyIn, type KeySink, type Watched, type WatchingReconciler } from './watch.js';
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
export interface OwnedOptions<Owner> {
  /** Returns the selector of the objects that an owner adopts. Absent: the owners adopt nothing. */
  readonly selectorOf?: SelectorOf<Owner> | undefined;
}

/**
 * Returns the watch of the objects whose changes run their controller, the one that they had before, and for an orphan
 * every owner that selects it. The informer of the objects gets the index `BY_CONTROLLER`.
 */
export function owned<const Followed extends Source, Owner>(
  source: Followed,
  options?: OwnedOptions<Owner>,
): Watched<Followed>;
// The informer of the reconciled kind delivers the owners.
export function owned(source: Source, { selectorOf }: OwnedOptions<AnyObject> = {}): Watched {
  return {
    source,
    attach({ queue, host, kind, isForeign }) {
      if (kind === undefined) throw new TypeError('owned: the reconciler has no kind of owners');
      const informer: Informer<AnyObject> = host.informers.of(source);
      const owners: Informer<AnyObject> = host.informers.of(kind);
      informer.addIndex(BY_CONTROLLER, byController);
      if (selectorOf !== undefined) owners.addIndex(BY_NAMESPACE, byNamespace);
      const ownerOf = (object: AnyObject) => ownerIn(object, { kind: kindOf(kind).kind, owners });
      // An orphan is compared with the selectors of all owners, of which there may be thousands.
      const orphans = selectorOf && orphanQueue(queue, informer, new Adopters(owners, selectorOf), host);
      subscribe({ queue, informer, ownerOf, orphans, isForeign });
      return orphans === undefined ? NO_QUEUES : [orphans];
    },
  };
}

/** The parts that the changes of owned objects are mapped with. */
interface OwnedChanges extends Pick<WatchingReconciler, 'queue' | 'isForeign'> {
  readonly informer: Informer<AnyObject>;
  readonly ownerOf: (object: AnyObject) => AnyObject | undefined;
  readonly orphans: WorkQueue<string> | undefined;
}

function subscribe({ queue, informer, ownerOf, orphans, isForeign }: OwnedChanges): void {
  const addController = (object: AnyObject): void => {
    const owner = ownerOf(object);
    if (owner !== undefined) queue.add(objectKey(owner));
  };
  const changed = (object: AnyObject, urgency: Urgency = 'changed'): void => {
    if (controllerOf(object) === undefined) {
      if (object.metadata.deletionTimestamp === undefined) orphans?.add(objectKey(object));
      return;
    }
    const owner = ownerOf(object);
    if (owner === undefined) return;
    const key = objectKey(owner);
    if (isForeign(key, object)) queue.add(key, urgency);
  };
  informer.subscribe({
    added: (object) => changed(object, urgencyIn(informer)),
    updated(object, old) {
      if (controllerOf(old)?.uid !== controllerOf(object)?.uid) addController(old);
      changed(object);
    },
    deleted: addController,
  });
}

/** Returns the queue of objects without a controller: it runs the owners that may adopt them. */
function orphanQueue(
  queue: KeySink,
  informer: Informer<AnyObject>,
  adopters: Adopters,
  { clock, onError }: ReconcilerHost,
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
class Adopters {
  readonly #owners: Informer<AnyObject>;
  readonly #selectorOf: SelectorOf<AnyObject>;

  constructor(owners: Informer<AnyObject>, selectorOf: SelectorOf<AnyObject>) {
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
