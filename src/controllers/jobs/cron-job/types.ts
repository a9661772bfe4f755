import type { batchV1 } from '../../../kinds/types/index.js';
import type { ObjectOf } from '../../../registry/definition/definition.js';
import type { CronJob } from '../../../kinds/builtin/index.js';

/** A CronJob as the API returns it. */
export type CronJobObject = ObjectOf<typeof CronJob>;
export type CronJobSpec = batchV1.CronJobSpec;
export type CronJobStatus = batchV1.CronJobStatus;
