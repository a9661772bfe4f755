import type { coreV1 } from '../../../types/index.js';
import { builtinKind } from '../../builtin-kind.js';
import { Eviction } from '../../policy/eviction.js';
import { Binding } from '../binding.js';

/** A group of containers that run together on one node. */
export const Pod = builtinKind<coreV1.Pod>('core.v1.Pod', {
  load: () => import('./behaviour.js').then((module) => module.podBehaviour),
  kinds: { binding: Binding, eviction: Eviction },
});

/** An object of the kind {@link Pod}. */
export type Pod = coreV1.Pod;
