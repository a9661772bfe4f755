import type { eventsV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';
import { Event } from '../core/event/event.js';

/** The events of the core group with newer field names and stricter rules. */
export const EventEventsV1 = builtinKind<eventsV1.Event>('events.v1.Event', {
  hub: Event,
  load: () => import('./behaviour.js').then((module) => module.eventsEventBehaviour),
});

/** An object of the kind {@link EventEventsV1}. */
export type EventEventsV1 = eventsV1.Event;
