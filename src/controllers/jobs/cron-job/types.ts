import type { batchV1, CronJob } from '../../../kinds/index.js';
import type { ObjectOf } from '../../../registry/index.js';

/** A CronJob as the API returns it. */
export type CronJobObject = ObjectOf<typeof CronJob>;
export type CronJobSpec = batchV1.CronJobSpec;
export type CronJobStatus = batchV1.CronJobStatus;
