import type { StoredObject } from '../../meta/object.js';
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { eventColumns } from '../core/event/columns.js';
import { Event, EVENT_TTL_MS } from '../core/event/event.js';
import { eventSelectors } from '../core/event/fields.js';
import { validateEvent, validateStrictCreate, validateStrictUpdate, type StoredEvent } from '../core/event/validate.js';
import { isNew } from '../shared/is-new.js';
import { eventFromCore, eventToCore, isCoreForm } from './conversion.js';
import { eventsEventSchema } from './schema.js';

/** Returns the event in the form of the core group, which the rules use. */
const view = (object: StoredObject): StoredEvent => (isCoreForm(object) ? object : eventToCore(object)) as StoredEvent;

/** The events of the core group with newer field names and stricter rules. */
export const EventsEvent = defineResource({
  group: systemGroup('events'),
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.19' },
  description: 'A report of an occurrence. It expires after one hour.',
  schema: eventsEventSchema,
  storagePrefix: 'events',
  conversion: { hub: Event, toHub: eventToCore, fromHub: eventFromCore },
  strategy: {
    allowCreateOnUpdate: true,
    ttlMs: EVENT_TTL_MS,
    validate(object, { dialect }) {
      const event = view(object);
      const errors = validateEvent(event, 'reportingController', dialect);
      if (isNew(object)) errors.push(...validateStrictCreate(event));
      return errors;
    },
    validateUpdate: (object, old) => validateStrictUpdate(view(object), view(old)),
  },
  selectableFields: eventSelectors(view, 'regarding', 'reportingController'),
  columns: eventColumns(view),
});
