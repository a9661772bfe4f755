import {
  decorateStorage,
  type Storage,
  type StorageWatchEnd,
  type StorageWatchSink,
} from '../../src/entries/storage.js';

/** Reads of a {@link RemoteStorage}. */
export type RemoteRead = 'get' | 'list' | 'currentRevision';

/**
 * A storage that is in another process, as far as its reader can tell: it counts its reads, and a test delays or ends
 * what its watches deliver.
 */
export class RemoteStorage {
  /** The storage, for a reader. */
  readonly storage: Storage;
  /** The reads so far, in order. */
  readonly reads: RemoteRead[] = [];
  readonly #sinks = new Set<StorageWatchSink>();
  #held: (() => void)[] | undefined;

  constructor(engine: Storage) {
    this.storage = decorateStorage(engine, {
      index: undefined,
      get: (...given) => this.#read('get', () => engine.get(...given)),
      list: (...given) => this.#read('list', () => engine.list(...given)),
      currentRevision: () => this.#read('currentRevision', () => engine.currentRevision()),
      watch: (prefix, from, sink) => {
        const deliver = (call: () => void): void => {
          if (!this.#sinks.has(sink)) return;
          if (this.#held === undefined) call();
          else this.#held.push(() => this.#sinks.has(sink) && call());
        };
        this.#sinks.add(sink);
        const watch = engine.watch(prefix, from, {
          events: (events) => deliver(() => sink.events(events)),
          progress: (revision) => deliver(() => sink.progress(revision)),
          end: (reason) => this.#sinks.delete(sink) && sink.end(reason),
        });
        return {
          requestProgress: () => watch.requestProgress(),
          stop: () => {
            this.#sinks.delete(sink);
            watch.stop();
          },
        };
      },
    });
  }

  /** Number of running watches. */
  get watches(): number {
    return this.#sinks.size;
  }

  /** Holds back what the watches deliver from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Delivers what was held back, and everything later at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const deliver of held) deliver();
  }

  /** Ends all watches. */
  end(reason: StorageWatchEnd): void {
    const sinks = [...this.#sinks];
    this.#sinks.clear();
    for (const sink of sinks) sink.end(reason);
  }

  /** Ends the oldest running watch. */
  endFirst(reason: StorageWatchEnd): void {
    for (const sink of this.#sinks) {
      this.#sinks.delete(sink);
      return sink.end(reason);
    }
  }

  #read<Result>(read: RemoteRead, call: () => Promise<Result>): Promise<Result> {
    this.reads.push(read);
    return call();
  }
}
