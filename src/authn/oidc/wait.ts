import { untilAborted } from '../../meta/until-aborted.js';

/** Who waits, and may stop waiting. The signal is looked up only when there is something to wait for: it costs something to make. */
export interface Waiter {
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise, or until the waiter gives up.
 *
 * @throws Error when the waiter gave up
 */
export function waitFor(promise: Promise<void>, { signal }: Waiter): Promise<void> {
  return untilAborted(promise, signal, () => {
    throw new Error('the request has ended');
  });
}
