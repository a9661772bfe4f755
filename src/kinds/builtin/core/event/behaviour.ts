import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { eventCells } from './cells.js';
import { validateEvent } from './validate.js';

/** Time to live of an event after its last write, in milliseconds: one hour. */
export const EVENT_TTL_MS = 3_600_000;

/** The behaviour of an event of the core group. */
export const eventBehaviour: Behaviour<coreV1.Event> = {
  strategy: {
    allowCreateOnUpdate: true,
    ttl: EVENT_TTL_MS,
    validate: (object, { dialect }) => validateEvent(object, 'reportingComponent', dialect),
  },
  cells: eventCells((object) => object),
};
