import { appendAll } from '../../../foundation/index.js';
import type { eventsV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { EVENT_TTL_MS } from '../core/event/behaviour.js';
import { eventCells } from '../core/event/cells.js';
import { validateEvent, validateStrictCreate, validateStrictUpdate, type StoredEvent } from '../core/event/validate.js';
import { isNew } from '../shared/is-new.js';
import { eventFromCore, eventToCore } from './conversion.js';

/** Returns the event in the form of the core group, which the rules use. */
const view = (object: StoredKind<eventsV1.Event>): StoredEvent => eventToCore(object);

/** The behaviour of an event of the events group. */
export const eventsEventBehaviour: Behaviour<eventsV1.Event> = {
  conversion: { toHub: eventToCore, fromHub: eventFromCore },
  strategy: {
    allowCreateOnUpdate: true,
    ttl: EVENT_TTL_MS,
    validate(object, { dialect }) {
      const event = view(object);
      const errors = validateEvent(event, 'reportingController', dialect);
      if (isNew(object)) appendAll(errors, validateStrictCreate(event));
      return errors;
    },
    validateUpdate: (object, old) => validateStrictUpdate(view(object), view(old)),
  },
  cells: eventCells(view),
};
