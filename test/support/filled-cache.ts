import { watchCache, type WatchCacheOptions, type WatchCacheStatus } from '../../src/storage/cached/index.js';
import { MemoryBudget, type Storage } from '../../src/entries/storage.js';

/** A storage with a watch cache, and what the cache has reported. */
export interface CachedStorage {
  readonly storage: Storage;
  readonly budget: MemoryBudget;
  readonly statuses: readonly WatchCacheStatus[];
  /** Resolves with the next status that satisfies a condition, or one that has. */
  until(condition: (status: WatchCacheStatus) => boolean): Promise<WatchCacheStatus>;
  /** Resolves when the cache has answered for the given number of times. */
  serving(times?: number): Promise<void>;
}

/** Puts a started watch cache above an engine. */
export function cachedStorage(
  engine: Storage,
  options: Omit<WatchCacheOptions, 'onStatus'>,
  budget = new MemoryBudget(),
): CachedStorage {
  const statuses: WatchCacheStatus[] = [];
  let wake: () => void = () => undefined;
  const storage = watchCache({
    ...options,
    onStatus: (status) => {
      statuses.push(status);
      wake();
    },
  })(engine);
  storage.shareBudget?.(budget);
  const when = async <Value>(find: () => Value | undefined): Promise<Value> => {
    for (let found = find(); ; found = find()) {
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        const before = wake;
        wake = () => {
          before();
          resolve();
        };
      });
    }
  };
  return {
    storage,
    budget,
    statuses,
    until: (condition) => when(() => statuses.find(condition)),
    serving: async (times = 1) => {
      await when(() => (statuses.filter(({ kind }) => kind === 'serving').length >= times ? true : undefined));
    },
  };
}

/** Puts a watch cache above an engine, and resolves when it answers. */
export async function filledCache(
  engine: Storage,
  options: Omit<WatchCacheOptions, 'onStatus'>,
  budget?: MemoryBudget,
): Promise<CachedStorage> {
  const cached = cachedStorage(engine, options, budget);
  await cached.serving();
  return cached;
}
