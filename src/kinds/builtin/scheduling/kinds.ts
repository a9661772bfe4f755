import type { schedulingV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** PriorityClass of version v1. */
export const PriorityClass = builtinKind<schedulingV1.PriorityClass>('scheduling.v1.PriorityClass', {
  load: () => import('./priority-class.js').then((m) => m.priorityClassBehaviour),
});

/** An object of the kind {@link PriorityClass}. */
export type PriorityClass = schedulingV1.PriorityClass;
