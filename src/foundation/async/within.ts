import type { Clock } from '../time/clock.js';

/**
 * Bounds the wait for work on the injected clock. Ends in time even if the work ignores its signal.
 *
 * @param limitMs time from now, in milliseconds
 * @param work gets a signal that aborts at the limit
 * @param late returns the error at the limit
 * @throws the error of `late`; otherwise what the work throws
 */
export function within<Result>(
  clock: Clock,
  limitMs: number,
  work: (signal: AbortSignal) => Result | Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const controller = new AbortController();
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      const error = late();
      reject(error);
      controller.abort(error);
    });
    (async () => work(controller.signal))()
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}
