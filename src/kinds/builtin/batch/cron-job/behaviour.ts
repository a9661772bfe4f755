import { invalid, utf8Length } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { dropDisabledTemplateFields } from '../../core/pod/template.js';
import { NONE, timeSince } from '../../shared/columns.js';
import { podNameWarnings } from '../../shared/pod-name-warnings.js';
import { selectorCell } from '../../shared/selectors/label-selectors.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { defaultJobPods } from '../job/defaults.js';
import { jobSpecWarnings } from '../job/warnings.js';
import { validateCronJobSpec } from './validate.js';

type StoredCronJob = StoredKind<batchV1.CronJob>;

/** Maximum length of a name: the names of the Jobs have 11 characters more, and at most 63. */
const MAX_NAME_BYTES = 52;
const SUCCESSFUL_HISTORY = 3;
const FAILED_HISTORY = 1;
const JOB_PATH = 'spec.jobTemplate.spec';

// Strategies receive only objects that the schema of the kind has decoded.
const cronJobOf = (object: NamedObject): StoredCronJob => object;
const jobSpecOf = (cronJob: StoredCronJob): batchV1.JobSpec => specOf(specOf(cronJob).jobTemplate);

/** Returns the warning about a time zone in the schedule. */
function scheduleWarnings({ schedule }: batchV1.CronJobSpec, { dialect }: RequestContext): string[] {
  if (!schedule.includes('TZ')) return [];
  const page = `${dialect.documentation}/concepts/workloads/controllers/cron-jobs/`;
  // The release writes this path.
  return [`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${page} for more details`];
}

const strategy: Strategy<StoredCronJob> = {
  *defaults(object, context) {
    const cronJob = cronJobOf(object);
    const spec = specOf(cronJob);
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= SUCCESSFUL_HISTORY;
    spec.failedJobsHistoryLimit ??= FAILED_HISTORY;
    yield* defaultJobPods(jobSpecOf(cronJob), context);
  },
  *prepareForCreate(object, context) {
    object.status = {};
    object.metadata.generation = 1;
    yield* dropDisabledTemplateFields(jobSpecOf(cronJobOf(object)).template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const cronJob = cronJobOf(object);
    cronJob.status = old.status;
    yield* dropDisabledTemplateFields(jobSpecOf(cronJob).template, jobSpecOf(old).template, context);
    yield* countSpecChange(cronJob, old, context);
  },
  *validate(object, context, old) {
    if (old !== undefined) return [];
    const errors = yield* validateCronJobSpec(specOf(object), undefined, context);
    const { name = '' } = object.metadata;
    if (utf8Length(name) > MAX_NAME_BYTES)
      errors.push(invalid('metadata.name', name, `must be no more than ${MAX_NAME_BYTES} characters`));
    return errors;
  },
  validateUpdate: (object, old, context) => validateCronJobSpec(specOf(object), specOf(old), context),
  *warnings(object, old, context) {
    const spec = jobSpecOf(object);
    if (old === undefined)
      return [
        ...podNameWarnings(object.metadata.name),
        ...(yield* jobSpecWarnings(JOB_PATH, spec, undefined, context)),
      ];
    const isChanged = object.metadata.generation !== old.metadata.generation;
    return [
      ...(isChanged ? yield* jobSpecWarnings(JOB_PATH, spec, jobSpecOf(old), context) : []),
      ...scheduleWarnings(specOf(object), context),
    ];
  },
};

const status: SubresourceStrategy<StoredCronJob> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    cronJobOf(object).spec = old.spec;
  },
};

function suspendCell({ spec }: StoredCronJob): string {
  if (spec?.suspend === undefined) return '<unset>';
  return spec.suspend ? 'True' : 'False';
}

/** The behaviour of CronJobs. */
export const cronJobBehaviour: Behaviour<batchV1.CronJob> = {
  strategy,
  subresources: { status },
  cells: {
    Schedule: ({ spec }) => spec?.schedule ?? '',
    Timezone: ({ spec }) => spec?.timeZone ?? NONE,
    Suspend: suspendCell,
    Active: ({ status }) => (status?.active ?? []).length,
    'Last Schedule': ({ status }) =>
      status?.lastScheduleTime === undefined ? NONE : timeSince(status.lastScheduleTime),
    Containers: ({ spec }, work) => containersCell(spec?.jobTemplate.spec?.template, work),
    Images: ({ spec }, work) => imagesCell(spec?.jobTemplate.spec?.template, work),
    Selector: ({ spec }, work) => selectorCell(spec?.jobTemplate.spec?.selector, work),
  },
};
