import {
  duplicate,
  FieldErrorList,
  goQuote,
  invalid,
  OMITTED_VALUE,
  parseTime,
  required,
  verbatim,
  type VerbatimValue,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { shownTime } from '../../shared/go/shown-values.js';
import { nonNegative } from '../../shared/validate.js';
import { isFinished, isTrue, type JobConditionType } from './conditions.js';
import { countIndexes, sharedIndex } from './indexes.js';
import { statusChanges, type StatusChanges } from './status-changes.js';

type StoredJob = StoredKind<batchV1.Job>;

/** A write of the status of a Job. */
interface StatusWrite {
  readonly errors: FieldError[];
  readonly spec: batchV1.JobSpec;
  readonly status: batchV1.JobStatus;
  readonly old: batchV1.JobStatus;
}

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;

const conditionError = (text: string): FieldError => invalid('status.conditions', OMITTED_VALUE, text);

function* uncountedErrors(errors: FieldErrorList, pods: batchV1.UncountedTerminatedPods | undefined): Steps<void> {
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const) {
    for (const [index, uid] of (pods?.[list] ?? []).entries()) {
      if (errors.spend()) yield;
      const path = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') errors.push(invalid(path, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(path, uid));
      seen.add(uid);
    }
  }
}

function shownUncounted(pods: batchV1.UncountedTerminatedPods): VerbatimValue {
  const list = (uids: readonly string[] | undefined): string =>
    uids === undefined ? '[]types.UID(nil)' : `[]types.UID{${uids.map(goQuote).join(', ')}}`;
  return verbatim(
    pods,
    () => `batch.UncountedTerminatedPods{Succeeded:${list(pods.succeeded)}, Failed:${list(pods.failed)}}`,
  );
}

/** Adds the errors of conditions and times that exclude or require each other. */
function outcomeErrors({ errors, status }: StatusWrite, changes: StatusChanges): void {
  const { completionTime, startTime } = status;
  const has = (type: JobConditionType): boolean => isTrue(status, type);
  if ((changes.complete || changes.failed) && has('Complete') && has('Failed'))
    errors.push(conditionError('cannot set Complete=True and Failed=true conditions'));
  if ((changes.complete || changes.failureTarget) && has('Complete') && has('FailureTarget'))
    errors.push(conditionError('cannot set Complete=True and FailureTarget=true conditions'));
  const completion = 'status.completionTime';
  if (changes.complete || changes.completionTime) {
    if (completionTime !== undefined && !has('Complete')) {
      const text = 'cannot set completionTime when there is no Complete=True condition';
      errors.push(invalid(completion, shownTime(completionTime), text));
    }
    if (completionTime === undefined && has('Complete'))
      errors.push(required(completion, 'completionTime is required for Complete jobs'));
  }
  if ((changes.startTime || changes.completionTime) && isBefore(completionTime, startTime))
    errors.push(invalid(completion, shownTime(completionTime ?? ''), 'completionTime cannot be set before startTime'));
}

const isBefore = (time: string | undefined, other: string | undefined): boolean =>
  time !== undefined && other !== undefined && (parseTime(time) ?? 0) < (parseTime(other) ?? 0);

/** Adds the errors of a Job that has ended. */
function finishedErrors({ errors, status }: StatusWrite, changes: StatusChanges): void {
  if (!isFinished(status)) return;
  const { active = 0, startTime, uncountedTerminatedPods: pods } = status;
  if ((changes.finished || changes.active) && active > 0)
    errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  if ((changes.finished || changes.startTime) && startTime === undefined)
    errors.push(required('status.startTime', 'startTime is required for finished job'));
  const uncounted = (pods?.failed ?? []).length + (pods?.succeeded ?? []).length;
  if ((changes.finished || changes.uncounted) && pods !== undefined && uncounted > 0) {
    const text = 'uncountedTerminatedPods needs to be empty for finished job';
    errors.push(invalid('status.uncountedTerminatedPods', shownUncounted(pods), text));
  }
}

function indexFormatErrors(errors: FieldError[], field: string, text: string, completions: number): void {
  const counted = countIndexes(text, completions);
  if (typeof counted === 'string') errors.push(invalid(`status.${field}`, text, `error parsing ${field}: ${counted}`));
}

