import type { coreV1 } from '../../../types/index.js';
import { builtinKind } from '../../builtin-kind.js';

/** A report of an occurrence. It expires after one hour. */
export const Event = builtinKind<coreV1.Event>('core.v1.Event', {
  load: () => import('./behaviour.js').then((module) => module.eventBehaviour),
});

/** An object of the kind {@link Event}. */
export type Event = coreV1.Event;
