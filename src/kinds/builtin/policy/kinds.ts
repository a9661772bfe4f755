import type { policyV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** PodDisruptionBudget of version v1. */
export const PodDisruptionBudget = builtinKind<policyV1.PodDisruptionBudget>('policy.v1.PodDisruptionBudget', {
  load: () => import('./pod-disruption-budget.js').then((m) => m.podDisruptionBudgetBehaviour),
});

/** An object of the kind {@link PodDisruptionBudget}. */
export type PodDisruptionBudget = policyV1.PodDisruptionBudget;
