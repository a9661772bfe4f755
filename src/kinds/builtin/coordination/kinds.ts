import type { coordinationV1alpha1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** LeaseCandidate of version v1alpha1. */
export const LeaseCandidate = builtinKind<coordinationV1alpha1.LeaseCandidate>('coordination.v1alpha1.LeaseCandidate', {
  load: () => import('./lease-candidate.js').then((m) => m.leaseCandidate),
});

/** An object of the kind {@link LeaseCandidate}. */
export type LeaseCandidate = coordinationV1alpha1.LeaseCandidate;
