import type { Steps, Work } from '../../../../foundation/index.js';
import type { batchV1 } from '../../../types/index.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { isFinished, isTrue } from './conditions.js';

/**
 * The changes of a write to the status of a Job. While other controllers may manage Jobs, a rule applies only to the
 * fields that changed, so that a status that breaks a rule already does not block unrelated writes.
 */
export interface StatusChanges {
  readonly finished: boolean;
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly completedIndexes: boolean;
  readonly failedIndexes: boolean;
  readonly active: boolean;
  readonly startTime: boolean;
  readonly completionTime: boolean;
  readonly uncounted: boolean;
}

/** Compares two states of the status of a Job. */
export function* statusChanges(
  status: batchV1.JobStatus,
  old: batchV1.JobStatus,
  work: Work | undefined,
): Steps<StatusChanges> {
  return {
    finished: isFinished(status) !== isFinished(old),
    complete: isTrue(status, 'Complete') !== isTrue(old, 'Complete'),
    failed: isTrue(status, 'Failed') !== isTrue(old, 'Failed'),
    failureTarget: isTrue(status, 'FailureTarget') !== isTrue(old, 'FailureTarget'),
    completedIndexes: (status.completedIndexes ?? '') !== (old.completedIndexes ?? ''),
    failedIndexes: status.failedIndexes !== old.failedIndexes,
    active: (status.active ?? 0) !== (old.active ?? 0),
    startTime: status.startTime !== old.startTime,
    completionTime: status.completionTime !== old.completionTime,
    uncounted: !(yield* semanticallyEqualSteps(status.uncountedTerminatedPods, old.uncountedTerminatedPods, work)),
  };
}
