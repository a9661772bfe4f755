import type { batchV1 } from '../../../types/index.js';

/** A condition of a Job that its status rules know. */
export type JobConditionType = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet' | 'Suspended';

/** Returns whether a Job has a condition with the status True. */
export const isTrue = (status: batchV1.JobStatus | undefined, type: JobConditionType): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');

/** Returns whether a Job has ended, well or not. */
export const isFinished = (status: batchV1.JobStatus | undefined): boolean =>
  isTrue(status, 'Complete') || isTrue(status, 'Failed');
