import { builtinKind } from '../builtin-kind.js';
import type { policyV1 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** PodDisruptionBudget of version v1. */
export const PodDisruptionBudget = builtinKind<policyV1.PodDisruptionBudget>('policy.v1.PodDisruptionBudget', {
  load: plain,
});
