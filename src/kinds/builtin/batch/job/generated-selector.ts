import {
  invalid,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type ObjectMeta,
  type Steps,
} from '../../../../foundation/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { shownLabels, shownSelector } from '../../shared/go/shown-values.js';
import { selects } from '../../shared/selectors/label-selectors.js';

type StoredJob = StoredKind<batchV1.Job>;

/** The labels of a Job's pods that early releases set, and that are still set. */
const LEGACY_JOB_NAME = 'job-name';
const LEGACY_CONTROLLER_UID = 'controller-uid';

/**
 * Adds to the template of a new Job the labels with its name and uid, and to its selector the label with its uid.
 * Labels that the client has set stay, and are refused when they differ.
 */
export function generateSelector({ metadata, spec }: StoredJob, { jobLabels }: Dialect): void {
  if (spec === undefined || spec.manualSelector === true) return;
  const { name = '', uid = '' } = metadata;
  const template = (spec.template.metadata ??= {});
  template.labels = {
    [LEGACY_JOB_NAME]: name,
    [jobLabels.jobName]: name,
    [LEGACY_CONTROLLER_UID]: uid,
    [jobLabels.controllerUid]: uid,
    ...template.labels,
  };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { [jobLabels.controllerUid]: uid, ...selector.matchLabels };
}

function labelErrors(errors: FieldError[], labels: ObjectMeta['labels'], key: string, expected: string): void {
  const path = 'spec.template.metadata.labels';
  const label = labels?.[key];
  if (label === undefined) errors.push(required(`${path}[${key}]`, `must be '${expected}'`));
  else if (label !== expected) errors.push(invalid(`${path}[${key}]`, shownLabels(labels), `must be '${expected}'`));
}

/** Returns whether a stored Job has the labels with a domain, which early releases did not set. */
export function hasPrefixedLabels({ spec }: StoredJob, { jobLabels }: Dialect): boolean {
  const labels = spec?.template.metadata?.labels ?? {};
  return Object.hasOwn(labels, jobLabels.jobName) && Object.hasOwn(labels, jobLabels.controllerUid);
}

/** Adds the errors of the generated labels and of the generated selector. */
export function* generatedSelectorErrors(
  errors: FieldErrorList,
  { metadata, spec }: StoredJob,
  { jobLabels }: Dialect,
  requirePrefixed: boolean,
): Steps<void> {
  if (spec?.selector === undefined || spec.manualSelector === true) return;
  const { name = '', uid = '' } = metadata;
  if (uid === '') errors.push(required('metadata.uid'));
  const legacy = { [LEGACY_CONTROLLER_UID]: uid, [LEGACY_JOB_NAME]: name };
  const prefixed = requirePrefixed ? { [jobLabels.controllerUid]: uid, [jobLabels.jobName]: name } : {};
  const expected = { ...legacy, ...prefixed };
  const labels = spec.template.metadata?.labels;
  for (const [key, value] of Object.entries(expected)) labelErrors(errors, labels, key, value);
  if ((yield* selects(spec.selector, expected, errors.work)) === false)
    errors.push(invalid('spec.selector', shownSelector(spec.selector), '`selector` not auto-generated'));
}
