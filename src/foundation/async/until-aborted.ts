import { toError } from '../errors/error-message.js';
import { onAbort } from './on-abort.js';

/**
 * Waits for work until a signal aborts. The work itself continues, since other callers may wait for it.
 *
 * @param signal undefined: waits without a limit
 * @param aborted returns the result or throws when the signal aborts first; default throws the signal's reason
 * @throws the error of the work or of `aborted`
 */
export function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal | undefined,
  aborted: () => Value = () => {
    throw toError(signal?.reason, 'aborted');
  },
): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAborted = (): void => {
      try {
        resolve(aborted());
      } catch (error) {
        reject(toError(error));
      }
    };
    if (signal.aborted) return onAborted();
    const stop = onAbort(signal, onAborted);
    work.then(resolve, reject).finally(stop);
  });
}
