import { decorateStorage, type StorageDecorator } from '../decorate.js';
import { StorageError, type Storage, type StorageListOptions, type StoragePage } from '../storage.js';
import { WatchCache } from './cache.js';
import { CachedIndex } from './cached-index.js';
import { settingsOf, type WatchCacheOptions, type WatchCacheSettings } from './options.js';

const NO_OPTIONS: StorageListOptions = {};

/**
 * Returns a decorator that answers reads from a copy of the store in this process, for an engine whose reads are
 * requests to another process.
 *
 * The copy begins when a server takes the storage ({@link Storage.shareBudget}), because its memory belongs to the
 * budget of the server. It is filled by one list of the whole store and follows the engine's watch. A read of the
 * current state asks the engine only for its newest revision, and waits until the watch has delivered it, so it sees
 * every write that was acknowledged before it, by any server. A get while no other read asks is one request to the
 * engine. The engine answers while the copy is filled, for states that the copy does not have, when the watch is behind
 * for too long, when the store is larger than the limit, and what the copy could not read.
 *
 * Writes and watches are those of the engine. It must deliver the events of one revision in one turn of the event loop.
 *
 * @throws TypeError naming an invalid option
 */
export function watchCache(options: WatchCacheOptions): StorageDecorator {
  return watchCacheWith(settingsOf(options));
}

/**
 * Does the same with checked settings. With a limit of the texts, the copy has the keys of all objects, and reads other
 * texts when they are asked for.
 */
export function watchCacheWith(settings: WatchCacheSettings): StorageDecorator {
  return (inner) => {
    const cache = new WatchCache(inner, settings);
    return decorateStorage(inner, {
      readsTexts: settings.cold === undefined ? inner.readsTexts : true,
      shareBudget: (budget) => {
        inner.shareBudget?.(budget);
        cache.start(budget);
      },
      get: async (key, given) => {
        if (given?.notOlderThan === undefined) return cache.get(key);
        const followed = await cache.notOlderThan(given.notOlderThan);
        if (followed === undefined || followed.isOver) return inner.get(key, given);
        return (await followed.get(key)) ?? inner.get(key, given);
      },
      list: (prefix, given = NO_OPTIONS) => list(inner, cache, prefix, given),
      index: (prefix, termsOf) => new CachedIndex(cache, prefix, termsOf),
      knownRevision: () => Math.max(cache.revision ?? 0, inner.knownRevision?.() ?? 0),
      compact: async (revision) => {
        await inner.compact(revision);
        cache.compact(revision);
      },
      close: async () => {
        cache.close();
        await inner.close();
      },
    });
  };
}

async function list(
  inner: Storage,
  cache: WatchCache,
  prefix: string,
  options: StorageListOptions,
): Promise<StoragePage> {
  const followed = await cache.stateFor(options);
  if (followed === undefined || followed.isOver) return inner.list(prefix, options);
  try {
    const page = followed.state.page(prefix, options);
    // A version that has gone was compacted after this state. For one that cannot be read, the engine has the error.
    return (await followed.wholePage(page, options.reserve)) ?? (await inner.list(prefix, options));
  } catch (error) {
    // The history of the cache is shorter than that of the engine.
    if (error instanceof StorageError && error.code === 'Compacted') return inner.list(prefix, options);
    throw error;
  }
}
