import { cloneJson, formatTime } from '../../../foundation/index.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { nextBackoff, type Backoff } from './backoff.js';
import { condition, setCondition } from './conditions.js';
import { ANNOUNCEMENT, COMPLETED, deadlineLeftMs, endingOf, FINAL, isAnnounced, type Ending } from './ending.js';
import { isTracked } from './job-pods.js';
import { endActivePods, managePods, type PodWork, type PodWorkContext } from './pod-work.js';
import { snapshotOf, type JobSnapshot } from './snapshot.js';
import { countPods, countReleased, writeIndexes } from './tracking.js';
import { isSuspended, waitsForTermination, type JobObject, type JobSpec, type JobStatus } from './types.js';

/** The parts that a run depends on. */
export interface JobRunContext extends PodWorkContext {
  readonly events: EventSink;
  /** Writes the status of the Job. @returns the Job as it is stored now; @throws ApiError 409 after another change */
  readonly write: (job: JobObject) => Promise<JobObject>;
  /** Remembers the failures that the status contains now. */
  readonly remember: (backoff: Backoff) => void;
}

/** The work that a run leaves to do. */
export interface JobRunResult {
  /** Time until the Job needs another run, in milliseconds; infinite when only a change needs one. */
  readonly againMs: number;
}

/**
 * Brings a Job that has not ended one step further: decides whether it ends, creates or deletes pods, and counts ended
 * pods. Source: release 1.31, `syncJob` of the controller of Jobs.
 *
 * @param pods the pods that the Job controls
 * @throws the first failure of a request, after the status is written as far as possible
 */
export async function runJob(
  job: JobObject,
  pods: readonly PodObject[],
  context: JobRunContext,
): Promise<JobRunResult> {
  const { clock, names } = context;
  const spec: JobSpec = job.spec ?? { template: {} };
  const status = cloneJson(job.status ?? {}) as JobStatus;
  const snapshot = snapshotOf(spec, status, pods, names);
  const backoff = nextBackoff(context.backoff, snapshot.newSucceeded, snapshot.newFailed);
  if (status.startTime === undefined && !isSuspended(spec)) status.startTime = formatTime(clock.now());

  const early = endingOf(snapshot, status, clock.now());
  const isDeleted = job.metadata.deletionTimestamp !== undefined;
  const work = await workOn(job, snapshot, early, { ...context, backoff });
  const ending = early === undefined ? completionOf(snapshot, work) : work.active > 0 ? undefined : early;
  const suspended = early === undefined && ending === undefined && !isDeleted && suspend(job, status, context);
  const changed = writeCounts(spec, status, work) || suspended;
  await track({ job, status, snapshot, ending, work, changed, isDeleted }, context, () => context.remember(backoff));
  if (work.error !== undefined) throw work.error;
  const deadlineMs = early === undefined ? deadlineLeftMs(spec, status, clock.now()) : Infinity;
  return { againMs: Math.min(work.pauseMs ?? Infinity, deadlineMs) };
}

async function workOn(
  job: JobObject,
  snapshot: JobSnapshot,
  ending: Ending | undefined,
  context: PodWorkContext,
): Promise<PodWork> {
  if (ending !== undefined) return endActivePods(snapshot, context);
  if (job.metadata.deletionTimestamp === undefined) return managePods(job, snapshot, context);
  const { active, ready, terminating } = snapshot;
  return { active: active.length, ready, terminating };
}

/** Returns the end of a Job with enough succeeded pods and no active ones. */
function completionOf({ spec, succeeded }: JobSnapshot, { active, pauseMs }: PodWork): Ending | undefined {
  const enough = spec.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  return enough && active === 0 && pauseMs === undefined ? COMPLETED : undefined;
}

/** Tells by a condition that a Job is suspended or resumed. Returns whether the condition has changed. */
function suspend(job: JobObject, status: JobStatus, { clock, events }: JobRunContext): boolean {
  const suspended = isSuspended(job.spec ?? { template: {} });
  const [reason, message] = suspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  const wanted = condition('Suspended', reason, message, clock.now());
  if (!setCondition(status, suspended ? wanted : { ...wanted, status: 'False' })) return false;
  events.event(job, 'Normal', suspended ? 'Suspended' : 'Resumed', message);
  // After a pause, the time until the deadline is counted from the start again.
  if (!suspended) status.startTime = formatTime(clock.now());
  return true;
}

