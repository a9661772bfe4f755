import { errors } from '../meta/api-error.js';
import type { Clock } from '../meta/clock.js';

/**
 * Ends the wait for an answer when it takes too long, whatever it is that hangs. The work itself goes on in the background,
 * as in Kubernetes: a write that was not answered may still have happened.
 *
 * @param limitMs time from now, in milliseconds
 * @param heldProcess whether the process stays alive meanwhile: what comes in by a socket is kept by that
 * @throws ApiError 504 when the time is out; else as the work does
 */
export function withDeadline<Answer>(clock: Clock, limitMs: number, work: Promise<Answer>, heldProcess = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(errors.timeout('request did not complete within the allotted timeout')));
    if (heldProcess) timer.ref?.();
    work.then(
      (answer) => {
        timer.cancel();
        resolve(answer);
      },
      (error: unknown) => {
        timer.cancel();
        // What was thrown is passed on as it is.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
}
