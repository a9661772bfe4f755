import { CronJob, Job } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { BY_CONTROLLER } from '../../runtime/controller-ref.js';
import type { Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { isNotFound, orAbsent, retryingConflicts } from '../../runtime/failures.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { reconciler } from '../../runtime/reconciler.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import type { JobObject } from '../job/types.js';
import { CronJobRun, type CronJobRunContext } from './cron-job-run.js';
import { scheduleOf, untilNext } from './schedule.js';
import type { CronJobObject } from './types.js';

const COMPONENT = 'cronjob-controller';

/** Starts the Jobs of CronJobs, and removes the old ones. */
export function cronJobController(host: RecordingHost): Controller {
  const worker = new CronJobs(host);
  return reconciler(host, {
    name: 'cronjob',
    queue: 'cronjob',
    kind: CronJob,
    // A new schedule has no effect on times that have passed.
    runsOn: (cronJob, old) => old === undefined || isSameSchedule(cronJob, old) || worker.untilNext(cronJob),
    owns: [Job],
    writes: worker.unseen,
    reconcile: (cronJob, run) => worker.reconcile(cronJob, run),
  });
}

class CronJobs {
  readonly unseen = new UnseenWrites();
  readonly #host: RecordingHost;
  readonly #cronJobs: Informer<CronJobObject>;
  readonly #jobs: Informer<JobObject>;
  readonly #events: EventSink;

  constructor(host: RecordingHost) {
    this.#host = host;
    this.#cronJobs = host.informers.of(CronJob);
    this.#jobs = host.informers.of(Job);
    this.#events = host.recorder.of(COMPONENT);
  }

  /** Returns the time before the next run, in milliseconds. Reports a schedule that cannot be parsed. */
  untilNext(cronJob: CronJobObject): number {
    try {
      return untilNext(cronJob, scheduleOf(cronJob), this.#host.clock.now());
    } catch {
      const { schedule = '' } = cronJob.spec ?? {};
      const message = `unparseable schedule for cronjob: ${schedule}`;
      this.#events.event(cronJob, 'Warning', 'UnParseableCronJobSchedule', message);
      return Infinity;
    }
  }

  reconcile(cronJob: CronJobObject, run: Run): Promise<WorkResult> {
    return retryingConflicts(this.#run(cronJob, run), isNotFound);
  }

  async #run(cronJob: CronJobObject, run: Run): Promise<void> {
    const own = this.#jobs.find(BY_CONTROLLER, cronJob.metadata.uid ?? '');
    run.requeueAfter(await new CronJobRun(cronJob, own, this.#contextOf(run.key, cronJob)).run());
  }

  #contextOf(key: string, { metadata: { namespace = '' } }: CronJobObject): CronJobRunContext {
    const { client, clock, dialect } = this.#host;
    const jobClient = client.resource(Job).namespace(namespace);
    return {
      ...{ clock, dialect, events: this.#events },
      getJob: (name) => orAbsent(jobClient.get(name)),
      createJob: async (job) => {
        const created = await jobClient.create(job);
        this.unseen.written(key, this.#jobs, created);
        return created;
      },
      deleteJob: async (job) => {
        await jobClient.delete(job.metadata.name ?? '', { propagationPolicy: 'Background' });
        this.unseen.deleted(key, this.#jobs, job);
      },
      write: async (changed) => {
        this.unseen.written(
          key,
          this.#cronJobs,
          await client.resource(CronJob).namespace(namespace).updateStatus(changed),
        );
      },
    };
  }
}

const isSameSchedule = ({ spec }: CronJobObject, old: CronJobObject): boolean =>
  spec?.schedule === old.spec?.schedule && spec?.timeZone === old.spec?.timeZone;
