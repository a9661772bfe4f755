import { parseTime } from '../../../foundation/index.js';
import { trueCondition } from '../job/conditions.js';
import type { JobObject } from '../job/types.js';
import type { CronJobSpec } from './types.js';

/** How a Job has ended; undefined while it runs. */
export function endOf({ status = {} }: JobObject): 'Complete' | 'Failed' | undefined {
  for (const type of ['Complete', 'Failed'] as const) if (trueCondition(status, type) !== undefined) return type;
  return undefined;
}

/** Returns the ended Jobs beyond the limits of the history, oldest first. */
export function surplusJobs(
  { successfulJobsHistoryLimit, failedJobsHistoryLimit }: CronJobSpec,
  jobs: readonly JobObject[],
): JobObject[] {
  const beyond = (end: 'Complete' | 'Failed', limit: number | undefined): JobObject[] => {
    const ended = jobs.filter((job) => endOf(job) === end).sort(byStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond('Complete', successfulJobsHistoryLimit), ...beyond('Failed', failedJobsHistoryLimit)];
}

/** Orders Jobs by their start, and then by name; Jobs that have not started come last. */
function byStart(a: JobObject, b: JobObject): number {
  const start = ({ status }: JobObject): number => parseTime(status?.startTime ?? '') ?? Infinity;
  const [first, second] = [start(a), start(b)];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}
