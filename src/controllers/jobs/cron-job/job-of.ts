import { cloneJson, formatTime, TimeZone, type Dialect } from '../../../foundation/index.js';
import type { Job } from '../../../kinds/index.js';
import type { InputOf } from '../../../registry/index.js';
import { controllerReference } from '../../runtime/controller-ref.js';
import type { CronJobObject } from './types.js';

const MINUTE_MS = 60_000;

/** Returns the name of the Job of a time: the same for each attempt, so that no second Job is created. */
export const jobNameOf = ({ metadata: { name = '' } }: CronJobObject, timeMs: number): string =>
  `${name}-${Math.floor(timeMs / MINUTE_MS)}`;

/** Returns the Job of a time. @throws Error for an unknown time zone */
export function jobOf(cronJob: CronJobObject, timeMs: number, { labelDomain }: Dialect): InputOf<typeof Job> {
  const { jobTemplate, timeZone } = cronJob.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  const scheduled = { [`batch.${labelDomain}/cronjob-scheduled-timestamp`]: timeIn(timeMs, timeZone ?? '') };
  return {
    metadata: {
      name: jobNameOf(cronJob, timeMs),
      namespace: cronJob.metadata.namespace ?? '',
      labels: { ...labels },
      annotations: { ...annotations, ...scheduled },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: cloneJson(jobTemplate?.spec ?? { template: {} }) as InputOf<typeof Job>['spec'],
  };
}

/** Formats a time with the offset of a time zone: `2024-01-01T06:00:00+01:00`. */
function timeIn(timeMs: number, timeZone: string): string {
  const offsetMs = new TimeZone(timeZone).offsetMs(timeMs);
  if (offsetMs === 0) return formatTime(timeMs);
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const offset = `${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  return formatTime(timeMs + offsetMs).replace('Z', offset);
}
