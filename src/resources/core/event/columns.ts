import type { StoredObject } from '../../../meta/object.js';
import type { Column } from '../../../registry/definition.js';
import { nameColumn, textColumn, timeSince, UNKNOWN_TIME } from '../../shared/columns.js';
import type { EventFields } from './schema.js';

type View = (object: StoredObject) => EventFields;

function firstSeen({ firstTimestamp, eventTime }: EventFields, nowMs: number): string {
  return firstTimestamp ? timeSince(firstTimestamp, nowMs) : timeSince(eventTime, nowMs);
}

function lastSeen(event: EventFields, nowMs: number): string {
  if (event.series !== undefined) return timeSince(event.series.lastObservedTime, nowMs);
  return event.lastTimestamp ? timeSince(event.lastTimestamp, nowMs) : firstSeen(event, nowMs) || UNKNOWN_TIME;
}

function objectCell({ involvedObject: { kind = '', name = '' } }: EventFields): string {
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

/** Returns `component, host`, from the older fields or the newer ones. */
function sourceCell({ source, reportingComponent, reportingInstance }: EventFields): string {
  const component = source?.component || reportingComponent || '';
  const host = source?.host || reportingInstance || '';
  return host === '' ? component : `${component}, ${host}`;
}

function countCell({ series, count = 0 }: EventFields): number {
  if (series !== undefined) return series.count ?? 0;
  // An event without a series and without a count happened once.
  return count === 0 ? 1 : count;
}

/** Returns the table columns of events. `view` returns the fields of an object with the names of the core group. */
export function eventColumns(view: View): readonly Column[] {
  return [
    textColumn('Last Seen', 'Time since the last occurrence.', (object, nowMs) => lastSeen(view(object), nowMs)),
    textColumn('Type', 'Normal or Warning.', (object) => view(object).type ?? ''),
    textColumn('Reason', 'Reason as a CamelCase word.', (object) => view(object).reason ?? ''),
    textColumn('Object', 'The affected object.', (object) => objectCell(view(object))),
    textColumn(
      'Subobject',
      'The affected part of the object.',
      (object) => view(object).involvedObject.fieldPath ?? '',
      1,
    ),
    textColumn('Source', 'The reporting component.', (object) => sourceCell(view(object)), 1),
    textColumn('Message', 'Human-readable message.', (object) => (view(object).message ?? '').trim()),
    textColumn('First Seen', 'Time since the first occurrence.', (object, nowMs) => firstSeen(view(object), nowMs), 1),
    textColumn('Count', 'Number of occurrences.', (object) => countCell(view(object)), 1),
    { ...nameColumn, priority: 1 },
  ];
}
