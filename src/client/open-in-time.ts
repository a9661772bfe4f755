import type { WatchNotice } from '../registry/watch.js';
import type { ClientBackend } from './backend.js';

/**
 * Bounds the opening of a watch. A watch that opens after the timeout is ended.
 *
 * @throws ApiError 504 after the request timeout; otherwise what the opening throws
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
