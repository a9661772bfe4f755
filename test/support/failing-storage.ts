import { StorageError, type Storage, type StorageWatchSink } from '../../src/storage/index.js';

/** The working parts of a storage: everything, reads only as on a full disk, or nothing. */
export type Works = 'everything' | 'reads' | 'nothing';

/** Methods that use neither disk nor network. */
const HARMLESS: ReadonlySet<PropertyKey> = new Set(['close', 'shareBudget']);
const WRITES: ReadonlySet<PropertyKey> = new Set(['create', 'update', 'delete', 'compact']);

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
    this.storage = new Proxy(engine, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        // Lists have to reach the engine, which an index in memory would spare them.
        if (property === 'index') return undefined;
        if (property === 'watch') return this.#watch.bind(this, target);
        const call = value.bind(target) as (...given: unknown[]) => unknown;
        return (...given: unknown[]): unknown =>
          !HARMLESS.has(property) && this.#refuses(property) ? Promise.reject(unavailable()) : call(...given);
      },
    });
  }

  /** Sets the working parts from now on. */
  set works(works: Works) {
    this.#works = works;
    if (works !== 'nothing') return;
    for (const sink of this.#sinks) sink.end({ kind: 'failed', error: unavailable() });
    this.#sinks.clear();
  }

  #refuses(property: PropertyKey): boolean {
    return this.#works === 'nothing' || (this.#works === 'reads' && WRITES.has(property));
  }

  #watch(engine: Storage, ...[prefix, from, sink]: Parameters<Storage['watch']>): ReturnType<Storage['watch']> {
    if (this.#refuses('watch')) {
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
