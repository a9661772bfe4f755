import { decorateStorage, type Storage, type StorageEvent } from '../../src/entries/storage.js';

/**
 * A storage whose watches deliver events in later turns of the event loop, as an engine behind a network does: a writer
 * knows its write before any watcher.
 */
export function laggingStorage(engine: Storage): Storage {
  const watch: Storage['watch'] = (prefix, from, sink) => {
    const pending: (() => void)[] = [];
    let stopped = false;
    const later = (deliver: () => void): void => {
      pending.push(deliver);
      setImmediate(() => setImmediate(() => !stopped && pending.shift()?.()));
    };
    const inner = engine.watch(prefix, from, {
      events: (events: readonly StorageEvent[]) => later(() => sink.events(events)),
      progress: (revision) => later(() => sink.progress(revision)),
      end: (reason) => later(() => sink.end(reason)),
    });
    return {
      requestProgress: () => inner.requestProgress(),
      stop() {
        stopped = true;
        inner.stop();
      },
    };
  };
  return decorateStorage(engine, { watch });
}
