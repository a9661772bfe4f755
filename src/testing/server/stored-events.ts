import { appendAll } from '../../foundation/index.js';
import type { Storage, StorageEvent } from '../../storage/index.js';

/**
 * Returns the writes that the history of a storage still contains, in order of revision.
 *
 * @param prefix prefix of the keys
 */
export async function storedEvents(storage: Storage, prefix: string): Promise<readonly StorageEvent[]> {
  const [from, current] = await Promise.all([storage.compactedRevision(), storage.currentRevision()]);
  const found: StorageEvent[] = [];
  let stop = (): void => undefined;
  await new Promise<void>((resolve, reject) => {
    const watch = storage.watch(prefix, from, {
      events: (events) => {
        appendAll(
          found,
          events.filter(({ revision }) => revision <= current),
        );
        if ((events.at(-1)?.revision ?? 0) >= current) resolve();
      },
      progress: (revision) => {
        if (revision >= current) resolve();
      },
      end: (reason) => {
        if (reason.kind === 'failed')
          reject(reason.error instanceof Error ? reason.error : new Error('the watch failed'));
        // The history was dropped meanwhile, so that there is none.
        else resolve();
      },
    });
    stop = () => watch.stop();
    watch.requestProgress();
  }).finally(() => stop());
  return found;
}
