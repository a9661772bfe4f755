import type { Call } from '../../client/index.js';
import { cloneJson, shown, type DialectGroups } from '../../foundation/index.js';
import type { Cached, CacheOf } from '../runtime/caches.js';
import { BY_CONTROLLER, controllerOf } from '../runtime/controller-ref.js';
import { objectKey, type IndexFunction } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import type { Source, View } from '../runtime/sources.js';
import type { CachedForm } from './cached-form.js';
import { calledKey, deliveringSources, isStoredObject, storesNothing, type Followed } from './own-calls.js';

/** The parts of {@link RunCaches}. */
export interface RunCachesParts {
  readonly dialect: DialectGroups;
  readonly cached: CacheOf;
  /** The kinds and views that the controller follows; the first is the one that it reconciles. */
  readonly followed: readonly Followed[];
  readonly owns: readonly Followed[];
  /** Returns what the caches hold of the objects of a source. */
  readonly form: CachedForm;
  /** The indexes of the objects that it reconciles. */
  readonly indexes: Readonly<Record<string, IndexFunction<AnyObject>>>;
}

/** An object in the state that a run has written, or one that the run has deleted. */
type Written = { readonly object: AnyObject } | { readonly goneUid: string | undefined };

/** The objects of an informer that a run has written, by key. */
type Overlay = Map<string, Written>;

/**
 * The caches as a run sees them: with what the run has written itself, until the informers have delivered it or something
 * newer. It ends with the run; the key runs again only when the informers have delivered the writes.
 */
export class RunCaches {
  readonly #parts: RunCachesParts;
  readonly #overlays = new Map<Informer<AnyObject>, Overlay>();

  constructor(parts: RunCachesParts) {
    this.#parts = parts;
  }

  readonly cached = ((source: Source): Cached<AnyObject> => {
    const { cached, followed, indexes } = this.#parts;
    // Refuses what the controller does not follow.
    const delivered = cached(source);
    const found = followed.find((other) => other.source === source);
    if (found === undefined) return delivered;
    const overlay = this.#overlayOf(found.informer);
    const isMain = found === followed[0];
    return overlaid(delivered, overlay, found.informer, (name) => (isMain ? indexes[name] : undefined));
    // The informer of a source delivers its objects.
  }) as CacheOf;

  /** Returns the objects of an owned kind or view that an owner controls. @throws TypeError for any other kind */
  owned(source: Source, { metadata: { uid = '' } }: AnyObject): AnyObject[] {
    const found = this.#parts.owns.find((other) => other.source === source);
    if (found === undefined)
      throw new TypeError(`owned: the option owns of the controller does not name ${shown(source)}`);
    const { informer } = found;
    return withWritten(
      informer.find(BY_CONTROLLER, uid),
      this.#overlayOf(informer),
      informer,
      (object) => controllerOf(object)?.uid === uid,
    );
  }

  /** Takes in the answer of a call of the run. */
  learn(call: Call, answer: unknown): void {
    if (storesNothing(call)) return;
    const written = writtenBy(call, answer);
    if (written === undefined) return;
    const { followed, dialect, form } = this.#parts;
    for (const { source, informer } of deliveringSources(followed, call, dialect)) {
      const overlay = this.#overlayOf(informer);
      if ('goneUid' in written) overlay.set(calledKey(call), written);
      else overlay.set(objectKey(written.object), { object: copyOf(written.object, form(source)) });
    }
  }

  #overlayOf(informer: Informer<AnyObject>): Overlay {
    const known = this.#overlays.get(informer);
    if (known !== undefined) return known;
    const overlay: Overlay = new Map();
    this.#overlays.set(informer, overlay);
    return overlay;
  }
}

/** The answer of a call is its caller's, who may change it. */
function copyOf(object: AnyObject, keep: View['keep']): AnyObject {
  const copy = cloneJson(object) as AnyObject;
  return keep?.(copy) ?? copy;
}

/** Returns what a call has written; undefined when its answer does not tell. */
function writtenBy(call: Call, answer: unknown): Written | undefined {
  if (call.verb === 'delete') {
    if (isStoredObject(answer)) return remains(answer) ? whole(call, answer) : { goneUid: answer.metadata.uid };
    return { goneUid: deletedUid(answer) };
  }
  return isStoredObject(answer) ? whole(call, answer) : undefined;
}

/** The answer of a subresource may be another kind, and that of a metadata client a part of the object. */
const whole = (call: Call, object: AnyObject): Written | undefined =>
  call.form === 'whole' && object.kind === call.kind.kind ? { object } : undefined;

const remains = ({ metadata }: AnyObject): boolean =>
  (metadata.finalizers ?? []).length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;

/** Returns the uid in the Status that answers a delete. */
function deletedUid(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('details' in answer)) return undefined;
  const { details } = answer;
  if (typeof details !== 'object' || details === null || !('uid' in details)) return undefined;
  return typeof details.uid === 'string' ? details.uid : undefined;
}

/** Returns the state of an object that is newer: what the informer has delivered, or what the run has written. */
function newer(
  written: Written,
  delivered: AnyObject | undefined,
  informer: Informer<AnyObject>,
): AnyObject | undefined {
  if ('goneUid' in written) return delivered?.metadata.uid === written.goneUid ? undefined : delivered;
  const version = versionOf(written.object);
  if (informer.revision >= version) return delivered;
  return delivered !== undefined && versionOf(delivered) >= version ? delivered : written.object;
}

const versionOf = ({ metadata }: AnyObject): number => Number(metadata.resourceVersion);

/** Returns objects of an informer with what was written of them, and the written ones that belong to them. */
function withWritten(
  delivered: Iterable<AnyObject>,
  overlay: Overlay,
  informer: Informer<AnyObject>,
  belongs: (object: AnyObject) => boolean,
): AnyObject[] {
  if (overlay.size === 0) return [...delivered];
  const objects: AnyObject[] = [];
  for (const object of delivered) if (!overlay.has(objectKey(object))) objects.push(object);
  for (const [key, written] of overlay) {
    const object = newer(written, informer.get(key), informer);
    if (object !== undefined && belongs(object)) objects.push(object);
  }
  return objects;
}

/** Returns a cache with what a run has written. */
function overlaid(
  delivered: Cached<AnyObject>,
  overlay: Overlay,
  informer: Informer<AnyObject>,
  indexOf: (name: string) => IndexFunction<AnyObject> | undefined,
): Cached<AnyObject> {
  const values = (): Iterable<AnyObject> =>
    overlay.size === 0 ? delivered.values() : withWritten(delivered.values(), overlay, informer, () => true);
  return {
    get(key) {
      const written = overlay.get(key);
      return written === undefined ? delivered.get(key) : newer(written, delivered.get(key), informer);
    },
    find: (index, value) =>
      withWritten(
        delivered.find(index, value),
        overlay,
        informer,
        (object) => indexOf(index)?.(object).includes(value) === true,
      ),
    values,
    keys: () => Array.from(values(), objectKey),
  };
}
