import { onAbort } from '../meta/on-abort.js';

/**
 * Waits for some work, but no longer than a signal lets it: work that hangs must not hold up what comes after it.
 *
 * @throws what the work throws, or the signal's reason
 */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) return abort();
    work.then(resolve, reject).finally(onAbort(signal, abort));
  });
}
