import type { DefinitionLimitOptions } from '../../foundation/index.js';
import type { InFlightOptions, WatchLimits } from './in-flight.js';

/** Limits of a server; times in milliseconds. docs/reference/limits.md describes what happens beyond each. */
export interface ServerLimits {
  /** Maximum size of a request body, in bytes; a larger body is refused with 413. Default 3 MiB. */
  readonly bodyBytes: number;
  /**
   * Maximum number of objects and lists in a request body; a body with more is refused with 413. Default 200,000.
   */
  readonly bodyContainers: number;
  /** Maximum numbers of requests in flight and waiting. */
  readonly inFlight: InFlightOptions;
  /** Maximum numbers of open watches. */
  readonly watches: WatchLimits;
  /**
   * Maximum duration of a request other than a watch, from a transport or an in-process client; a request may ask for
   * less (`timeout`). Default 60,000.
   */
  readonly requestTimeoutMs: number;
  /**
   * Maximum time of the processor that a request other than a watch may use, in milliseconds; 0 for no limit. Beyond it,
   * the request is answered with 504. Default 10,000.
   */
  readonly requestCpuMs: number;
  /**
   * Minimum duration of a watch that does not set `timeoutSeconds`; the maximum is twice that, so that clients do not
   * reconnect all at once. Default 1,800,000.
   */
  readonly minWatchMs: number;
  /**
   * Watch history: how long the events of a kind are kept for watches that start in the past. It also bounds the
   * history of the default storage; a storage from the options has its own setting. Default 300,000.
   */
  readonly watchHistoryMs: number;
  /** Maximum number of events kept per kind for watches that start in the past. Default 1,000,000. */
  readonly watchHistoryEvents: number;
  /**
   * Maximum memory of the history and the caches, in bytes: storage history, watch events, indexes and decoded objects.
   * Older history is compacted. Default a quarter of the heap limit, and at most a third of `memoryBytes`.
   */
  readonly historyBytes: number;
  /**
   * Maximum memory of the encoded items of lists, in bytes, that are kept because the lists are requested again. 0 keeps
   * none. They are counted in `historyBytes`. Default a quarter of it.
   */
  readonly encodingBytes: number;
  /**
   * Maximum memory of everything that the server counts, in bytes: history and caches, the current objects, and bodies
   * in flight. Beyond it, caches and history are given up; requests that do not fit even then are refused with 429. Default
   * three quarters of the heap limit.
   */
  readonly memoryBytes: number;
  /**
   * Maximum total length of the keys and JSON texts of the current objects, in bytes; 0 for no limit. A create, or an
   * update that would let them grow further, is refused with 429. It applies to storage engines that hold all objects in
   * memory. Default a quarter of the heap limit, and at most half of `memoryBytes`.
   */
  readonly objectsTextBytes: number;
  /**
   * Maximum size of the response of a conversion webhook, in bytes; it is also at most four times the size of its request
   * and 1 MiB. A longer one fails the request with 500. Default 16 MiB.
   */
  readonly conversionAnswerBytes: number;
  /** Maximums of the definitions of custom kinds, on create and where an update changes them. */
  readonly definitions: DefinitionLimitOptions;
  /** Bookmark interval of watches that ask for bookmarks. Default 60,000. */
  readonly bookmarkIntervalMs: number;
  /** How long a request for a future resource version waits before it is refused with 504. Default 3,000. */
  readonly revisionWaitMs: number;
  /** Maximum time that each part of the server takes to close, including a pending start. Default 30,000. */
  readonly closeTimeoutMs: number;
}

/** Default limits, except those of memory, which depend on the host. */
export const defaultLimits: Omit<ServerLimits, 'historyBytes' | 'encodingBytes' | 'memoryBytes' | 'objectsTextBytes'> =
  {
    bodyBytes: 3 * 1024 * 1024,
    bodyContainers: 200_000,
    inFlight: {},
    watches: {},
    requestTimeoutMs: 60_000,
    requestCpuMs: 10_000,
    minWatchMs: 30 * 60_000,
    watchHistoryMs: 5 * 60_000,
    watchHistoryEvents: 1_000_000,
    conversionAnswerBytes: 16 * 1024 * 1024,
    definitions: {},
    bookmarkIntervalMs: 60_000,
    revisionWaitMs: 3_000,
    closeTimeoutMs: 30_000,
  };
