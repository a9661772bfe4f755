import type { StorageIndex, StorageMatches, StorageQuery, TermsOf } from '../storage-index.js';
import type { WatchCache } from './cache.js';
import { StorageError } from '../storage.js';
import type { FollowedState } from './followed-state.js';

/** An index of the records in a cache. It does not answer while the engine has to. */
export class CachedIndex implements StorageIndex {
  readonly #cache: WatchCache;
  readonly #prefix: string;
  readonly #termsOf: TermsOf;
  #opened: { readonly followed: FollowedState; readonly index: StorageIndex } | undefined;
  #isDropped = false;

  constructor(cache: WatchCache, prefix: string, termsOf: TermsOf) {
    this.#cache = cache;
    this.#prefix = prefix;
    this.#termsOf = termsOf;
  }

  async find(query: StorageQuery): Promise<StorageMatches | undefined> {
    try {
      const state = await this.#cache.stateFor(query);
      if (this.#isDropped || state === undefined || state.isOver) return undefined;
      const matches = await this.#indexOf(state).find(query);
      return matches && (await state.wholePage(matches, query.reserve));
    } catch (error) {
      // The engine cannot be reached. The reader reads the range and gets the error.
      if (error instanceof StorageError) return undefined;
      throw error;
    }
  }

  drop(): void {
    this.#isDropped = true;
    this.#opened?.index.drop();
    this.#opened = undefined;
  }

  #indexOf(followed: FollowedState): StorageIndex {
    if (this.#opened?.followed !== followed)
      this.#opened = { followed, index: followed.state.index(this.#prefix, this.#termsOf) };
    return this.#opened.index;
  }
}
