import type { ObjectMeta } from '../../foundation/index.js';
import { objectKey, type InformedObject } from './informer-cache.js';
import type { RunWrites } from './run-writes.js';

/** Time after which a key looks again whether its writes have been delivered, in milliseconds. */
const PATIENCE_MS = 300_000;

/** The part of an informer that tells which writes it has seen. */
export interface SeenObjects {
  readonly revision: number;
  get(key: string): InformedObject | undefined;
}

/** A write that an informer may not have delivered yet. */
interface UnseenWrite {
  readonly informer: SeenObjects;
  readonly object: string;
  readonly uid: string | undefined;
  /** Revision of the written state; `deleted` for a deletion that may take time, `gone` for one that is done. */
  readonly revision: number | 'deleted' | 'gone';
}

/**
 * The writes of a controller that its informers have not delivered yet, by key of its queue.
 *
 * A controller decides by its informers' caches, which lag behind its writes. It must not decide again for a key before
 * they contain what it has written: it would create the same pods twice. The event that delivers the write enqueues the
 * key again. This does what the expectations of Kubernetes' controllers do, but compares revisions instead of counting.
 */
export class UnseenWrites implements RunWrites {
  readonly patienceMs = PATIENCE_MS;
  readonly #writes = new Map<string, UnseenWrite[]>();

  /** Remembers that an object was created or changed. */
  written(key: string, informer: SeenObjects, object: InformedObject): void {
    const { uid, resourceVersion } = object.metadata;
    this.#add(key, { informer, object: objectKey(object), uid, revision: Number(resourceVersion) });
  }

  /** Remembers that an object was deleted, or marked for deletion. */
  deleted(key: string, informer: SeenObjects, object: InformedObject): void {
    this.#add(key, { informer, object: objectKey(object), uid: object.metadata.uid, revision: 'deleted' });
  }

  /** Remembers that an object does not exist any more. */
  gone(key: string, informer: SeenObjects, object: InformedObject): void {
    this.#add(key, { informer, object: objectKey(object), uid: object.metadata.uid, revision: 'gone' });
  }

  /** Forgets the writes of a key, whose object is gone. */
  forget(key: string): void {
    this.#writes.delete(key);
  }

  /** Returns whether the informers have delivered all writes of a key. */
  allSeen(key: string): boolean {
    const writes = this.#writes.get(key);
    if (writes === undefined) return true;
    const unseen = writes.filter((write) => !isSeen(write));
    if (unseen.length > 0) this.#writes.set(key, unseen);
    else this.#writes.delete(key);
    return unseen.length === 0;
  }

  #add(key: string, write: UnseenWrite): void {
    const writes = this.#writes.get(key);
    if (writes === undefined) this.#writes.set(key, [write]);
    else writes.push(write);
  }
}

function isSeen({ informer, object, uid, revision }: UnseenWrite): boolean {
  const metadata: ObjectMeta | undefined = informer.get(object)?.metadata;
  if (revision === 'gone' || revision === 'deleted') {
    if (metadata === undefined || metadata.uid !== uid) return true;
    return revision === 'deleted' && metadata.deletionTimestamp !== undefined;
  }
  // An informer has a new object before it counts its revision.
  return informer.revision >= revision || (metadata !== undefined && Number(metadata.resourceVersion) >= revision);
}