function indexErrors({ errors, spec, status }: StatusWrite, changes: StatusChanges): void {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes = '', failedIndexes } = status;
  if (changes.completedIndexes && completions !== undefined)
    indexFormatErrors(errors, 'completedIndexes', completedIndexes, completions);
  if (
    changes.failedIndexes &&
    completions !== undefined &&
    backoffLimitPerIndex !== undefined &&
    failedIndexes !== undefined
  )
    indexFormatErrors(errors, 'failedIndexes', failedIndexes, completions);
  if (changes.completedIndexes && completedIndexes !== '' && completionMode !== 'Indexed') {
    const text = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalid('status.completedIndexes', completedIndexes, text));
  }
  if (changes.failedIndexes && backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
    const text = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalid('status.failedIndexes', failedIndexes, text));
  }
  if (!(changes.failedIndexes || changes.completedIndexes)) return;
  if (completions === undefined || failedIndexes === undefined) return;
  const shared = sharedIndex(completedIndexes, failedIndexes, completions);
  if (shared !== undefined) {
    const text = `failedIndexes and completedIndexes overlap at index: ${shared}`;
    errors.push(invalid('status.failedIndexes', failedIndexes, text));
  }
}

/** Adds the errors of the condition that announces success, which apply without the feature of other managers too. */
function successErrors({ errors, spec, status }: StatusWrite, anyJobMayAnnounce: boolean): void {
  const met = isTrue(status, 'SuccessCriteriaMet');
  if (met && !anyJobMayAnnounce && spec.completionMode !== 'Indexed')
    errors.push(conditionError('cannot set SuccessCriteriaMet to NonIndexed Job'));
  if (met && isTrue(status, 'Failed'))
    errors.push(conditionError('cannot set SuccessCriteriaMet=True and Failed=true conditions'));
  if (met && isTrue(status, 'FailureTarget'))
    errors.push(conditionError('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions'));
  if (met && !anyJobMayAnnounce && spec.successPolicy === undefined)
    errors.push(conditionError('cannot set SuccessCriteriaMet=True for Job without SuccessPolicy'));
  if (!met && spec.successPolicy !== undefined && isTrue(status, 'Complete')) {
    const text = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
    errors.push(conditionError(text));
  }
}

/** Adds the errors of counters that shrink, times that change and conditions that end. */
function transitionErrors({ errors, spec, status, old }: StatusWrite, changes: StatusChanges): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget'] as const)
    if (isTrue(old, type) && !isTrue(status, type))
      errors.push(conditionError(`cannot disable the terminal ${type}=True condition`));
  const { failed = 0, succeeded = 0, completionTime } = status;
  if (failed < (old.failed ?? 0)) errors.push(invalid('status.failed', failed, 'cannot decrease the failed counter'));
  // An elastic Indexed Job may be scaled down.
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!isElastic && succeeded < (old.succeeded ?? 0))
    errors.push(invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter'));
  if (completionTime !== undefined && old.completionTime !== undefined && changes.completionTime)
    errors.push(invalid('status.completionTime', shownTime(completionTime), 'completionTime cannot be mutated'));
  if (changes.startTime && old.startTime !== undefined && spec.suspend !== true)
    errors.push(required('status.startTime', 'startTime cannot be removed for unsuspended job'));
}

function successTransitionErrors({ errors, status, old }: StatusWrite): void {
  const met = isTrue(status, 'SuccessCriteriaMet');
  const wasMet = isTrue(old, 'SuccessCriteriaMet');
  if (wasMet && !met) errors.push(conditionError('cannot disable the SuccessCriteriaMet=True condition'));
  if (!wasMet && met && isTrue(old, 'Complete')) {
    const text = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    errors.push(conditionError(text));
  }
}

/** Returns the errors of a change of the status of a Job. */
export function* validateJobStatus(
  { spec, status = {} }: StoredJob,
  { status: old = {} }: StoredJob,
  { featureGates, work }: RequestContext,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  if (spec === undefined) return errors;
  const write: StatusWrite = { errors, spec, status, old };
  const isManaged = featureGates.enabled('JobManagedBy');
  const changes = yield* statusChanges(status, old, work);
  for (const field of COUNTS) nonNegative(errors, `status.${field}`, status[field]);
  yield* uncountedErrors(errors, status.uncountedTerminatedPods);
  if (isManaged) {
    outcomeErrors(write, changes);
    finishedErrors(write, changes);
    indexErrors(write, changes);
  }
  const anyJobMayAnnounce =
    isManaged || featureGates.enabled('JobPodReplacementPolicy') || isTrue(old, 'SuccessCriteriaMet');
  successErrors(write, anyJobMayAnnounce);
  if (isManaged) transitionErrors(write, changes);
  successTransitionErrors(write);
  return errors;
}
