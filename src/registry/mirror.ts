import type { Clock } from '../meta/clock.js';
import type { StoredObject } from '../meta/object.js';
import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd } from '../storage/storage.js';
import type { ResourceStore } from './store.js';

/** Where a {@link StoreMirror} delivers. */
export interface MirrorSink {
  /** An object is there, new or changed. Nobody may change it. */
  present(key: string, object: StoredObject): void;
  /** An object is gone. */
  absent(key: string): void;
}

/** How a {@link StoreMirror} works. */
export interface StoreMirrorOptions {
  readonly clock: Clock;
  /** Told of every failure; the mirror goes on, after a pause. */
  readonly onError?: (error: unknown) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows every object of a kind, below the API: for what decides about requests and cannot ask through one. With an engine
 * that delivers before it acknowledges (the memory engine does), what was written is known by the time the writer knows it.
 *
 * While the storage fails, the last known state stands.
 */
export class StoreMirror {
  readonly #store: ResourceStore;
  readonly #sink: MirrorSink;
  readonly #options: StoreMirrorOptions;
  readonly #keys = new Set<string>();
  #watch: StorageWatch | undefined;
  #pause: { cancel(): void } | undefined;
  #failures = 0;
  #stopped = false;

  constructor(store: ResourceStore, sink: MirrorSink, options: StoreMirrorOptions) {
    this.#store = store;
    this.#sink = sink;
    this.#options = options;
  }

  /**
   * Reads what there is and begins to follow it.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { storage } = this.#store.environment;
    const { records, revision } = await storage.list(this.#store.info.keyPrefix);
    if (this.#stopped) return;
    const gone = new Set(this.#keys);
    for (const record of records) {
      gone.delete(record.key);
      this.#keys.add(record.key);
      this.#sink.present(record.key, this.#store.read(record));
    }
    for (const key of gone) this.#remove(key);
    this.#follow(revision);
  }

  /** Ends it, for good. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
    this.#pause?.cancel();
  }

  #follow(revision: Revision): void {
    const { storage } = this.#store.environment;
    this.#watch = storage.watch(this.#store.info.keyPrefix, revision, {
      events: (events) => {
        this.#failures = 0;
        for (const event of events) this.#apply(event);
      },
      progress: () => undefined,
      end: (reason) => this.#ended(reason),
    });
  }

  #apply({ type, key, record }: StorageEvent): void {
    if (type === 'delete') return this.#remove(key);
    this.#keys.add(key);
    this.#sink.present(key, this.#store.read(record));
  }

  #remove(key: string): void {
    this.#keys.delete(key);
    this.#sink.absent(key);
  }

  #ended(reason: StorageWatchEnd): void {
    if (this.#stopped || reason.kind === 'closed') return;
    if (reason.kind === 'failed') this.#options.onError?.(reason.error);
    this.#again();
  }

  /** A state that was missed is read anew, after a pause that grows with every failure in a row. */
  #again(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#pause = this.#options.clock.after(pauseMs, () => {
      this.start().catch((error: unknown) => {
        this.#options.onError?.(error);
        if (!this.#stopped) this.#again();
      });
    });
  }
}
