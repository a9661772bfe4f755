import type { Clock } from '../meta/clock.js';
import { report } from '../meta/report.js';
import type { StoredObject } from '../meta/object.js';
import type { Revision, StorageEvent, StorageRecord, StorageWatch, StorageWatchEnd } from '../storage/storage.js';
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
  /** Called with every failure of the storage; the mirror goes on, after a pause. */
  readonly onError?: (error: unknown) => void;
  /** Called with each object that cannot be read, once for each version of it that the mirror meets. */
  readonly onUnreadable?: (key: string, error: unknown) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows every object of a kind, below the API: for what decides about requests and cannot ask through one. With an engine
 * that delivers before it acknowledges (the memory engine does), what was written is known by the time the writer knows it.
 *
 * While the storage fails, the last known state stands. An object that cannot be read, or that the sink cannot take, counts as
 * absent, whatever it was before; all others are followed.
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
      this.#show(record);
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
    if (type === 'delete') this.#remove(key);
    else this.#show(record);
  }

  #show(record: StorageRecord): void {
    const { key } = record;
    try {
      this.#sink.present(key, this.#store.read(record));
      this.#keys.add(key);
    } catch (error) {
      // What it said before holds no more: an object that cannot be read must not go on granting anything.
      this.#remove(key);
      report(() => this.#options.onUnreadable?.(key, error));
    }
  }

  #remove(key: string): void {
    this.#keys.delete(key);
    this.#sink.absent(key);
  }

  #ended(reason: StorageWatchEnd): void {
    if (this.#stopped || reason.kind === 'closed') return;
    if (reason.kind === 'failed') report(() => this.#options.onError?.(reason.error));
    this.#again();
  }

  /** A state that was missed is read anew, after a pause that grows with every failure in a row. */
  #again(): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#pause = this.#options.clock.after(pauseMs, () => {
      this.start().catch((error: unknown) => {
        report(() => this.#options.onError?.(error));
        if (!this.#stopped) this.#again();
      });
    });
  }
}
