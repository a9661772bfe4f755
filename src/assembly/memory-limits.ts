import { BODY_COPIES } from '../server/body-memory.js';
import type { ServerLimits } from '../server/generic-server.js';
import { heapShare } from '../storage/host-heap.js';
import { DEFAULT_HISTORY_SHARE, DEFAULT_MEMORY_SHARE } from '../storage/memory-budget.js';

/** The limits of memory. Their defaults depend on the host's heap limit. */
type MemoryOptions = Pick<ServerLimits, 'historyBytes' | 'memoryBytes' | 'objectsTextBytes'>;

/**
 * Default share of the texts of the present objects in the host's heap. It leaves room for their overhead, for the
 * history, and for requests.
 */
const DEFAULT_OBJECTS_SHARE = 0.4;

/** Shares of the history and of the texts in a small memory budget. */
const HISTORY_IN_BUDGET = 1 / 3;
const OBJECTS_IN_BUDGET = 1 / 2;

/**
 * Returns the limits of memory, with defaults.
 *
 * @param bodyBytes maximum size of a body
 * @throws TypeError for limits that contradict each other, with the names of the options
 */
export function memoryLimits(given: Partial<MemoryOptions>, bodyBytes: number): MemoryOptions {
  const memoryBytes = given.memoryBytes ?? heapShare(DEFAULT_MEMORY_SHARE);
  const least = BODY_COPIES * bodyBytes;
  if (given.memoryBytes !== undefined && memoryBytes < least)
    throw new TypeError(
      `ApiServer: the option limits.memoryBytes (--memory-budget) is ${memoryBytes}, but a request with a body of limits.bodyBytes (--max-request-body-size, ${bodyBytes}) needs ${least}: raise the former or lower the latter`,
    );
  const { objectsTextBytes = Math.floor(Math.min(heapShare(DEFAULT_OBJECTS_SHARE), memoryBytes * OBJECTS_IN_BUDGET)) } =
    given;
  if (objectsTextBytes > memoryBytes)
    throw new TypeError(
      `ApiServer: the option limits.objectsTextBytes (--max-objects-text) is ${objectsTextBytes}, more than limits.memoryBytes (--memory-budget, ${memoryBytes}), which includes it: lower the former, raise the latter, or give Node a larger heap (--max-old-space-size)`,
    );
  return {
    memoryBytes,
    objectsTextBytes,
    historyBytes:
      given.historyBytes ?? Math.floor(Math.min(heapShare(DEFAULT_HISTORY_SHARE), memoryBytes * HISTORY_IN_BUDGET)),
  };
}
