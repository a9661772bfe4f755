import {
  aCount,
  aDuration,
  aNumber,
  aPositiveDuration,
  definedOnly,
  durationMs,
  matching,
  nested,
  type DefinitionLimits,
  type Duration,
  type OptionChecks,
  type Optional,
} from '../../foundation/index.js';
import { defaultLimits, type InFlightOptions, type ServerLimits, type WatchLimits } from '../../server/index.js';
import { LEAST_OBJECTS_TEXT } from '../../storage/index.js';
import { memoryLimits } from './memory-limits.js';

/** Limits of time, as options: milliseconds, or a string such as `30s`. */
interface TimeLimits {
  /**
   * Maximum duration of a request other than a watch, from a transport or an in-process client; a request may ask for
   * less (`timeout`). Default one minute.
   */
  readonly requestTimeout: Duration;
  /**
   * Maximum time of the processor that a request other than a watch may use; 0 for no limit. Beyond it, the request is
   * answered with 504. Default 10 seconds.
   */
  readonly requestCpu: Duration;
  /**
   * Minimum duration of a watch that does not set `timeoutSeconds`; the maximum is twice that, so that clients do not
   * reconnect all at once. Default 30 minutes.
   */
  readonly minWatch: Duration;
  /**
   * Watch history: how long the events of a kind are kept for watches that start in the past. It also bounds the
   * history of the default storage; a storage from the options has its own setting. Default 5 minutes.
   */
  readonly watchHistory: Duration;
  /** Bookmark interval of watches that ask for bookmarks. Default one minute. */
  readonly bookmarkInterval: Duration;
  /** How long a request for a future resource version waits before it is refused with 504. Default 3 seconds. */
  readonly revisionWait: Duration;
  /** Maximum time that each part of the server takes to close, including a pending start. Default 30 seconds. */
  readonly closeTimeout: Duration;
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
] as const satisfies readonly (keyof TimeLimits)[];

type OtherLimits = Omit<ServerLimits, `${keyof TimeLimits}Ms`>;

/** Limits of a server. docs/reference/limits.md describes what happens beyond each. */
export interface LimitOptions extends Optional<TimeLimits>, Optional<OtherLimits> {}

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
const definitionChecks: OptionChecks<DefinitionLimits> = {
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
