import { invalid, type FieldError, type FieldErrorList, type Steps } from '../../../../foundation/index.js';
import type { batchV1, coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { immutableSelector } from '../../shared/selectors/label-selectors.js';
import { IMMUTABLE } from '../../shared/validate.js';

type StoredJob = StoredKind<batchV1.Job>;

const IMMUTABLE_FIELDS = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** Requires that the completions stay, or change together with the parallelism of an Indexed Job. */
function completionsErrors(errors: FieldError[], spec: batchV1.JobSpec, old: batchV1.JobSpec): void {
  const { completions, parallelism, completionMode } = spec;
  if (completions === old.completions) return;
  if (completionMode !== 'Indexed') errors.push(invalid('spec.completions', completions, IMMUTABLE));
  else if (completions !== undefined && completions !== parallelism)
    errors.push(invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'));
}

/** Returns the affinity without rules for nodes; undefined when it has no others. */
function withoutNodeAffinity(affinity: coreV1.Affinity | undefined): coreV1.Affinity | undefined {
  if (affinity === undefined) return undefined;
  const { nodeAffinity: _nodes, ...rest } = affinity;
  return Object.values(rest).some((part) => part !== undefined) ? rest : undefined;
}

/** Returns a template without the fields that a suspended Job may change before it starts. */
function withoutScheduling({ metadata, spec }: coreV1.PodTemplateSpec): coreV1.PodTemplateSpec {
  const { annotations: _annotations, labels: _labels, ...meta } = metadata ?? {};
  const { containers = [], affinity, nodeSelector: _n, tolerations: _t, schedulingGates: _s, ...pod } = spec ?? {};
  return { metadata: meta, spec: { ...pod, containers, affinity: withoutNodeAffinity(affinity) } };
}

function* templateErrors(
  errors: FieldErrorList,
  { spec }: StoredJob,
  { spec: oldSpec, status }: StoredJob,
): Steps<void> {
  if (spec === undefined || oldSpec === undefined) return;
  const mayMove = oldSpec.suspend === true && status?.startTime === undefined;
  const compared = (template: coreV1.PodTemplateSpec): coreV1.PodTemplateSpec =>
    mayMove ? withoutScheduling(template) : template;
  if (!(yield* semanticallyEqualSteps(compared(spec.template), compared(oldSpec.template), errors.work)))
    errors.push(invalid('spec.template', spec.template, IMMUTABLE));
}

/** Adds the errors of a change of immutable fields of a Job. */
export function* jobChangeErrors(errors: FieldErrorList, job: StoredJob, old: StoredJob): Steps<void> {
  const { spec } = job;
  const { spec: oldSpec } = old;
  if (spec === undefined || oldSpec === undefined) return;
  completionsErrors(errors, spec, oldSpec);
  yield* immutableSelector(errors, 'spec.selector', spec.selector, oldSpec.selector);
  yield* templateErrors(errors, job, old);
  for (const field of IMMUTABLE_FIELDS)
    if (!(yield* semanticallyEqualSteps(spec[field], oldSpec[field], errors.work)))
      errors.push(invalid(`spec.${field}`, spec[field], IMMUTABLE));
}
