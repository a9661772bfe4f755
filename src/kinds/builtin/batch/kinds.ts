import type { batchV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** CronJob of version v1. */
export const CronJob = builtinKind<batchV1.CronJob>('batch.v1.CronJob', {
  load: () => import('./cron-job/behaviour.js').then((m) => m.cronJobBehaviour),
});

/** An object of the kind {@link CronJob}. */
export type CronJob = batchV1.CronJob;

/** Job of version v1. */
export const Job = builtinKind<batchV1.Job>('batch.v1.Job', {
  load: () => import('./job/behaviour.js').then((m) => m.jobBehaviour),
});

/** An object of the kind {@link Job}. */
export type Job = batchV1.Job;
