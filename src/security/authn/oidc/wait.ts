import { untilAborted } from '../../../foundation/index.js';

/**
 * A request that waits and can be aborted. Creating the signal is expensive, so it is read only when there is something
 * to wait for.
 */
export interface Waiter {
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise or until the request ends.
 *
 * @throws Error when the request ended
 */
export function waitFor(promise: Promise<void>, { signal }: Waiter): Promise<void> {
  return untilAborted(promise, signal, () => {
    throw new Error('the request has ended');
  });
}
