import {
  appendErrors,
  FieldError,
  goQuote,
  invalid,
  notSupported,
  required,
  utf8Length,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import { validatePodTemplate } from '../../core/pod/template.js';
import { domainPrefixedPathErrors } from '../../shared/domain-prefixed-path.js';
import { shownLabels } from '../../shared/go/shown-values.js';
import { selects, selectorErrors } from '../../shared/selectors/label-selectors.js';
import { nonNegative } from '../../shared/validate.js';
import { podFailurePolicyErrors, successPolicyErrors } from './validate-policies.js';

const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Completions beyond which an Indexed Job with a limit per index has lower limits. */
const MANY_COMPLETIONS = 100_000;
const MAX_PARALLELISM_OF_MANY = 10_000;
const MAX_FAILED_INDEXES_OF_MANY = 10_000;
const MAX_MANAGED_BY_BYTES = 63;

const MODES = ['NonIndexed', 'Indexed'];
const RESTART_POLICIES = ['OnFailure', 'Never'];
const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'];

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

function countErrors(errors: FieldError[], path: string, spec: batchV1.JobSpec): void {
  for (const field of COUNTS) nonNegative(errors, `${path}.${field}`, spec[field]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
}

function managedByErrors(errors: FieldError[], path: string, managedBy: string | undefined): void {
  if (managedBy === undefined) return;
  domainPrefixedPathErrors(errors, path, managedBy);
  if (utf8Length(managedBy) > MAX_MANAGED_BY_BYTES)
    errors.push(new FieldError('TooLong', path, managedBy, `may not be longer than ${MAX_MANAGED_BY_BYTES}`));
}

function atMost(errors: FieldError[], path: string, value: number | undefined, limit: number, why = ''): void {
  if (value !== undefined && value > limit)
    errors.push(invalid(path, value, `must be less than or equal to ${limit}${why}`));
}

/** Adds the errors of an Indexed Job with very many completions and a limit per index. */
function manyCompletionsErrors(errors: FieldError[], path: string, spec: batchV1.JobSpec): void {
  const { maxFailedIndexes, parallelism } = spec;
  const why = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined)
    errors.push(
      required(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`),
    );
  atMost(errors, `${path}.parallelism`, parallelism, MAX_PARALLELISM_OF_MANY, why);
  atMost(errors, `${path}.maxFailedIndexes`, maxFailedIndexes, MAX_FAILED_INDEXES_OF_MANY, why);
}

function indexedErrors(errors: FieldError[], path: string, spec: batchV1.JobSpec): void {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const why = ' when completion mode is Indexed';
  if (completions === undefined) errors.push(required(`${path}.completions`, why.trimStart()));
  atMost(errors, `${path}.parallelism`, parallelism, MAX_INDEXED_PARALLELISM, why);
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'));
  atMost(errors, `${path}.maxFailedIndexes`, maxFailedIndexes, MAX_FAILED_INDEXES);
  if (completions !== undefined && completions > MANY_COMPLETIONS && backoffLimitPerIndex !== undefined)
    manyCompletionsErrors(errors, path, spec);
}

function modeErrors(errors: FieldError[], path: string, spec: batchV1.JobSpec): void {
  const { completionMode = 'NonIndexed', backoffLimitPerIndex, maxFailedIndexes } = spec;
  const text = 'requires indexed completion mode';
  if (!MODES.includes(completionMode)) errors.push(notSupported(`${path}.completionMode`, completionMode, MODES));
  if (completionMode === 'Indexed') indexedErrors(errors, path, spec);
  if (completionMode !== 'NonIndexed') return;
  if (backoffLimitPerIndex !== undefined)
    errors.push(invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, text));
  if (maxFailedIndexes !== undefined) errors.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, text));
}

function* policyErrors(errors: FieldErrorList, path: string, spec: batchV1.JobSpec): Steps<void> {
  const { podFailurePolicy, successPolicy, podReplacementPolicy: replacement, completionMode } = spec;
  if (podFailurePolicy !== undefined) yield* podFailurePolicyErrors(errors, `${path}.podFailurePolicy`, spec);
  if (successPolicy !== undefined) {
    if (completionMode === 'Indexed') yield* successPolicyErrors(errors, `${path}.successPolicy`, spec);
    else errors.push(invalid(`${path}.successPolicy`, successPolicy, 'requires indexed completion mode'));
  }
  if (replacement === undefined) return;
  const supported = podFailurePolicy === undefined ? REPLACEMENT_POLICIES : ['Failed'];
  if (!supported.includes(replacement))
    errors.push(notSupported(`${path}.podReplacementPolicy`, replacement, supported));
}

function restartErrors(errors: FieldError[], path: string, { template, podFailurePolicy }: batchV1.JobSpec): void {
  const field = `${path}.template.spec.restartPolicy`;
  const policy = template.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always')
    errors.push(required(field, `valid values: ${RESTART_POLICIES.map(goQuote).join(', ')}`));
  else if (!RESTART_POLICIES.includes(policy)) errors.push(notSupported(field, policy, RESTART_POLICIES));
  else if (podFailurePolicy !== undefined && policy !== 'Never')
    errors.push(invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified'));
}

/** Adds the errors that the specs of Jobs and of the templates of Jobs have in common. */
export function* jobSpecErrors(
  errors: FieldErrorList,
  path: string,
  spec: batchV1.JobSpec,
  context: RequestContext,
): Steps<void> {
  countErrors(errors, path, spec);
  managedByErrors(errors, `${path}.managedBy`, spec.managedBy);
  modeErrors(errors, path, spec);
  yield* policyErrors(errors, path, spec);
  appendErrors(errors, yield* validatePodTemplate(`${path}.template`, spec.template, context));
  restartErrors(errors, path, spec);
}

/** Adds the errors of the spec of a Job, whose selector was generated before or is the client's. */
export function* selectingJobSpecErrors(
  errors: FieldErrorList,
  spec: batchV1.JobSpec,
  context: RequestContext,
): Steps<void> {
  yield* jobSpecErrors(errors, 'spec', spec, context);
  if (spec.selector === undefined) errors.push(required('spec.selector'));
  yield* selectorErrors(errors, 'spec.selector', spec.selector);
  const labels = spec.template.metadata?.labels;
  if ((yield* selects(spec.selector, labels, errors.work)) === false) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalid('spec.template.metadata.labels', shownLabels(labels), text));
  }
}
