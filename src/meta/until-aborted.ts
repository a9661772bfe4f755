import { toError } from './error-message.js';
import { onAbort } from './on-abort.js';

/**
 * Waits for work, but no longer than a signal allows. The work itself continues: others may wait for it.
 *
 * @param signal undefined: there is no bound
 * @param aborted the result when the signal aborts first, or a throw; default throws the signal's reason
 * @throws what the work or `aborted` throws
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