function writeCounts(spec: JobSpec, status: JobStatus, { active, ready, terminating }: PodWork): boolean {
  const shownTerminating = waitsForTermination(spec) ? terminating : undefined;
  const changed = active !== (status.active ?? 0) || ready !== status.ready || shownTerminating !== status.terminating;
  Object.assign(status, { active, ready });
  if (shownTerminating === undefined) delete status.terminating;
  else status.terminating = shownTerminating;
  return changed;
}

/** A run before its pods are counted. */
interface Tracking {
  readonly job: JobObject;
  readonly status: JobStatus;
  readonly snapshot: JobSnapshot;
  readonly ending: Ending | undefined;
  readonly work: PodWork;
  readonly changed: boolean;
  readonly isDeleted: boolean;
}

/** Counts ended pods: writes their uids, removes their finalizers, and then counts them and ends the Job. */
async function track(tracking: Tracking, context: JobRunContext, written: () => void): Promise<void> {
  const { snapshot, ending, status, isDeleted } = tracking;
  const { names } = context;
  const { pods, spec } = snapshot;
  const tracked = new Set(pods.filter((pod) => isTracked(pod, names)).map(({ metadata }) => metadata.uid ?? ''));
  const counted = countReleased(status, tracked);
  const count = countPods(snapshot, status, ending, isDeleted, names);
  const indexed = writeIndexes(snapshot, status);
  const announced = announce(spec, status, ending, context);
  let { job } = tracking;
  if (tracking.changed || counted || count.changed || indexed || announced) {
    job = await context.write({ ...job, status });
    written();
  }
  const after = cloneJson(status) as JobStatus;
  const error = await release(count.released, tracked, context);
  const grown = countReleased(after, tracked);
  const ends = error === undefined && !count.more && end(after, tracking, context);
  if (grown || ends) job = await context.write({ ...job, status: after });
  if (error !== undefined) throw error;
  if (ends && ending !== undefined) reportEnd(job, ending, context);
}

/** Announces the end of a Job by a condition. Returns whether the condition is new. */
function announce(spec: JobSpec, status: JobStatus, ending: Ending | undefined, { clock }: JobRunContext): boolean {
  if (ending === undefined || !isAnnounced(ending, spec)) return false;
  const type = ANNOUNCEMENT[ending.outcome];
  if (status.conditions?.some((known) => known.type === type && known.status === 'True') === true) return false;
  return setCondition(status, condition(type, ending.reason, ending.message, clock.now()));
}

/** Removes finalizers. Returns the first failure. */
async function release(
  pods: readonly PodObject[],
  tracked: Set<string>,
  { requests }: JobRunContext,
): Promise<unknown> {
  let failure: unknown;
  for (const pod of pods) {
    try {
      await requests.release(pod);
      tracked.delete(pod.metadata.uid ?? '');
    } catch (error) {
      failure ??= error;
    }
  }
  return failure;
}

/** Adds the final condition when all pods are counted and gone. Returns whether it does. */
function end(status: JobStatus, { snapshot, ending, work }: Tracking, { clock }: JobRunContext): boolean {
  if (ending === undefined) return false;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) return false;
  if (waitsForTermination(snapshot.spec) && work.terminating > 0) return false;
  setCondition(status, condition(FINAL[ending.outcome], ending.reason, ending.message, clock.now()));
  if (ending.outcome === 'success') status.completionTime = formatTime(clock.now());
  return true;
}

function reportEnd(job: JobObject, { outcome, reason, message }: Ending, { events }: JobRunContext): void {
  if (outcome === 'failure') return events.event(job, 'Warning', reason, message);
  const { completions } = job.spec ?? {};
  if (completions !== undefined && (job.status?.succeeded ?? 0) > completions)
    events.event(
      job,
      'Warning',
      'TooManySucceededPods',
      'Too many succeeded pods running after completion count reached',
    );
  events.event(job, 'Normal', 'Completed', 'Job completed');
}
