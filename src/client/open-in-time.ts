import type { WatchNotice } from '../registry/watch.js';
import type { ClientBackend } from './backend.js';

/**
 * Waits for the opening of a watch, at most for the request timeout. A watch that opens later is ended.
 *
 * @returns the notices of the watch
 * @throws ApiError 504 after the request timeout; errors of the opening
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
