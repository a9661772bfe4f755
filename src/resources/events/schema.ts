import * as z from 'zod';
import {
  always,
  alwaysStruct,
  annotate,
  int32,
  optional,
  microTime,
  omitted,
  struct,
  time,
} from '../../schema/vocabulary.js';
import { unsetIsNull } from '../shared/facts.js';
import { once } from '../shared/once.js';
import { eventSource } from '../core/event/schema.js';
import { objectReference } from '../core/references.js';

const eventSeries = once(() =>
  struct('EventSeries', {
    count: always(1, int32(), { description: 'How often it happened up to lastObservedTime.' }),
    lastObservedTime: always(2, annotate(microTime().nullable(), { nullable: true }), {
      description: 'When it last happened.',
    }),
  }),
);

/** The fields of an event of the events group besides those that every object has. */
export const eventsEventSchema = once(() =>
  struct('Event', {
    eventTime: always(2, annotate(microTime().nullable(), { nullable: true }), {
      description: 'When it was first noticed.',
    }),
    series: optional(3, eventSeries(), { description: 'The series that it is part of; absent when it happened once.' }),
    reportingController: omitted(4, z.string(), { description: 'The controller that says it.' }),
    reportingInstance: omitted(5, z.string(), { description: 'The instance of the controller.' }),
    action: omitted(6, z.string(), { description: 'What was done or failed.' }),
    reason: omitted(7, z.string(), { description: 'What happened, as one word.' }),
    regarding: alwaysStruct(8, objectReference(), { description: 'What the event is about.' }),
    related: optional(9, objectReference(), { description: 'A second object that it is about.' }),
    note: omitted(10, z.string(), { description: 'What happened, as a sentence.' }),
    type: omitted(11, z.string(), { description: 'Normal or Warning.' }),
    deprecatedSource: alwaysStruct(12, eventSource(), { description: 'Who says it, in the older form.' }),
    deprecatedFirstTimestamp: unsetIsNull(13, time(), { description: 'When it first happened, in the older form.' }),
    deprecatedLastTimestamp: unsetIsNull(14, time(), { description: 'When it last happened, in the older form.' }),
    deprecatedCount: omitted(15, int32(), { description: 'How often it happened, in the older form.' }),
  }),
);

/** The fields of an event of the events group. */
export type EventsEventFields = z.output<ReturnType<typeof eventsEventSchema>>;
