import type { policyV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';
import { plain } from '../plain.js';

/**
 * Evicts a pod, unless a disruption budget forbids it. It is created at the subresource `eviction` of the pod and not
 * stored.
 */
export const Eviction = builtinKind<policyV1.Eviction>('policy.v1.Eviction', { load: plain });

/** An object of the kind {@link Eviction}. */
export type Eviction = policyV1.Eviction;
