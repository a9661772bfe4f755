import { onAbort } from '../../meta/on-abort.js';

/** Who waits, and may stop waiting. The signal is looked up only when there is something to wait for: it costs something to make. */
export interface Waiter {
  readonly signal: AbortSignal;
}

/**
 * Waits for a promise that never rejects, or until the waiter gives up.
 *
 * @throws Error when the waiter gave up
 */
export function waitFor(promise: Promise<void>, { signal }: Waiter): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error('the request has ended'));
    if (signal.aborted) return giveUp();
    const stop = onAbort(signal, giveUp);
    void promise.then(() => {
      stop();
      resolve();
    });
  });
}
