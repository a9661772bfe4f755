/** Result of {@link slowStart}. */
export interface SlowStartResult {
  /** Number of calls that succeeded. */
  readonly succeeded: number;
  /** The first failure; undefined when all calls succeeded. */
  readonly error?: unknown;
}

/**
 * Makes calls in batches that double while all calls succeed. When a call fails, the rest of its batch ends and no
 * further batch starts: a request that the server always refuses is not repeated hundreds of times.
 *
 * @param first size of the first batch
 */
export async function slowStart(
  count: number,
  first: number,
  call: (index: number) => Promise<void>,
): Promise<SlowStartResult> {
  let succeeded = 0;
  let done = 0;
  for (let size = Math.min(count, first); size > 0; size = Math.min(2 * size, count - done)) {
    const start = done;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => call(start + index)));
    done += size;
    const failed = results.filter((result) => result.status === 'rejected');
    succeeded += size - failed.length;
    if (failed[0] !== undefined) return { succeeded, error: failed[0].reason as unknown };
  }
  return { succeeded };
}
