import { IdleRelease, type Clock } from '../foundation/index.js';
import { askForCollection } from './host-heap.js';

/** Released bytes from which a collection is worth its work. */
const FREED_BYTES = 32 * 1024 * 1024;
/** Share of the memory in use from which it is: a collection walks all of it. */
const FREED_SHARE = 0.25;
/** Number of releases in half a minute that a server makes for itself while nobody uses it. */
const IDLE_RELEASES = 1_000;
/** Number of collections, half a minute apart: the first one frees objects, the second one gathers those that stay. */
const COLLECTIONS = 2;

/**
 * Lets the host give back the memory that a server has released, once the server is quiet. The host collects garbage when
 * a program allocates memory, which a quiet one does not: without this, the heap would stay as large as it was.
 */
export class FreedHeap {
  readonly #usedBytes: () => number;
  readonly #idle: IdleRelease;
  /** Bytes that were released since the last collection. */
  #bytes = 0;
  /** Number of collections that follow the last one. */
  #following = 0;

  /**
   * @param usedBytes returns the bytes that are in use
   * @param collect asks the host for a collection
   */
  constructor(clock: Clock, usedBytes: () => number, collect: () => void = askForCollection) {
    this.#usedBytes = usedBytes;
    const freed = {
      isLarge: () => this.#following > 0 || this.#isWorthIt,
      releaseOne: () => {
        this.#following = (this.#isWorthIt ? COLLECTIONS : this.#following) - 1;
        this.#bytes = 0;
        collect();
        return false;
      },
    };
    this.#idle = new IdleRelease(clock, freed, IDLE_RELEASES);
  }

  get #isWorthIt(): boolean {
    return this.#bytes >= Math.max(FREED_BYTES, FREED_SHARE * this.#usedBytes());
  }

  /** Counts released bytes. */
  released(bytes: number): void {
    this.#bytes += bytes;
    this.#idle.used();
    if (this.#bytes >= FREED_BYTES) this.#idle.grown();
  }

  /** Cancels the timer. It must not be used afterwards. */
  close(): void {
    this.#idle.close();
  }
}
