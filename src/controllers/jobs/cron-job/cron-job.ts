import { CronJob, Job } from '../../../kinds/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { BY_CONTROLLER, byController, controllerOf } from '../../workloads/shared/controller-ref.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../../workloads/shared/unseen-writes.js';
import type { WorkloadOptions } from '../../workloads/shared/workload-options.js';
import type { JobObject } from '../job/types.js';
import { CronJobRun, type CronJobRunContext } from './cron-job-run.js';
import { scheduleOf, untilNext } from './schedule.js';
import type { CronJobObject } from './types.js';

const COMPONENT = 'cronjob-controller';

/** Starts the Jobs of CronJobs, and removes the old ones. */
export function cronJobController(options: WorkloadOptions): Controller {
  const { client, clock, dialect, informers, recorder, onError } = options;
  const cronJobs = informers.of(CronJob);
  const jobs = informers.of(Job);
  jobs.addIndex(BY_CONTROLLER, byController);
  const events = recorder.of(COMPONENT);
  const unseen = new UnseenWrites();
  const queue = new WorkQueue<string>({ name: 'cronjob', clock, process, onError: (_key, error) => onError(error) });

  const enqueue = (cronJob: CronJobObject): void => void queue.add(objectKey(cronJob));
  cronJobs.subscribe({
    added: enqueue,
    updated: (cronJob, old) => {
      if (isSameSchedule(cronJob, old)) enqueue(cronJob);
      else enqueueForNext(cronJob);
    },
    deleted: enqueue,
  });
  const jobChanged = (job: JobObject): void => enqueueOwner(job);
  jobs.subscribe({ added: jobChanged, updated: jobChanged, deleted: jobChanged });

  function enqueueOwner(job: JobObject): void {
    const reference = controllerOf(job);
    if (reference?.kind !== 'CronJob') return;
    const key = `${job.metadata.namespace ?? ''}/${reference.name}`;
    if (cronJobs.get(key)?.metadata.uid === reference.uid) queue.add(key);
  }

  /** A new schedule has no effect on times that have passed. */
  function enqueueForNext(cronJob: CronJobObject): void {
    try {
      const leftMs = untilNext(cronJob, scheduleOf(cronJob), clock.now());
      if (leftMs < Infinity) queue.addAfter(objectKey(cronJob), leftMs);
    } catch {
      const { schedule = '' } = cronJob.spec ?? {};
      const message = `unparseable schedule for cronjob: ${schedule}`;
      events.event(cronJob, 'Warning', 'UnParseableCronJobSchedule', message);
    }
  }

  async function process(key: string): Promise<WorkResult> {
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined) {
      unseen.forget(key);
      return;
    }
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    try {
      const run = new CronJobRun(
        cronJob,
        jobs.find(BY_CONTROLLER, cronJob.metadata.uid ?? ''),
        contextOf(key, cronJob),
      );
      const againMs = await run.run();
      if (againMs < Infinity) queue.addAfter(key, againMs);
    } catch (error) {
      // The CronJob has changed, and its event enqueues it; or it is gone.
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  function contextOf(key: string, { metadata: { namespace = '' } }: CronJobObject): CronJobRunContext {
    const jobClient = client.resource(Job).namespace(namespace);
    return {
      ...{ clock, dialect, events },
      getJob: async (name) => {
        try {
          return await jobClient.get(name);
        } catch (error) {
          if (hasReason(error, 'NotFound')) return undefined;
          throw error;
        }
      },
      createJob: async (job) => {
        const created = await jobClient.create(job);
        unseen.written(key, jobs, created);
        return created;
      },
      deleteJob: async (job) => {
        await jobClient.delete(job.metadata.name ?? '', { propagationPolicy: 'Background' });
        unseen.deleted(key, jobs, job);
      },
      write: async (changed) => {
        unseen.written(key, cronJobs, await client.resource(CronJob).namespace(namespace).updateStatus(changed));
      },
    };
  }

  return { name: 'cronjob', informers: () => [cronJobs, jobs], queues: [queue] };
}

const isSameSchedule = ({ spec }: CronJobObject, old: CronJobObject): boolean =>
  spec?.schedule === old.spec?.schedule && spec?.timeZone === old.spec?.timeZone;
