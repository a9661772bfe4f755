import { aCount, aDuration, aNumber, durationMs, type Duration, type OptionChecks } from '../../foundation/index.js';
import type { HistoryLimits } from './history/event-history.js';

/** Limits of the history that a store keeps. */
export interface HistoryOptions {
  /** Time during which old revisions can be read and watched from. Default 5 minutes. */
  readonly history?: Duration | undefined;
  /** Maximum number of events kept, whatever their age; default 1,000,000. */
  readonly maxHistoryEvents?: number | undefined;
  /**
   * Maximum bytes of the events, with the texts that only the history still holds (superseded and deleted versions).
   * The newest event is always kept. Default: the history budget of the server (`limits.historyBytes`); without a
   * server, a quarter of the host's heap limit.
   */
  readonly maxHistoryBytes?: number | undefined;
}

/** Checks the limits of the history, among the options of an engine. */
export const historyChecks: OptionChecks<HistoryOptions> = {
  history: aDuration,
  maxHistoryEvents: aCount('events'),
  maxHistoryBytes: aNumber('bytes'),
};

const DEFAULT_HISTORY_MS = 300_000;
const DEFAULT_MAX_EVENTS = 1_000_000;

/** Returns the limits in the options, which have been checked, with defaults. */
export function limitsOf({
  history = DEFAULT_HISTORY_MS,
  maxHistoryEvents = DEFAULT_MAX_EVENTS,
  maxHistoryBytes,
}: HistoryOptions): HistoryLimits {
  return { historyMs: durationMs(history), maxEvents: maxHistoryEvents, maxBytes: maxHistoryBytes };
}
