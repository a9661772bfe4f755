import { inSlices, SharedWork, type Steps, type Work } from '../../foundation/index.js';
import { objectKey } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { AnyObject } from './served-kinds.js';
import type { ItemOf, Source } from './sources.js';
import type { Watched } from './watch.js';
import { WorkQueue } from './work-queue.js';

/**
 * Maps a change of an object to keys, in steps.
 *
 * @param object the current state; undefined when the object is gone
 * @param old the state at the last call; undefined for a new object
 */
export type SlicedKeys<Item> = (object: Item | undefined, old: Item | undefined, work: Work) => Steps<Iterable<string>>;

/**
 * Returns a watch whose changes take long to map to keys, because they concern many objects: in a queue of its own, in
 * several turns of the event loop. Changes that follow each other closely are one.
 */
export function watchedInSlices<const Followed extends Source>(
  source: Followed,
  keysOf: SlicedKeys<ItemOf<Followed>>,
): Watched<Followed>;
// The informer of the source delivers its objects.
export function watchedInSlices(source: Source, keysOf: SlicedKeys<AnyObject>): Watched {
  return {
    source,
    attach({ queue: sink, host: { clock, informers, onError } }) {
      const informer: Informer<AnyObject> = informers.of(source);
      const changes = new SlicedChanges(informer, keysOf);
      const queue: WorkQueue<string> = new WorkQueue<string>({
        clock,
        process: async (key) => {
          for (const found of await changes.of(key)) sink.add(found);
        },
        onError: (key, error) => onError(error, key),
      });
      const changed = (object: AnyObject): void => void queue.add(objectKey(object));
      informer.subscribe({ added: changed, updated: changed, deleted: changed });
      return [queue];
    },
  };
}

/** Compares the objects of an informer with their states at the last look. */
class SlicedChanges {
  readonly #informer: Informer<AnyObject>;
  readonly #keysOf: SlicedKeys<AnyObject>;
  readonly #seen = new Map<string, AnyObject>();

  constructor(informer: Informer<AnyObject>, keysOf: SlicedKeys<AnyObject>) {
    this.#informer = informer;
    this.#keysOf = keysOf;
  }

  /** Returns the keys that the changes of an object since the last call run. */
  async of(key: string): Promise<Iterable<string>> {
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
