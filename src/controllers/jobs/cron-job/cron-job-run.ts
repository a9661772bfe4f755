import {
  cloneJson,
  formatTime,
  goQuote,
  messageOf,
  parseTime,
  secondsAsMs,
  TimeZone,
  type Clock,
  type Dialect,
} from '../../../foundation/index.js';
import type { Job } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import type { EventSink, EventType } from '../../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import { isControlledBy } from '../../runtime/controller-ref.js';
import type { JobObject } from '../job/types.js';
import { endOf, surplusJobs } from './history.js';
import { jobNameOf, jobOf } from './job-of.js';
import { isTooMany, scheduleOf, unmetTime, untilNext, type NextTime } from './schedule.js';
import type { CronJobObject, CronJobSpec, CronJobStatus } from './types.js';

/** The parts that a run depends on. */
export interface CronJobRunContext {
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly events: EventSink;
  /** Reads a Job, not from a cache; undefined when it does not exist. */
  readonly getJob: (name: string) => Promise<JobObject | undefined>;
  readonly createJob: (job: InputOf<typeof Job>) => Promise<JobObject>;
  readonly deleteJob: (job: JobObject) => Promise<void>;
  /** Writes the status. @throws ApiError 409 after another change */
  readonly write: (cronJob: CronJobObject) => Promise<void>;
}

/**
 * One run for a CronJob: removes old Jobs, follows its active ones, and starts a Job when it is time. Source: release
 * 1.31, `syncCronJob` of the controller of CronJobs.
 */
export class CronJobRun {
  readonly #cronJob: CronJobObject;
  readonly #spec: CronJobSpec;
  readonly #jobs: readonly JobObject[];
  readonly #context: CronJobRunContext;
  readonly #nowMs: number;
  readonly #status: CronJobStatus;
  #changed = false;

  /** @param jobs the Jobs that the CronJob controls */
  constructor(cronJob: CronJobObject, jobs: readonly JobObject[], context: CronJobRunContext) {
    this.#cronJob = cronJob;
    this.#spec = cronJob.spec ?? { schedule: '', jobTemplate: {} };
    this.#jobs = jobs;
    this.#context = context;
    this.#nowMs = context.clock.now();
    this.#status = cloneJson(cronJob.status ?? {});
  }

