import type { FeatureSwitches } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';

/** Drops from a new Job the fields of disabled features. */
export function dropFromNewJob(spec: batchV1.JobSpec, featureGates: FeatureSwitches): void {
  if (!featureGates.enabled('JobPodFailurePolicy')) delete spec.podFailurePolicy;
  if (!featureGates.enabled('JobManagedBy')) delete spec.managedBy;
  if (!featureGates.enabled('JobSuccessPolicy')) delete spec.successPolicy;
  if (!featureGates.enabled('JobBackoffLimitPerIndex')) dropIndexLimits(spec);
  if (!featureGates.enabled('JobPodReplacementPolicy')) delete spec.podReplacementPolicy;
}

function dropIndexLimits(spec: batchV1.JobSpec): void {
  delete spec.backoffLimitPerIndex;
  delete spec.maxFailedIndexes;
  const policy = spec.podFailurePolicy;
  if (policy === undefined) return;
  const rules: batchV1.PodFailurePolicyRule[] | null = policy.rules;
  policy.rules = (rules ?? []).filter(({ action }) => action !== 'FailIndex');
}

/** Fields that an update drops while their feature is disabled, unless the old Job has them. */
const GATED = [
  ['podFailurePolicy', 'JobPodFailurePolicy'],
  ['successPolicy', 'JobSuccessPolicy'],
  ['backoffLimitPerIndex', 'JobBackoffLimitPerIndex'],
  ['maxFailedIndexes', 'JobBackoffLimitPerIndex'],
  ['podReplacementPolicy', 'JobPodReplacementPolicy'],
] as const;

/** Drops from a changed Job the fields of disabled features. */
export function dropFromChangedJob(spec: batchV1.JobSpec, old: batchV1.JobSpec, featureGates: FeatureSwitches): void {
  for (const [field, gate] of GATED) if (!featureGates.enabled(gate) && old[field] === undefined) delete spec[field];
}
