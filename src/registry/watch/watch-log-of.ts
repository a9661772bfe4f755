import type { ResourceStore } from '../store/store.js';
import { WatchLog } from './watch-log.js';

/**
 * Returns the log that the watches of a store's kind read, and opens it when there is none; undefined when the store has
 * been replaced. A log that failed to open, or whose storage watch ended, is replaced.
 */
export async function watchLogOf(store: ResourceStore, isReplaced: () => boolean): Promise<WatchLog | undefined> {
  const { environment, info } = store;
  const { watchLogs } = environment;
  const known = watchLogs.get(info.keyPrefix);
  const log = await known?.catch(() => undefined);
  if (isReplaced()) return undefined;
  if (log !== undefined && (log.end === undefined || log.end.kind === 'closed')) return log;
  // Another caller may have opened a log in the meantime.
  const current = watchLogs.get(info.keyPrefix);
  if (current !== undefined && current !== known) return watchLogOf(store, isReplaced);
  const opened = WatchLog.open({
    storage: environment.storage,
    prefix: info.keyPrefix,
    clock: environment.clock,
    historyMs: environment.watchHistoryMs,
    maxEvents: environment.watchHistoryEvents,
    bookmarkIntervalMs: environment.bookmarkIntervalMs,
    form: store.form,
    history: environment.memory,
    onLost: () => store.meter?.lostWatcher(),
  });
  watchLogs.set(info.keyPrefix, opened);
  return opened;
}
