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

/** `component, host`, of the older form or of the newer. */
function sourceCell({ source, reportingComponent, reportingInstance }: EventFields): string {
  const component = source?.component || reportingComponent || '';
  const host = source?.host || reportingInstance || '';
  return host === '' ? component : `${component}, ${host}`;
}

function countCell({ series, count = 0 }: EventFields): number {
  if (series !== undefined) return series.count ?? 0;
  // An event of the newer form has no count of its own: it happened once.
  return count === 0 ? 1 : count;
}

/** What tables show of events. `view` gives the fields of an object under the names of the core group. */
export function eventColumns(view: View): readonly Column[] {
  return [
    textColumn('Last Seen', 'Time since it last happened.', (object, nowMs) => lastSeen(view(object), nowMs)),
    textColumn('Type', 'Normal or Warning.', (object) => view(object).type ?? ''),
    textColumn('Reason', 'What happened, as one word.', (object) => view(object).reason ?? ''),
    textColumn('Object', 'What it is about.', (object) => objectCell(view(object))),
    textColumn(
      'Subobject',
      'The part of the object that it is about.',
      (object) => view(object).involvedObject.fieldPath ?? '',
      1,
    ),
    textColumn('Source', 'Who says it.', (object) => sourceCell(view(object)), 1),
    textColumn('Message', 'What happened, as a sentence.', (object) => (view(object).message ?? '').trim()),
    textColumn('First Seen', 'Time since it first happened.', (object, nowMs) => firstSeen(view(object), nowMs), 1),
    textColumn('Count', 'How often it happened.', (object) => countCell(view(object)), 1),
    { ...nameColumn, priority: 1 },
  ];
}
