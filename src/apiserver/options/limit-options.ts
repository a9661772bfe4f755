import {
  aCount,
  aDuration,
  aNumber,
  aPositiveDuration,
  definedOnly,
  durationMs,
  matching,
  nested,
  type DefinitionLimitOptions,
  type Duration,
  type OptionChecks,
} from '../../foundation/index.js';
import { defaultLimits, type InFlightOptions, type ServerLimits, type WatchLimits } from '../../server/index.js';
import { LEAST_OBJECTS_TEXT } from '../../storage/index.js';
import { memoryLimits } from './memory-limits.js';

/**
 * Limits of a server. Durations are strings such as `30s`, or milliseconds. docs/reference/limits.md describes what happens
 * beyond each.
 */
export interface LimitOptions {
  /** Maximum size of a request body, in bytes; a larger body is refused with 413. Default 3 MiB. */
  readonly bodyBytes?: number | undefined;
  /** Maximum number of objects and lists in a request body; a body with more is refused with 413. Default 200,000. */
  readonly bodyContainers?: number | undefined;
  /** Maximum numbers of requests in flight and waiting. */
  readonly inFlight?: InFlightOptions | undefined;
  /** Maximum numbers of open watches. */
  readonly watches?: WatchLimits | undefined;
  /**
   * Maximum duration of a request other than a watch, from a transport or an in-process client; a request may ask for
   * less (`timeout`). Default `1m`.
   */
  readonly requestTimeout?: Duration | undefined;
  /**
   * Maximum time of the processor that a request other than a watch may use; 0 for no limit. Beyond it, the request is
   * answered with 504. Default `10s`.
   */
  readonly requestCpu?: Duration | undefined;
  /**
   * Minimum duration of a watch that does not set `timeoutSeconds`; the maximum is twice that, so that clients do not
   * reconnect all at once. Default `30m`.
   */
  readonly minWatch?: Duration | undefined;
  /**
   * Watch history: how long the events of a kind are kept for watches that start in the past. It also bounds the
   * history of the default storage; a storage from the options has its own setting. Default `5m`.
   */
  readonly watchHistory?: Duration | undefined;
  /** Maximum number of events kept per kind for watches that start in the past. Default 1,000,000. */
  readonly watchHistoryEvents?: number | undefined;
  /**
   * Maximum memory of the history and the caches, in bytes: storage history, watch events, indexes and decoded objects.
   * Older history is compacted. Default a quarter of the heap limit, and at most a third of `memoryBytes`.
   */
  readonly historyBytes?: number | undefined;
  /**
   * Maximum memory of the encoded items of lists, in bytes, that are kept because the lists are requested again. 0 keeps
   * none. They are counted in `historyBytes`. Default a quarter of it.
   */
  readonly encodingBytes?: number | undefined;
  /**
   * Maximum memory of everything that the server counts, in bytes: history and caches, the current objects, and bodies
   * in flight. Beyond it, caches and history are given up; requests that do not fit even then are refused with 429.
   * Default three quarters of the heap limit.
   */
  readonly memoryBytes?: number | undefined;
  /**
   * Maximum total length of the keys and JSON texts of the current objects, in bytes; 0 for no limit. A create, or an
   * update that would let them grow further, is refused with 429. It applies to storage engines that hold all objects in
   * memory. Default a quarter of the heap limit, and at most half of `memoryBytes`.
   */
  readonly objectsTextBytes?: number | undefined;
  /**
   * Maximum size of the response of a conversion webhook, in bytes; it is also at most four times the size of its request
   * and 1 MiB. A longer one fails the request with 500. Default 16 MiB.
   */
  readonly conversionAnswerBytes?: number | undefined;
  /** Maximums of the definitions of custom kinds, on create and where an update changes them. */
  readonly definitions?: DefinitionLimitOptions | undefined;
  /** Bookmark interval of watches that ask for bookmarks. Default `1m`. */
  readonly bookmarkInterval?: Duration | undefined;
  /** How long a request for a future resource version waits before it is refused with 504. Default `3s`. */
  readonly revisionWait?: Duration | undefined;
  /** Maximum time that each part of the server takes to close, including a pending start. Default `30s`. */
  readonly closeTimeout?: Duration | undefined;
}

/** The names of the limits of time. In {@link ServerLimits} they end with their unit, milliseconds. */
const TIMES = [
  'requestTimeout',
  'requestCpu',
  'minWatch',
  'watchHistory',
  'bookmarkInterval',
  'revisionWait',
  'closeTimeout',
] as const satisfies readonly (keyof LimitOptions)[];

const aShare = matching(
  'a number above 0 and at most 1',
  (value) => typeof value === 'number' && value > 0 && value <= 1,
);

/** Checks `limits.inFlight`. */
export const inFlightChecks: OptionChecks<InFlightOptions> = {
  maxReadOnly: aCount('requests'),
  maxMutating: aCount('requests'),
  maxWaiting: aCount('requests'),
  maxBodyBytes: aCount('bytes'),
  userShare: aShare,
};

/** Checks `limits.watches`. */
export const watchChecks: OptionChecks<WatchLimits> = {
  max: aCount('watches'),
  maxPerUser: aCount('watches'),
  initialStatesPerUser: aCount('watches'),
};

/** Checks `limits.definitions`. */
const definitionChecks: OptionChecks<DefinitionLimitOptions> = {
  versions: aCount('versions', 1),
  patternInstructions: aCount('instructions', 1),
  versionPatternInstructions: aCount('instructions', 1),
  conditions: aCount('conditions'),
  schemas: aCount('schemas', 1),
  depth: aCount('levels', 1),
  ruleCharacters: aCount('characters'),
  columns: aCount('columns'),
  pathCharacters: aCount('characters', 1),
  pathSegments: aCount('steps', 1),
  pathDescents: aCount('recursive descents'),
};

/** Checks `limits`. */
export const limitChecks: OptionChecks<LimitOptions> = {
  bodyBytes: aCount('bytes', 1),
  bodyContainers: aCount('objects and lists', 1),
  inFlight: nested(inFlightChecks),
  watches: nested(watchChecks),
  requestTimeout: aPositiveDuration,
  requestCpu: aDuration,
  conversionAnswerBytes: aCount('bytes', 1),
  definitions: nested(definitionChecks),
  minWatch: aPositiveDuration,
  watchHistory: aPositiveDuration,
  watchHistoryEvents: aCount('events', 1),
  historyBytes: aNumber('bytes', 1),
  memoryBytes: aNumber('bytes', 1),
  objectsTextBytes: matching(
    `0 for no limit, or a number of bytes, ${LEAST_OBJECTS_TEXT} (1Mi) or more`,
    (value) => typeof value === 'number' && (value === 0 || value >= LEAST_OBJECTS_TEXT),
  ),
  encodingBytes: aNumber('bytes'),
  bookmarkInterval: aPositiveDuration,
  revisionWait: aDuration,
  closeTimeout: aPositiveDuration,
};

/**
 * Returns the limits of a server, with defaults.
 *
 * @throws TypeError for limits of memory that contradict each other
 */
export function limitsOf(options: LimitOptions): ServerLimits {
  const given = { ...defaultLimits, ...definedOnly(splitLimits(options)) };
  return { ...given, ...memoryLimits(given, given.bodyBytes) };
}

/** Returns limits with their times in milliseconds. */
function splitLimits(options: LimitOptions): Partial<ServerLimits> {
  const limits: Record<string, unknown> = { ...options };
  for (const name of TIMES) {
    const time = options[name];
    delete limits[name];
    if (time !== undefined) limits[`${name}Ms`] = durationMs(time);
  }
  return limits;
}
