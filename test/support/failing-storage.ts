import { decorateStorage, StorageError, type Storage, type StorageWatchSink } from '../../src/entries/storage.js';

/** The working parts of a storage: everything, reads only as on a full disk, or nothing. */
export type Works = 'everything' | 'reads' | 'nothing';

/**
 * A storage that a test can make fail, like an engine that is unreachable or full. Its watches end when it becomes
 * unreachable.
 */
export class FailingStorage {
  /** The storage, for a server. */
  readonly storage: Storage;
  readonly #sinks = new Set<StorageWatchSink>();
  #works: Works = 'everything';

  constructor(engine: Storage) {
    const read = this.#unless((works) => works === 'nothing');
    const write = this.#unless((works) => works !== 'everything');
    this.storage = decorateStorage(engine, {
      // Lists have to reach the engine, which an index in memory would spare them.
      index: undefined,
      get: read((...given) => engine.get(...given)),
      list: read((...given) => engine.list(...given)),
      create: write((...given) => engine.create(...given)),
      update: write((...given) => engine.update(...given)),
      delete: write((...given) => engine.delete(...given)),
      watch: (...given) => this.#watch(engine, ...given),
      expiries: read((...given) => engine.expiries(...given)),
      currentRevision: read(() => engine.currentRevision()),
      compactedRevision: read(() => engine.compactedRevision()),
      compact: write((...given) => engine.compact(...given)),
      ping: read(() => engine.ping()),
    });
  }

  /** Sets the working parts from now on. */
  set works(works: Works) {
    this.#works = works;
    if (works !== 'nothing') return;
    for (const sink of this.#sinks) sink.end({ kind: 'failed', error: unavailable() });
    this.#sinks.clear();
  }

  /** Returns a function that makes a method fail while `fails` is true of the working parts. */
  #unless(fails: (works: Works) => boolean) {
    return <Given extends unknown[], Result>(
      call: (...given: Given) => Promise<Result>,
    ): ((...given: Given) => Promise<Result>) => {
      return (...given) => (fails(this.#works) ? Promise.reject(unavailable()) : call(...given));
    };
  }

  #watch(engine: Storage, ...[prefix, from, sink]: Parameters<Storage['watch']>): ReturnType<Storage['watch']> {
    if (this.#works === 'nothing') {
      sink.end({ kind: 'failed', error: unavailable() });
      return { stop: () => undefined, requestProgress: () => undefined };
    }
    this.#sinks.add(sink);
    const open = (): boolean => this.#sinks.has(sink);
    const watch = engine.watch(prefix, from, {
      events: (events) => open() && sink.events(events),
      progress: (revision) => open() && sink.progress(revision),
      end: (reason) => open() && sink.end(reason),
    });
    return {
      ...watch,
      stop: () => void (this.#sinks.delete(sink), watch.stop()),
      requestProgress: () => watch.requestProgress(),
    };
  }
}

const unavailable = (): StorageError =>
  new StorageError('Unavailable', { message: 'connect ECONNREFUSED 10.0.0.7:2379' });
