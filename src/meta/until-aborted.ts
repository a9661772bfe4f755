import { toError } from './error-message.js';
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
    const leave = (): void => {
      try {
        resolve(aborted());
      } catch (error) {
        reject(toError(error));
      }
    };
    if (signal.aborted) return leave();
    const stop = onAbort(signal, leave);
    work.then(resolve, reject).finally(stop);
  });
}
