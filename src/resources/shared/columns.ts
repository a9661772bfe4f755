import type { StoredObject } from '../../meta/object.js';
import { humanDuration } from '../../meta/human-duration.js';
import { parseTime } from '../../meta/time.js';
import type { Column } from '../../registry/definition.js';

/** What production prints for a time that is not set. */
export const UNKNOWN_TIME = '<unknown>';

/** What production prints for a list or text that is empty. */
export const NONE = '<none>';

/** How long ago a time was, as tables print it (`5m`, `3d4h`); {@link UNKNOWN_TIME} for no time. */
export function timeSince(text: unknown, nowMs: number): string {
  const since = typeof text === 'string' ? parseTime(text) : undefined;
  return since === undefined ? UNKNOWN_TIME : humanDuration(nowMs - since);
}

/** The column that identifies a row. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique within its namespace.',
  cell: (object) => object.metadata.name ?? '',
};

/** The column with the time since creation. */
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: (object, nowMs) => timeSince(object.metadata.creationTimestamp, nowMs),
};

/** A text column. Priority 1 puts it into wide output only. */
export function textColumn(
  name: string,
  description: string,
  cell: (object: StoredObject, nowMs: number) => string | number,
  priority = 0,
): Column {
  return { name, type: 'string', description, priority, cell };
}
