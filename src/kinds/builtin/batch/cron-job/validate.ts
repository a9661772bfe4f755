import {
  FieldErrorList,
  invalid,
  messageOf,
  notSupported,
  parseCronSchedule,
  required,
  TimeZone,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import { shownSelector } from '../../shared/go/shown-values.js';
import { mandatory, oneOf } from '../../shared/field-rules.js';
import { nonNegative } from '../../shared/validate.js';
import { jobSpecErrors } from '../job/validate-spec.js';

const concurrencyPolicy = mandatory(oneOf(['Allow', 'Forbid', 'Replace']));
const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Returns the message of an error that a function throws; undefined when it throws none. */
function problemOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function scheduleErrors(errors: FieldError[], spec: batchV1.CronJobSpec, old: batchV1.CronJobSpec | undefined): void {
  const { schedule, timeZone } = spec;
  const path = 'spec.schedule';
  if (schedule === '') return void errors.push(required(path));
  const problem = problemOf(() => parseCronSchedule(schedule));
  if (problem !== undefined) errors.push(invalid(path, schedule, problem));
  if (!schedule.includes('TZ')) return;
  // A schedule with a time zone was valid in early releases, and may stay.
  const hadZone = old?.schedule.includes('TZ') === true;
  if (!hadZone)
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined)
    errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

const isZonePart = (part: string): boolean =>
  part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part);

function timeZoneErrors(errors: FieldError[], timeZone: string | undefined): void {
  const path = 'spec.timeZone';
  if (timeZone === undefined) return;
  if (timeZone === '') return void errors.push(invalid(path, timeZone, 'timeZone must be nil or non-empty string'));
  if (!timeZone.split('/').every(isZonePart))
    return void errors.push(invalid(path, timeZone, `unknown time zone ${timeZone}`));
  if (timeZone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(path, timeZone, text));
  }
  const problem = problemOf(() => new TimeZone(timeZone));
  if (problem !== undefined) errors.push(invalid(path, timeZone, problem));
}

function* jobTemplateErrors(errors: FieldErrorList, spec: batchV1.JobSpec, context: RequestContext): Steps<void> {
  const path = 'spec.jobTemplate.spec';
  yield* jobSpecErrors(errors, path, spec, context);
  if (spec.selector !== undefined)
    errors.push(invalid(`${path}.selector`, shownSelector(spec.selector), '`selector` will be auto-generated'));
  if (spec.manualSelector === true) errors.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']));
}

/** Returns the errors of the spec of a CronJob. `old` is the previous spec; undefined for a new CronJob. */
export function* validateCronJobSpec(
  spec: batchV1.CronJobSpec,
  old: batchV1.CronJobSpec | undefined,
  context: RequestContext,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  scheduleErrors(errors, spec, old);
  nonNegative(errors, 'spec.startingDeadlineSeconds', spec.startingDeadlineSeconds);
  if (old === undefined || old.timeZone !== spec.timeZone) timeZoneErrors(errors, spec.timeZone);
  concurrencyPolicy(errors, 'spec.concurrencyPolicy', spec.concurrencyPolicy);
  if (spec.jobTemplate.spec !== undefined) yield* jobTemplateErrors(errors, spec.jobTemplate.spec, context);
  nonNegative(errors, 'spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit);
  nonNegative(errors, 'spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit);
  return errors;
}
