import type { StoredObject } from '../../../meta/object.js';
import { defineResource } from '../../../registry/definition.js';
import { eventColumns } from './columns.js';
import { eventSelectors } from './fields.js';
import { eventSchema } from './schema.js';
import { validateEvent, type StoredEvent } from './validate.js';

/** Time to live of an event after its last write, in milliseconds: one hour. */
export const EVENT_TTL_MS = 3_600_000;

const view = (object: StoredObject): StoredEvent => object as StoredEvent;

/** A report of an occurrence. */
export const Event = defineResource({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'A report of an occurrence. It expires after one hour.',
  schema: eventSchema,
  storagePrefix: 'events',
  strategy: {
    allowCreateOnUpdate: true,
    ttlMs: EVENT_TTL_MS,
    validate: (object, { dialect }) => validateEvent(view(object), 'reportingComponent', dialect),
  },
  selectableFields: eventSelectors(view, 'involvedObject', 'reportingComponent'),
  columns: eventColumns(view),
});
