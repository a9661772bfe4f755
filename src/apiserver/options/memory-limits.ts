import type { Optional } from '../../foundation/index.js';
import { BODY_COPIES, type ServerLimits } from '../../server/index.js';
import { DEFAULT_HISTORY_SHARE, DEFAULT_MEMORY_SHARE, heapShare } from '../../storage/index.js';

/** The limits of memory. Their defaults depend on the host's heap limit. */
type MemoryOptions = Pick<ServerLimits, 'historyBytes' | 'encodingBytes' | 'memoryBytes' | 'objectsTextBytes'>;

/**
 * Default share of the texts of the current objects in the host's heap. It leaves room for their overhead, for the
 * history, for requests, and for an answer that repeats all of them: a deletion of the collection returns what it deleted.
 */
const DEFAULT_OBJECTS_SHARE = 0.25;

/** Shares of the history and of the texts in a small memory budget. */
const HISTORY_IN_BUDGET = 1 / 3;
const OBJECTS_IN_BUDGET = 1 / 2;

/** Share of the encoded items of lists in the memory of history and caches. */
const ENCODINGS_IN_HISTORY = 1 / 4;

/**
 * Returns the limits of memory, with defaults.
 *
 * @param bodyBytes maximum size of a body
 * @throws TypeError for limits that contradict each other, with the names of the options
 */
export function memoryLimits(given: Optional<MemoryOptions>, bodyBytes: number): MemoryOptions {
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
  const historyBytes =
    given.historyBytes ?? Math.floor(Math.min(heapShare(DEFAULT_HISTORY_SHARE), memoryBytes * HISTORY_IN_BUDGET));
  const encodingBytes = given.encodingBytes ?? Math.floor(historyBytes * ENCODINGS_IN_HISTORY);
  if (encodingBytes > historyBytes)
    throw new TypeError(
      `ApiServer: the option limits.encodingBytes is ${encodingBytes}, more than limits.historyBytes (--history-memory, ${historyBytes}), which includes it: lower the former or raise the latter`,
    );
  return { memoryBytes, objectsTextBytes, historyBytes, encodingBytes };
}
