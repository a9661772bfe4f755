import { dnsLabelErrors, FieldErrorList, invalid, type FieldError, type Steps } from '../../../../foundation/index.js';
import type { NamedObject, RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { dropDisabledTemplateFields } from '../../core/pod/template.js';
import { podNameWarnings } from '../../shared/pod-name-warnings.js';
import { countSpecChange, specOf } from '../../shared/spec.js';
import { jobCells } from './cells.js';
import { defaultJob } from './defaults.js';
import { dropFromChangedJob, dropFromNewJob } from './disabled-fields.js';
import { generatedSelectorErrors, generateSelector, hasPrefixedLabels } from './generated-selector.js';
import { selectingJobSpecErrors } from './validate-spec.js';
import { validateJobStatus } from './validate-status.js';
import { jobChangeErrors } from './validate-update.js';
import { jobSpecWarnings } from './warnings.js';

type StoredJob = StoredKind<batchV1.Job>;

// Strategies receive only objects that the schema of the kind has decoded.
const jobOf = (object: NamedObject): StoredJob => object;

/** Requires a name that leaves room for the index in the host names of an Indexed Job. */
function hostNameErrors(errors: FieldError[], { metadata, spec }: StoredJob): void {
  const { completionMode, completions = 0 } = spec ?? {};
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const name = metadata.name ?? '';
  const longest = `${name}-${completions - 1}`;
  if (dnsLabelErrors(longest).length === 0) return;
  errors.push(invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`));
}

function* validateJob(job: StoredJob, context: RequestContext, requirePrefixed: boolean): Steps<FieldErrorList> {
  const errors = new FieldErrorList(context.work);
  yield* generatedSelectorErrors(errors, job, context.dialect, requirePrefixed);
  yield* selectingJobSpecErrors(errors, specOf(job), context);
  hostNameErrors(errors, job);
  return errors;
}

const strategy: Strategy<StoredJob> = {
  // Kept for the clients of early releases.
  orphansDependents: true,
  defaults: (object, context) => defaultJob(jobOf(object), context),
  *prepareForCreate(object, context) {
    const job = jobOf(object);
    generateSelector(job, context.dialect);
    job.status = {};
    job.metadata.generation = 1;
    dropFromNewJob(specOf(job), context.featureGates);
    yield* dropDisabledTemplateFields(specOf(job).template, undefined, context);
  },
  *prepareForUpdate(object, old, context) {
    const job = jobOf(object);
    job.status = old.status;
    dropFromChangedJob(specOf(job), specOf(old), context.featureGates);
    yield* dropDisabledTemplateFields(specOf(job).template, specOf(old).template, context);
    yield* countSpecChange(job, old, context);
  },
  validate: (object, context, old) => (old === undefined ? validateJob(object, context, true) : []),
  *validateUpdate(object, old, context) {
    const errors = yield* validateJob(object, context, hasPrefixedLabels(old, context.dialect));
    yield* jobChangeErrors(errors, object, old);
    return errors;
  },
  *warnings(object, old, context) {
    const spec = specOf(object);
    if (old === undefined)
      return [...podNameWarnings(object.metadata.name), ...(yield* jobSpecWarnings('spec', spec, undefined, context))];
    if (object.metadata.generation === old.metadata.generation) return [];
    return yield* jobSpecWarnings('spec', spec, old.spec, context);
  },
};

const status: SubresourceStrategy<StoredJob> = {
  resetFields: [['spec']],
  prepareForUpdate(object, old) {
    jobOf(object).spec = old.spec;
  },
  validateUpdate: validateJobStatus,
};

/** The behaviour of Jobs. */
export const jobBehaviour: Behaviour<batchV1.Job> = { strategy, subresources: { status }, cells: jobCells };
