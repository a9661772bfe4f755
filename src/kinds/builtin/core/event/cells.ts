import type { TimedCell } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Cells, FieldsOf, StoredKind } from '../../behaviour.js';
import { timeSince } from '../../shared/columns.js';

type EventFields = FieldsOf<coreV1.Event>;

function firstSeen({ firstTimestamp, eventTime }: EventFields): string | TimedCell {
  return firstTimestamp ? timeSince(firstTimestamp) : timeSince(eventTime);
}

function lastSeen(event: EventFields): string | TimedCell {
  if (event.series !== undefined) return timeSince(event.series.lastObservedTime);
  return event.lastTimestamp ? timeSince(event.lastTimestamp) : firstSeen(event);
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

/** Returns the cells of events. `view` returns the fields of an object with the names of the core group. */
export function eventCells<Kind>(view: (object: StoredKind<Kind>) => EventFields): Cells<Kind> {
  return {
    'Last Seen': (object) => lastSeen(view(object)),
    Type: (object) => view(object).type ?? '',
    Reason: (object) => view(object).reason ?? '',
    Object: (object) => objectCell(view(object)),
    Subobject: (object) => view(object).involvedObject.fieldPath ?? '',
    Source: (object) => sourceCell(view(object)),
    Message: (object) => (view(object).message ?? '').trim(),
    'First Seen': (object) => firstSeen(view(object)),
    Count: (object) => countCell(view(object)),
  };
}
