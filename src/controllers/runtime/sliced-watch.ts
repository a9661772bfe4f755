import { inSlices, SharedWork, type Steps, type Work } from '../../foundation/index.js';
import { objectKey, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { Watch } from './watch.js';
import { WorkQueue } from './work-queue.js';

/**
 * Maps a change of an object to keys, in steps.
 *
 * @param object the current state; undefined when the object is gone
 * @param old the state at the last call; undefined for a new object
 */
export type SlicedKeys<Item, Key = string> = (
  object: Item | undefined,
  old: Item | undefined,
  work: Work,
) => Steps<Iterable<Key>>;

/**
 * Returns a watch whose changes take long to map to keys, because they concern many objects: in a queue of its own, in
 * several turns of the event loop. Changes that follow each other closely are one.
 */
export function watchedInSlices<Item extends InformedObject, Key = string>(
  informer: Informer<Item>,
  keysOf: SlicedKeys<Item, Key>,
): Watch<Key> {
  return {
    informer,
    attach(sink, { clock, onError }) {
      const changes = new SlicedChanges(informer, keysOf);
      const queue: WorkQueue<string> = new WorkQueue<string>({
        clock,
        process: async (key) => {
          for (const found of await changes.of(key)) sink.add(found);
        },
        onError: (key, error) => onError(error, key),
      });
      const changed = (object: Item): void => void queue.add(objectKey(object));
      informer.subscribe({ added: changed, updated: changed, deleted: changed });
      return [queue];
    },
  };
}

/** Compares the objects of an informer with their states at the last look. */
class SlicedChanges<Item extends InformedObject, Key> {
  readonly #informer: Informer<Item>;
  readonly #keysOf: SlicedKeys<Item, Key>;
  readonly #seen = new Map<string, Item>();

  constructor(informer: Informer<Item>, keysOf: SlicedKeys<Item, Key>) {
    this.#informer = informer;
    this.#keysOf = keysOf;
  }

  /** Returns the keys that the changes of an object since the last call run. */
  async of(key: string): Promise<Iterable<Key>> {
    const object = this.#informer.get(key);
    const old = this.#seen.get(key);
    if (object === old) return [];
    if (object === undefined) this.#seen.delete(key);
    else this.#seen.set(key, object);
    const work = new SharedWork();
    const isReplaced = object !== undefined && old !== undefined && object.metadata.uid !== old.metadata.uid;
    if (!isReplaced) return inSlices(work, this.#keysOf(object, old, work));
    const before = await inSlices(work, this.#keysOf(undefined, old, work));
    return new Set([...before, ...(await inSlices(work, this.#keysOf(object, undefined, work)))]);
  }
}
