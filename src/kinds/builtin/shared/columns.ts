import { humanDuration, parseTime } from '../../../foundation/index.js';
import type { NamedObject, TimedCell } from '../../../registry/index.js';

/** Kubernetes' text for a time that is not set. */
export const UNKNOWN_TIME = '<unknown>';

/** Kubernetes' text for an empty list or string. */
export const NONE = '<none>';

/** Returns the cell with the time since `text` (`5m`, `3d4h`), or {@link UNKNOWN_TIME} when it is not set. */
export function timeSince(text: unknown): string | TimedCell {
  const since = typeof text === 'string' ? parseTime(text) : undefined;
  return since === undefined ? UNKNOWN_TIME : (nowMs) => humanDuration(nowMs - since);
}

/** The cell that identifies a row. */
export const nameCell = ({ metadata }: NamedObject): string => metadata.name ?? '';

/** The cell with the time since the creation. */
export const ageCell = ({ metadata }: NamedObject): string | TimedCell => timeSince(metadata.creationTimestamp);
