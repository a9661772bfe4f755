import { report, type Clock, type StoredObject } from '../../foundation/index.js';
import type { Revision, StorageEvent, StorageRecord, StorageWatch, StorageWatchEnd } from '../../storage/index.js';
import type { ResourceStore } from './store.js';

/** Receives the objects that a {@link StoreMirror} follows. */
export interface MirrorSink {
  /** Called with a new or changed object, which must not be changed. */
  present(key: string, object: StoredObject): void;
  /** Called with the key of a removed object. */
  absent(key: string): void;
}

/** Options of a {@link StoreMirror}. */
export interface StoreMirrorOptions {
  readonly clock: Clock;
  /** Called with every failure of the storage; the mirror continues after a pause. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called once for each version of an object that cannot be read. */
  readonly onUnreadable?: ((key: string, error: unknown) => void) | undefined;
}

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;

/**
 * Follows every object of a kind below the API, for components that decide about requests and cannot send requests
 * themselves (authentication, authorization). With an engine that delivers before it acknowledges, such as the memory
 * engine, the mirror knows a write as soon as its writer does.
 *
 * While the storage fails, the mirror keeps the last known state. An object that cannot be read, or that the sink
 * rejects, counts as absent; all others are followed. After a value that cannot be decrypted, the mirror lists the objects
 * again until it can be.
 */
export class StoreMirror {
  readonly #store: ResourceStore;
  readonly #sink: MirrorSink;
  readonly #options: StoreMirrorOptions;
  readonly #keys = new Set<string>();
  /** The versions of the objects that cannot be read and were reported, by key. */
  readonly #reported = new Map<string, Revision>();
  #watch: StorageWatch | undefined;
  #pause: { cancel(): void } | undefined;
  /** Whether a value of the list or of the watch could not be read. */
  #lacksValues = false;
  #failures = 0;
  #stopped = false;

  constructor(store: ResourceStore, sink: MirrorSink, options: StoreMirrorOptions) {
    this.#store = store;
    this.#sink = sink;
    this.#options = options;
  }

  /**
   * Reads the current objects and starts to follow them.
   *
   * @throws StorageError when the storage cannot be read; Error when the kind cannot be loaded
   */
  async start(): Promise<void> {
    const { info, environment } = this.#store;
    const { storage } = environment;
    const loading = this.#store.readable();
    if (loading !== undefined) await loading;
    const { records, revision } = await storage.list(info.keyPrefix, { acceptsUnreadable: true });
    if (this.#stopped) return;
    const gone = new Set([...this.#keys, ...this.#reported.keys()]);
    for (const record of records) {
      gone.delete(record.key);
      this.#update(record);
    }
    for (const key of gone) this.#remove(key);
    this.#follow(revision);
    if (records.some((record) => record.unreadable?.() !== undefined)) this.#awaitValues();
  }

  /** Stops the mirror permanently. */
  stop(): void {
    this.#stopped = true;
    this.#watch?.stop();
    this.#pause?.cancel();
  }

  #follow(revision: Revision): void {
    const { storage } = this.#store.environment;
    this.#watch?.stop();
    this.#lacksValues = false;
    this.#watch = storage.watch(this.#store.info.keyPrefix, revision, {
      acceptsUnreadable: true,
      events: (events) => {
        if (!this.#lacksValues) this.#failures = 0;
        for (const event of events) this.#apply(event);
      },
      progress: () => undefined,
      end: (reason) => this.#onEnd(reason),
    });
  }

  #apply({ type, key, record }: StorageEvent): void {
    if (type === 'delete') return this.#remove(key);
    this.#update(record);
    if (record.unreadable?.() !== undefined) this.#awaitValues();
  }

  #update(record: StorageRecord): void {
    const { key, modRevision } = record;
    try {
      this.#sink.present(key, this.#store.read(record));
      this.#keys.add(key);
      this.#reported.delete(key);
    } catch (error) {
      const isReported = this.#reported.get(key) === modRevision;
      // The earlier state is no longer valid: an object that cannot be read must not continue to grant anything.
      this.#remove(key);
      this.#reported.set(key, modRevision);
      if (!isReported) report(() => this.#options.onUnreadable?.(key, error));
    }
  }

  #remove(key: string): void {
    this.#keys.delete(key);
    this.#reported.delete(key);
    this.#sink.absent(key);
  }

  /** Lists the objects again after a pause, in case the values that could not be read can be then. */
  #awaitValues(): void {
    this.#lacksValues = true;
    this.#restart();
  }

  #onEnd(reason: StorageWatchEnd): void {
    if (this.#stopped || reason.kind === 'closed') return;
    if (reason.kind === 'failed') report(() => this.#options.onError?.(reason.error));
    this.#restart();
  }

  /** Lists the objects again after a pause, which doubles with every consecutive failure. */
  #restart(): void {
    if (this.#pause !== undefined) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS);
    this.#failures += 1;
    this.#pause = this.#options.clock.after(pauseMs, () => {
      this.#pause = undefined;
      this.start().catch((error: unknown) => {
        report(() => this.#options.onError?.(error));
        if (!this.#stopped) this.#restart();
      });
    });
  }
}
