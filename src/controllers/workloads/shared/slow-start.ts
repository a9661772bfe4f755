import { forEachBounded } from '../../runtime/failures.js';

/** Maximum number of calls in flight: calls of an in-process client take their steps in the same turn. */
const AT_ONCE = 16;

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
  const counted = async (index: number): Promise<void> => {
    await call(index);
    succeeded += 1;
  };
  for (let size = Math.min(count, first); size > 0; size = Math.min(2 * size, count - done)) {
    const start = done;
    const batch = Array.from({ length: size }, (_, index) => start + index);
    done += size;
    try {
      await forEachBounded(batch, AT_ONCE, counted);
    } catch (error) {
      return { succeeded, error };
    }
  }
  return { succeeded };
}
