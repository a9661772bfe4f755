import { decorateStorage } from './decorate.js';
import type { Revision, Storage, StorageWatchSink } from './storage.js';

/**
 * Returns a storage for reading one state of another: gets and lists show that state, and its revision is the current
 * one. Everything else fails. It has no index: an index would know another state.
 *
 * @param revision a revision that has been reached
 * @throws StorageError `Compacted` from gets and lists, when the history no longer reaches back to the revision
 */
export function storageAt(inner: Storage, revision: Revision): Storage {
  const refuse = (): never => {
    throw new Error(`the state at revision ${revision} can only be read`);
  };
  return decorateStorage(inner, {
    index: undefined,
    get: async (key) => {
      const { records } = await inner.list(key, { revision, limit: 1 });
      return { record: records[0]?.key === key ? records[0] : undefined, revision };
    },
    list: (prefix, options) => inner.list(prefix, { ...options, revision: options?.revision ?? revision }),
    currentRevision: () => Promise.resolve(revision),
    create: async () => refuse(),
    update: async () => refuse(),
    delete: async () => refuse(),
    compact: async () => refuse(),
    close: async () => refuse(),
    watch: (_prefix, _from, sink: StorageWatchSink) => {
      sink.end({ kind: 'closed' });
      return { stop: () => undefined, requestProgress: () => undefined };
    },
  });
}
