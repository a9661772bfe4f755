import type { Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { defaultPodTemplate } from '../../core/pod/template.js';
import { specOf } from '../../shared/spec.js';

const BACKOFF_LIMIT = 6;
/** A Job with a limit for each index has no limit for all of them. */
const NO_BACKOFF_LIMIT = 2 ** 31 - 1;

/** Sets the defaults that the specs of Jobs and of the templates of Jobs have in common. */
export function* defaultJobPods(spec: batchV1.JobSpec, context: RequestContext): Steps<void> {
  const rules: readonly batchV1.PodFailurePolicyRule[] | null | undefined = spec.podFailurePolicy?.rules;
  for (const { onPodConditions = [] } of rules ?? []) for (const pattern of onPodConditions) pattern.status ||= 'True';
  yield* defaultPodTemplate(spec.template, context);
}

/** Sets the defaults of a Job. */
export function* defaultJob(job: StoredKind<batchV1.Job>, context: RequestContext): Steps<void> {
  const { featureGates } = context;
  const spec = specOf(job);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? BACKOFF_LIMIT : NO_BACKOFF_LIMIT;
  const { labels = {} } = spec.template.metadata ?? {};
  if (Object.keys(job.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0)
    job.metadata.labels = { ...labels };
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  if (featureGates.enabled('JobPodReplacementPolicy'))
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  yield* defaultJobPods(spec, context);
}
