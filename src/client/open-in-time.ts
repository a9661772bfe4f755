import type { WatchNotice } from '../registry/watch.js';
import type { ClientBackend } from './backend.js';

/**
 * Waits for the opening of a watch: a watch may last, but not its opening. One that is opened too late is ended.
 *
 * @throws ApiError 504 when it takes longer than a request may; else as the opening does
 */
export function openInTime(
  backend: ClientBackend,
  opening: Promise<AsyncIterableIterator<WatchNotice>>,
): Promise<AsyncIterableIterator<WatchNotice>> {
  return backend.bounded(opening).catch((error: unknown) => {
    void opening.then((notices) => notices.return?.()).catch(() => undefined);
    throw error;
  });
}
