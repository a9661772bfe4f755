import type { StreamBody } from '../server/index.js';

/** Cancels a source that is no longer read, and ignores its failure, which nobody is left to receive. */
export async function cancelSource(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The client has disconnected, or does not want the body.
  }
}

/** Cancels a stream body that is not read. */
export function cancelStream({ stream }: StreamBody): Promise<void> {
  return cancelSource(stream[Symbol.asyncIterator]());
}
