import * as z from 'zod';
import { always, alwaysStruct, int32, optional, microTime, omitted, struct, time } from '../../../schema/vocabulary.js';
import { unsetIsNull } from '../../shared/facts.js';
import { once } from '../../shared/once.js';
import { objectReference } from '../references.js';

/** Who says it, in the older form. Both versions of events have it. */
export const eventSource = once(() =>
  struct('EventSource', {
    component: omitted(1, z.string(), { description: 'The program.' }),
    host: omitted(2, z.string(), { description: 'The node.' }),
  }),
);

const eventSeries = once(() =>
  struct('EventSeries', {
    count: omitted(1, int32(), { description: 'How often it happened up to lastObservedTime.' }),
    lastObservedTime: unsetIsNull(2, microTime(), { description: 'When it last happened.' }),
  }),
);

/** The fields of an event besides those that every object has. */
export const eventSchema = once(() =>
  struct(
    'Event',
    {
      involvedObject: always(2, objectReference(), { description: 'What the event is about.' }),
      reason: omitted(3, z.string(), { description: 'What happened, as one word.' }),
      message: omitted(4, z.string(), { description: 'What happened, as a sentence.' }),
      source: alwaysStruct(5, eventSource(), { description: 'Who says it.' }),
      firstTimestamp: unsetIsNull(6, time(), { description: 'When it first happened.' }),
      lastTimestamp: unsetIsNull(7, time(), { description: 'When it last happened.' }),
      count: omitted(8, int32(), { description: 'How often it happened.' }),
      type: omitted(9, z.string(), { description: 'Normal or Warning.' }),
      eventTime: unsetIsNull(10, microTime(), { description: 'When it was first noticed.' }),
      series: optional(11, eventSeries(), {
        description: 'The series that it is part of; absent when it happened once.',
      }),
      action: omitted(12, z.string(), { description: 'What was done or failed.' }),
      related: optional(13, objectReference(), { description: 'A second object that it is about.' }),
      reportingComponent: always(14, z.string().optional(), { description: 'The controller that says it.' }),
      reportingInstance: always(15, z.string().optional(), { description: 'The instance of the controller.' }),
    },
    { publishedRequired: ['metadata'] },
  ),
);

export type EventFields = z.output<ReturnType<typeof eventSchema>>;
