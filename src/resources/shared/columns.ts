import type { StoredObject } from '../../meta/object.js';
import { humanDuration } from '../../meta/human-duration.js';
import { parseTime } from '../../meta/time.js';
import type { Column } from '../../registry/definition.js';

/** Kubernetes' text for a time that is not set. */
export const UNKNOWN_TIME = '<unknown>';

/** Kubernetes' text for an empty list or string. */
export const NONE = '<none>';

/** Returns the time since `text` as tables print it (`5m`, `3d4h`), or {@link UNKNOWN_TIME} when it is not set. */
export function timeSince(text: unknown, nowMs: number): string {
  const since = typeof text === 'string' ? parseTime(text) : undefined;
  return since === undefined ? UNKNOWN_TIME : humanDuration(nowMs - since);
}

/** The name column, which identifies a row. */
export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique within its namespace.',
  cell: (object) => object.metadata.name ?? '',
};

/** The age column: time since creation. */
export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: (object, nowMs) => timeSince(object.metadata.creationTimestamp, nowMs),
};

/** Returns a text column. A column with priority 1 appears in wide output only. */
export function textColumn(
  name: string,
  description: string,
  cell: (object: StoredObject, nowMs: number) => string | number,
  priority = 0,
): Column {
  return { name, type: 'string', description, priority, cell };
}
