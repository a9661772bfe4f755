import { durationOf, parseDuration, type CelDuration } from '../cel/index.js';
import { wordedDurationNanos } from '../schema/formats/duration-format.js';

/**
 * Parses a text of the format `duration`: a duration of Go, or amounts with the names of units, as `1 day 2 hours`.
 *
 * @returns undefined for any other text
 */
export function parseFormattedDuration(text: string): CelDuration | undefined {
  const ofGo = parseDuration(text);
  if (ofGo !== undefined) return ofGo;
  const nanos = wordedDurationNanos(text);
  return nanos === undefined ? undefined : durationOf(nanos);
}