  /**
   * @returns time until the next run, in milliseconds; infinite when only a change needs one
   * @throws ApiError when a request fails, after the status is written
   */
  async run(): Promise<number> {
    for (const job of surplusJobs(this.#spec, this.#jobs)) await this.#delete(job);
    let againMs = Infinity;
    let failure: { readonly error: unknown } | undefined;
    try {
      againMs = await this.#sync();
    } catch (error) {
      failure = { error };
    }
    if (this.#changed) await this.#context.write({ ...this.#cronJob, status: this.#status });
    if (failure !== undefined) throw failure.error;
    return againMs;
  }

  #event(type: EventType, reason: string, message: string): void {
    this.#context.events.event(this.#cronJob, type, reason, message);
  }

  async #sync(): Promise<number> {
    for (const job of this.#jobs) this.#follow(job);
    await this.#forgetMissing();
    if (this.#cronJob.metadata.deletionTimestamp !== undefined) return Infinity;
    const next = this.#schedule();
    if (next === undefined) return Infinity;
    const timeMs = this.#dueTime(next);
    if (timeMs === 'invalid') return Infinity;
    if (timeMs !== undefined && (await this.#mayStart(timeMs)) && !(await this.#start(timeMs))) return Infinity;
    return untilNext({ ...this.#cronJob, status: this.#status }, next, this.#nowMs);
  }

  #isActive({ metadata }: JobObject): boolean {
    return this.#status.active?.some(({ uid }) => uid === metadata.uid) === true;
  }

  #deactivate(gone: string | undefined): void {
    this.#status.active = (this.#status.active ?? []).filter(({ uid }) => uid !== gone);
    this.#changed = true;
  }

  /** Reads what a Job has become. */
  #follow(job: JobObject): void {
    const name = job.metadata.name ?? '';
    const end = endOf(job);
    const isActive = this.#isActive(job);
    if (!isActive && end === undefined) {
      this.#event('Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`);
    } else if (isActive && end !== undefined) {
      this.#deactivate(job.metadata.uid);
      this.#event('Normal', 'SawCompletedJob', `Saw completed job: ${name}, status: ${end}`);
    } else if (end === 'Complete') this.#succeeded(job.status?.completionTime);
  }

  #succeeded(time: string | undefined): void {
    const known = this.#status.lastSuccessfulTime;
    if (time === undefined || (known !== undefined && (parseTime(known) ?? 0) >= (parseTime(time) ?? 0))) return;
    this.#status.lastSuccessfulTime = time;
    this.#changed = true;
  }

  /** Forgets active Jobs that do not exist any more. */
  async #forgetMissing(): Promise<void> {
    const present = new Set(this.#jobs.map(({ metadata }) => metadata.uid));
    for (const { uid, name = '' } of this.#status.active ?? []) {
      if (present.has(uid) || (await this.#context.getJob(name)) !== undefined) continue;
      this.#event('Normal', 'MissingJob', `Active job went missing: ${name}`);
      this.#deactivate(uid);
    }
  }

  /** Returns the schedule; undefined when it cannot be used or is suspended. */
  #schedule(): NextTime | undefined {
    const { timeZone, suspend, schedule } = this.#spec;
    if (timeZone !== undefined) {
      const problem = problemOf(() => new TimeZone(timeZone));
      if (problem !== undefined) {
        this.#event('Warning', 'UnknownTimeZone', `invalid timeZone: ${goQuote(timeZone)}: ${problem}`);
        return undefined;
      }
    }
    if (suspend === true) return undefined;
    if (schedule.includes('TZ'))
      this.#event(
        'Warning',
        'UnsupportedSchedule',
        `CRON_TZ or TZ used in schedule ${goQuote(schedule)} is not officially supported, see ${this.#context.dialect.documentation}/concepts/workloads/controllers/cron-jobs/ for more details`,
      );
    try {
      return scheduleOf(this.#cronJob);
    } catch (error) {
      this.#event('Warning', 'UnparseableSchedule', `unparseable schedule: ${goQuote(schedule)} : ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Returns the time for which a Job is to be started now. */
  #dueTime(next: NextTime): number | 'invalid' | undefined {
    try {
      const unmet = unmetTime({ ...this.#cronJob, status: this.#status }, next, this.#nowMs, true);
      if (unmet.timeMs !== undefined && isTooMany(unmet))
        this.#event(
          'Warning',
          'TooManyMissedTimes',
          'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
        );
      return unmet.timeMs;
    } catch (error) {
      this.#event('Warning', 'InvalidSchedule', `invalid schedule: ${this.#spec.schedule} : ${messageOf(error)}`);
      return 'invalid';
    }
  }

  /** Returns whether the Job of a time may start: not too late, not twice, and not beside others that forbid it. */
  async #mayStart(timeMs: number): Promise<boolean> {
    const { startingDeadlineSeconds, concurrencyPolicy } = this.#spec;
    if (startingDeadlineSeconds !== undefined && timeMs + secondsAsMs(startingDeadlineSeconds) < this.#nowMs) {
      this.#event('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(timeMs)}`);
      return false;
    }
    const active = this.#status.active ?? [];
    const name = jobNameOf(this.#cronJob, timeMs);
    if (active.some((job) => job.name === name) || this.#status.lastScheduleTime === formatTime(timeMs)) return false;
    if (concurrencyPolicy === 'Forbid' && active.length > 0) {
      this.#event(
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return false;
    }
    if (concurrencyPolicy === 'Replace') await this.#replaceActive();
    return true;
  }

  async #replaceActive(): Promise<void> {
    for (const { name = '', namespace = '' } of [...(this.#status.active ?? [])]) {
      const job = await this.#context.getJob(name);
      if (job === undefined) {
        this.#event('Warning', 'FailedGet', `Get job: jobs.batch "${name}" not found`);
        throw new Error(`could not find job ${namespace}/${name}`);
      }
      if (!(await this.#delete(job))) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  /** Deletes a Job. Returns false when the server refuses it. */
  async #delete(job: JobObject): Promise<boolean> {
    try {
      await this.#context.deleteJob(job);
    } catch (error) {
      this.#event('Warning', 'FailedDelete', `Deleted job: ${messageOf(error)}`);
      return false;
    }
    this.#deactivate(job.metadata.uid);
    this.#event('Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name ?? ''}`);
    return true;
  }

  /** Starts the Job of a time. Returns false when another client has created one with its name. */
  async #start(timeMs: number): Promise<boolean> {
    const { createJob, dialect } = this.#context;
    const wanted = jobOf(this.#cronJob, timeMs, dialect);
    let job: JobObject;
    try {
      job = await createJob(wanted);
      this.#event('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name ?? ''}`);
    } catch (error) {
      const earlier = hasReason(error, 'AlreadyExists') ? await this.#earlierAttempt(wanted) : undefined;
      if (earlier === undefined) return this.#reportFailure(error);
      job = earlier;
    }
    const { apiVersion, kind, metadata } = job;
    const { namespace, name, uid, resourceVersion } = metadata;
    const reference = { kind, namespace, name, uid, apiVersion, resourceVersion };
    this.#status.active = [...(this.#status.active ?? []), reference];
    this.#status.lastScheduleTime = formatTime(timeMs);
    this.#changed = true;
    return true;
  }

  /** Returns the Job that an earlier run has created, without writing it into the status. */
  async #earlierAttempt({ metadata }: InputOf<typeof Job>): Promise<JobObject | undefined> {
    const job = await this.#context.getJob(metadata.name ?? '');
    if (job === undefined || !isControlledBy(job, this.#cronJob) || this.#isActive(job)) return undefined;
    return job;
  }

  #reportFailure(error: unknown): false {
    if (hasReason(error, 'AlreadyExists')) return false;
    if (!isNamespaceTerminating(error))
      this.#event('Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`);
    throw error;
  }
}

function problemOf(call: () => unknown): string | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Formats a time in UTC as RFC 1123 does: `Mon, 01 Jan 2024 00:00:00 +0000`. */
const rfc1123 = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000');
