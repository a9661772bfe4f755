import type { coreV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';
import { plain } from '../plain.js';

/**
 * Binds a pod to a node. It is created at the subresource `binding` of the pod, or as a resource of its own, and not
 * stored.
 */
export const Binding = builtinKind<coreV1.Binding>('core.v1.Binding', { load: plain });

/** An object of the kind {@link Binding}. */
export type Binding = coreV1.Binding;
