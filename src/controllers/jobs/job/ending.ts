import { parseTime, secondsAsMs } from '../../../foundation/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { trueCondition } from './conditions.js';
import { judgeFailure } from './failure-policy.js';
import { hasFailed } from './job-pods.js';
import type { JobSnapshot } from './snapshot.js';
import { fulfilledSuccessRule } from './success-policy.js';
import { isSuspended, waitsForTermination, type JobSpec, type JobStatus } from './types.js';

/** How a Job ends. */
export interface Ending {
  readonly outcome: 'success' | 'failure';
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): Ending => ({ outcome: 'failure', reason, message });

/** The end of a Job whose pods have all succeeded. */
export const COMPLETED: Ending = {
  outcome: 'success',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

/** The condition that announces an end before the last pod has ended. */
export const ANNOUNCEMENT = { success: 'SuccessCriteriaMet', failure: 'FailureTarget' } as const;
/** The condition of an end. */
export const FINAL = { success: 'Complete', failure: 'Failed' } as const;

/** Returns whether an end is announced. Without the wait for terminating pods, only those by policies are. */
export const isAnnounced = ({ reason }: Ending, spec: JobSpec): boolean =>
  waitsForTermination(spec) || reason === 'PodFailurePolicy' || reason === 'SuccessPolicy';

/** Returns how a Job ends although it may have active pods; undefined when it goes on. */
export function endingOf(snapshot: JobSnapshot, status: JobStatus, nowMs: number): Ending | undefined {
  return announced(status) ?? failureOf(snapshot, status, nowMs) ?? indexEndingOf(snapshot);
}

/** Returns the end that an earlier run has announced. */
function announced(status: JobStatus): Ending | undefined {
  for (const outcome of ['success', 'failure'] as const) {
    const found = trueCondition(status, ANNOUNCEMENT[outcome]);
    if (found !== undefined) return { outcome, reason: found.reason ?? '', message: found.message ?? '' };
  }
  return undefined;
}

function failureOf({ spec, pods, failed }: JobSnapshot, status: JobStatus, nowMs: number): Ending | undefined {
  for (const pod of pods) {
    const message = hasFailed(pod, spec) ? judgeFailure(spec, pod).failsJob : undefined;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  if (failed > (spec.backoffLimit ?? 0) || restartsExceedLimit(spec, pods))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  if (deadlineLeftMs(spec, status, nowMs) <= 0)
    return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
  return undefined;
}

/** Returns whether the containers of pods that restart in place have restarted too often. */
function restartsExceedLimit({ template, backoffLimit = 0 }: JobSpec, pods: readonly PodObject[]): boolean {
  if (template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount;
  }
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/** Returns how long a Job may still be active, in milliseconds; infinite without a deadline. */
export function deadlineLeftMs(spec: JobSpec, { startTime }: JobStatus, nowMs: number): number {
  const { activeDeadlineSeconds } = spec;
  const startMs = parseTime(startTime ?? '');
  if (activeDeadlineSeconds === undefined || startMs === undefined || isSuspended(spec)) return Infinity;
  return startMs + secondsAsMs(activeDeadlineSeconds) - nowMs;
}

function indexEndingOf({ spec, indexes }: JobSnapshot): Ending | undefined {
  if (indexes === undefined) return undefined;
  const { completions = 0, maxFailedIndexes } = spec;
  const failed = indexes.failed?.size ?? 0;
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failed > 0 && failed + indexes.succeeded.size >= completions)
    return failure('FailedIndexes', 'Job has failed indexes');
  const message = fulfilledSuccessRule(spec, indexes.succeeded);
  return message === undefined ? undefined : { outcome: 'success', reason: 'SuccessPolicy', message };
}
