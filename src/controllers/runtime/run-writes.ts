import type { InformedObject } from './informer-cache.js';

/**
 * The writes of the runs of a controller: a key does not run before the informers have delivered those of its last run.
 * It would be reconciled by old caches.
 */
export interface RunWrites {
  /** Time after which a key that waits for its writes is looked at again without an event, in milliseconds. */
  readonly patienceMs: number;
  /** Returns whether the informers have delivered all writes of a key, so that it may run. */
  allSeen(key: string): boolean;
  /** Forgets the writes of a key, whose object is gone. */
  forget(key: string): void;
  /** Called when the run of a key begins. */
  began?(key: string): void;
  /** Called when the run of a key has ended. Returns whether others have changed its objects meanwhile. */
  ended?(key: string): boolean;
  /** Returns whether a version of an object may be that of another writer than the runs of a key. Default: any may. */
  isForeign?(key: string, object: InformedObject): boolean;
}
