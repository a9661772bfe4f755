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
    count: always(1, int32(), { description: 'Number of occurrences up to lastObservedTime.' }),
    lastObservedTime: always(2, annotate(microTime().nullable(), { nullable: true }), {
      description: 'Time of the last occurrence.',
    }),
  }),
);

/** The fields of an event of the events group besides apiVersion, kind and metadata. */
export const eventsEventSchema = once(() =>
  struct('Event', {
    eventTime: always(2, annotate(microTime().nullable(), { nullable: true }), {
      description: 'Time of the first observation.',
    }),
    series: optional(3, eventSeries(), { description: 'The series of the event; absent for a single occurrence.' }),
    reportingController: omitted(4, z.string(), { description: 'The reporting controller.' }),
    reportingInstance: omitted(5, z.string(), { description: 'The instance of the controller.' }),
    action: omitted(6, z.string(), { description: 'The action that was taken or failed.' }),
    reason: omitted(7, z.string(), { description: 'Reason as a CamelCase word.' }),
    regarding: alwaysStruct(8, objectReference(), { description: 'The affected object.' }),
    related: optional(9, objectReference(), { description: 'A second affected object.' }),
    note: omitted(10, z.string(), { description: 'Human-readable message.' }),
    type: omitted(11, z.string(), { description: 'Normal or Warning.' }),
    deprecatedSource: alwaysStruct(12, eventSource(), { description: 'The reporting component, in the older form.' }),
    deprecatedFirstTimestamp: unsetIsNull(13, time(), {
      description: 'Time of the first occurrence, in the older form.',
    }),
    deprecatedLastTimestamp: unsetIsNull(14, time(), {
      description: 'Time of the last occurrence, in the older form.',
    }),
    deprecatedCount: omitted(15, int32(), { description: 'Number of occurrences, in the older form.' }),
  }),
);

/** The fields of an event of the events group. */
export type EventsEventFields = z.output<ReturnType<typeof eventsEventSchema>>;
