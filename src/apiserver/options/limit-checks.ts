import { aCount, aNumber, matching, nested, type DefinitionLimits, type OptionChecks } from '../../foundation/index.js';
import type { InFlightOptions, ServerLimits, WatchLimits } from '../../server/index.js';
import { LEAST_OBJECTS_TEXT } from '../../storage/index.js';

const milliseconds = aCount('milliseconds', 1);

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
export const limitChecks: OptionChecks<ServerLimits> = {
  bodyBytes: aCount('bytes', 1),
  bodyContainers: aCount('objects and lists', 1),
  inFlight: nested(inFlightChecks),
  watches: nested(watchChecks),
  requestTimeoutMs: milliseconds,
  requestCpuMs: aCount('milliseconds'),
  conversionAnswerBytes: aCount('bytes', 1),
  definitions: nested(definitionChecks),
  minWatchMs: milliseconds,
  watchHistoryMs: milliseconds,
  watchHistoryEvents: aCount('events', 1),
  historyBytes: aNumber('bytes', 1),
  memoryBytes: aNumber('bytes', 1),
  objectsTextBytes: matching(
    `0 for no limit, or a number of bytes, ${LEAST_OBJECTS_TEXT} (1Mi) or more`,
    (value) => typeof value === 'number' && (value === 0 || value >= LEAST_OBJECTS_TEXT),
  ),
  encodingBytes: aNumber('bytes'),
  bookmarkIntervalMs: milliseconds,
  revisionWaitMs: aCount('milliseconds'),
  closeTimeoutMs: milliseconds,
};
