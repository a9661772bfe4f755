// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { EventSource, ObjectReference } from './core-v1.js';
import type { ListMeta } from './meta-v1.js';

/** Event of `events.k8s.io/v1`. */
export type Event = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  eventTime: string;
  series?: EventSeries | undefined;
  reportingController?: string | undefined;
  reportingInstance?: string | undefined;
  action?: string | undefined;
  reason?: string | undefined;
  regarding?: ObjectReference | undefined;
  related?: ObjectReference | undefined;
  note?: string | undefined;
  type?: string | undefined;
  deprecatedSource?: EventSource | undefined;
  deprecatedFirstTimestamp?: string | undefined;
  deprecatedLastTimestamp?: string | undefined;
  deprecatedCount?: number | undefined;
};

/** EventList of `events.k8s.io/v1`. */
export type EventList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Event[];
};

export type EventSeries = {
  count: number;
  lastObservedTime: string;
};
