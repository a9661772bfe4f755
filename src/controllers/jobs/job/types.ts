import type { Dialect } from '../../../foundation/index.js';
import type { batchV1, Job } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

/** A Job as the API returns it. */
export type JobObject = ObjectOf<typeof Job>;
export type JobSpec = batchV1.JobSpec;
export type JobStatus = batchV1.JobStatus;
export type JobCondition = batchV1.JobCondition;

/** Names that the controller writes into pods. */
export interface JobNames {
  /** Finalizer of pods that are not counted in the status of their Job yet. */
  readonly finalizer: string;
  /** Annotation and label: the index of the pod in an Indexed Job. */
  readonly completionIndex: string;
  /** Annotation: how many pods of the index failed before. */
  readonly indexFailures: string;
  /** Annotation: how many failures of the index its failure policy ignored. */
  readonly indexIgnoredFailures: string;
  /** Value of `spec.managedBy` for Jobs of this controller. */
  readonly manager: string;
}

/** Returns the names of a dialect. */
export function jobNames({ labelDomain }: Dialect): JobNames {
  const domain = `batch.${labelDomain}`;
  return {
    finalizer: `${domain}/job-tracking`,
    completionIndex: `${domain}/job-completion-index`,
    indexFailures: `${domain}/job-index-failure-count`,
    indexIgnoredFailures: `${domain}/job-index-ignored-failure-count`,
    manager: `${labelDomain}/job-controller`,
  };
}

/** Returns whether a Job is suspended. */
export const isSuspended = ({ suspend }: JobSpec): boolean => suspend === true;

/** Returns whether each pod of a Job has an index. */
export const isIndexed = ({ completionMode }: JobSpec): boolean => completionMode === 'Indexed';

/** Returns whether pods are replaced only when they have failed, not while they terminate. */
export const replacesFailedOnly = ({ podReplacementPolicy }: JobSpec): boolean => podReplacementPolicy === 'Failed';

/**
 * Returns whether the final condition of a Job waits until no pod terminates any more. It does while the feature gate
 * JobPodReplacementPolicy is on, which then gives every Job a policy; or JobManagedBy, which lets a Job have a manager.
 */
export const waitsForTermination = ({ podReplacementPolicy, managedBy }: JobSpec): boolean =>
  podReplacementPolicy !== undefined || managedBy !== undefined;
