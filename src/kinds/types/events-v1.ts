// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { EventSource, ObjectReference } from './core-v1.js';
import type { ListMeta } from './meta-v1.js';

/** A report of an occurrence. It expires after one hour. */
export type Event = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Time of the first observation. */
  eventTime: string;
  /** The series of the event; absent for a single occurrence. */
  series?: EventSeries | undefined;
  /** The reporting controller. */
  reportingController?: string | undefined;
  /** The instance of the controller. */
  reportingInstance?: string | undefined;
  /** The action that was taken or failed. */
  action?: string | undefined;
  /** Reason as a CamelCase word. */
  reason?: string | undefined;
  /** The affected object. */
  regarding?: ObjectReference | undefined;
  /** A second affected object. */
  related?: ObjectReference | undefined;
  /** Human-readable message. */
  note?: string | undefined;
  /** Normal or Warning. */
  type?: string | undefined;
  /** The reporting component, in the older form. */
  deprecatedSource?: EventSource | undefined;
  /** Time of the first occurrence, in the older form. */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** Time of the last occurrence, in the older form. */
  deprecatedLastTimestamp?: string | null | undefined;
  /** Number of occurrences, in the older form. */
  deprecatedCount?: number | undefined;
};

/** EventList of version v1 of the group events. */
export type EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Event[];
};

/** The series of the event; absent for a single occurrence. */
export type EventSeries = {
  /** Number of occurrences up to lastObservedTime. */
  count: number;
  /** Time of the last occurrence. */
  lastObservedTime: string;
};
