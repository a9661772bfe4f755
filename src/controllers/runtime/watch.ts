import type { Clock } from '../../foundation/index.js';
import type { RunningInformer, RunningQueue } from './controller.js';
import type { InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { Urgency } from './ready-keys.js';

/** The keys that a change runs; none without a list. */
export type Keys<Key> = readonly Key[] | void;

/** Maps the changes of objects to keys. A change without a function runs nothing. Must not modify the objects. */
export interface ChangeMap<Item, Key = string> {
  added?(object: Item): Keys<Key>;
  updated?(object: Item, old: Item): Keys<Key>;
  /** `object` is the last known state. */
  deleted?(object: Item): Keys<Key>;
}

/** Takes the keys of a watch. */
export interface KeySink<Key> {
  add(key: Key, urgency?: Urgency): boolean;
  addAfter(key: Key, delayMs: number): void;
}

/** The part of a server that a watch with work of its own uses. */
export interface WatchHost {
  readonly clock: Clock;
  readonly onError: (error: unknown, key?: string) => void;
}

/** An informer whose changes run keys of a reconciler. */
export interface Watch<Key = string> {
  readonly informer: RunningInformer;
  /**
   * Adds the keys of each change from now on to a queue; objects that the informer has already count as added.
   *
   * @returns the queues in which the watch does work of its own; they run with that of the reconciler
   */
  attach(queue: KeySink<Key>, host: WatchHost): readonly RunningQueue[];
}

/** A watch that maps changes at once has no queue. */
export const NO_QUEUES: readonly RunningQueue[] = Object.freeze([]);

/**
 * Returns a watch of an informer. (A function, since TypeScript does not infer the types of the objects in a list of
 * plain records.)
 *
 * @param keys maps each change to keys; one function maps all changes
 */
export function watched<Item extends InformedObject, Key = string>(
  informer: Informer<Item>,
  keys: ((object: Item) => Keys<Key>) | ChangeMap<Item, Key>,
): Watch<Key> {
  const map: ChangeMap<Item, Key> =
    typeof keys === 'function' ? { added: keys, updated: (object) => keys(object), deleted: keys } : keys;
  return {
    informer,
    attach(queue) {
      const add = (found: Keys<Key>, urgency: Urgency = 'changed'): void => {
        if (found !== undefined) for (const key of found) queue.add(key, urgency);
      };
      informer.subscribe({
        added: (object) => add(map.added?.(object), urgencyIn(informer)),
        updated: (object, old) => add(map.updated?.(object, old)),
        deleted: (object) => add(map.deleted?.(object)),
      });
      return NO_QUEUES;
    },
  };
}

/** Returns the urgency of an object that appears: the objects of the first list have not changed. */
export const urgencyIn = ({ isSynced }: { readonly isSynced: boolean }): Urgency => (isSynced ? 'changed' : 'listed');
