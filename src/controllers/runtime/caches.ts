import { shown } from '../../foundation/index.js';
import { objectKey, type IndexFunction, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import type { AnyObject } from './served-kinds.js';
import type { SharedInformers } from './shared-informers.js';
import type { ItemOf, Source } from './sources.js';

/** The cached objects of a kind or view. They are shared: they must not be changed. */
export interface Cached<Item> {
  /** Returns an object by `namespace/name`, or by its name for a kind without namespaces. */
  get(key: string): Item | undefined;
  /** Returns the objects with a value in an index of the controller. @throws TypeError without that index */
  find(index: string, value: string): Item[];
  values(): Iterable<Item>;
  /** Returns the keys of all objects. */
  keys(): string[];
}

/** Returns the cache of a kind or view that the controller follows. @throws TypeError for any other */
export type CacheOf = <Followed extends Source>(source: Followed) => Cached<ItemOf<Followed>>;

/** The parts of {@link cachesOf}. */
export interface FollowedSources {
  /** Name of the controller. */
  readonly name: string;
  readonly informers: SharedInformers;
  /** The kinds and views that it follows. */
  readonly sources: readonly Source[];
}

/** Returns the caches of a controller. */
export function cachesOf({ name, informers, sources }: FollowedSources): CacheOf {
  const cached = (source: Source): Cached<AnyObject> => {
    if (!sources.includes(source))
      throw new TypeError(
        `cached: the controller ${name} follows no ${'kind' in source ? source.kind : shown(source)}`,
      );
    return cacheOf(informers.of(source), (index) => indexName(name, index));
  };
  // The informer of a source delivers its objects.
  return cached as CacheOf;
}

/** Adds indexes of a controller to an informer. */
export function addIndexes<Item extends InformedObject>(
  informer: Informer<Item>,
  name: string,
  indexes: Readonly<Record<string, IndexFunction<Item>>>,
): void {
  for (const [index, valuesOf] of Object.entries(indexes)) informer.addIndex(indexName(name, index), valuesOf);
}

/** Informers are shared, so that the indexes of two controllers must not have one name. */
const indexName = (controller: string, index: string): string => `${controller}/${index}`;

function cacheOf(informer: Informer<AnyObject>, indexNameOf: (name: string) => string): Cached<AnyObject> {
  return {
    get: (key) => informer.get(key),
    find: (index, value) => informer.find(indexNameOf(index), value),
    values: () => informer.values(),
    keys: () => [...informer.values()].map(objectKey),
  };
}
