import * as z from 'zod';
import { always, alwaysStruct, int32, optional, microTime, omitted, struct, time } from '../../../schema/vocabulary.js';
import { unsetIsNull } from '../../shared/facts.js';
import { once } from '../../shared/once.js';
import { objectReference } from '../references.js';

/** The older form of the reporting component. Both event groups have it. */
export const eventSource = once(() =>
  struct('EventSource', {
    component: omitted(1, z.string(), { description: 'The program.' }),
    host: omitted(2, z.string(), { description: 'The node.' }),
  }),
);

const eventSeries = once(() =>
  struct('EventSeries', {
    count: omitted(1, int32(), { description: 'Number of occurrences up to lastObservedTime.' }),
    lastObservedTime: unsetIsNull(2, microTime(), { description: 'Time of the last occurrence.' }),
  }),
);

/** The fields of an event besides apiVersion, kind and metadata. */
export const eventSchema = once(() =>
  struct(
    'Event',
    {
      involvedObject: always(2, objectReference(), { description: 'The affected object.' }),
      reason: omitted(3, z.string(), { description: 'Reason as a CamelCase word.' }),
      message: omitted(4, z.string(), { description: 'Human-readable message.' }),
      source: alwaysStruct(5, eventSource(), { description: 'The reporting component.' }),
      firstTimestamp: unsetIsNull(6, time(), { description: 'Time of the first occurrence.' }),
      lastTimestamp: unsetIsNull(7, time(), { description: 'Time of the last occurrence.' }),
      count: omitted(8, int32(), { description: 'Number of occurrences.' }),
      type: omitted(9, z.string(), { description: 'Normal or Warning.' }),
      eventTime: unsetIsNull(10, microTime(), { description: 'Time of the first observation.' }),
      series: optional(11, eventSeries(), {
        description: 'The series of the event; absent for a single occurrence.',
      }),
      action: omitted(12, z.string(), { description: 'The action that was taken or failed.' }),
      related: optional(13, objectReference(), { description: 'A second affected object.' }),
      reportingComponent: always(14, z.string().optional(), { description: 'The reporting controller.' }),
      reportingInstance: always(15, z.string().optional(), { description: 'The instance of the controller.' }),
    },
    { publishedRequired: ['metadata'] },
  ),
);

export type EventFields = z.output<ReturnType<typeof eventSchema>>;
