import {
  appendErrors,
  checkAnnotations,
  checkLabels,
  FieldErrorList,
  forbidden,
  type Steps,
  type WarningList,
} from '../../../../foundation/index.js';
/**
 * Pods in the templates of other kinds: defaults, validation, warnings and disabled fields.
 *
 * @module
 */
import type { RequestContext } from '../../../../registry/index.js';
import { defaultPodSpec } from './defaults.js';
import { dropDisabledSpecFields } from './disabled-fields.js';
import type { PodSpec, PodTemplateSpec, UnvalidatedTemplate } from './types.js';
import { podRules } from './rules.js';
import { validatePodAnnotations, validateSeccompAgreement } from './validate/validate-annotations.js';
import { validatePodSpec } from './validate/validate.js';
import { podWarnings } from './warnings/warnings.js';

const NO_SPEC: PodSpec = Object.freeze({ containers: [] });

/**
 * Sets the defaults of a template that the schema cannot express, in place. Does nothing without a template. No default
 * of this release depends on the context.
 */
export function* defaultPodTemplate(template: UnvalidatedTemplate | undefined, { work }: RequestContext): Steps<void> {
  if (template !== undefined) yield* defaultPodSpec((template.spec ??= {}) as PodSpec, work);
}

/**
 * Validates a template on creation and update.
 *
 * @param path path of the template: `spec.template`
 * @param old the previous template, whose values stay allowed where releases became stricter; undefined for a new object
 * @returns errors with the order and texts of Kubernetes, whose paths of labels and annotations lack `metadata`
 */
export function* validatePodTemplate(
  path: string,
  { metadata = {}, spec = NO_SPEC }: PodTemplateSpec,
  context: RequestContext,
  old?: PodTemplateSpec,
): Steps<FieldErrorList> {
  const { annotations = {} } = metadata;
  const before = old && { spec: old.spec ?? NO_SPEC, annotations: old.metadata?.annotations ?? {} };
  const rules = yield* podRules(context, { isPod: false }, before);
  const errors = new FieldErrorList(context.work);
  appendErrors(errors, yield* checkLabels(metadata.labels, `${path}.labels`, errors.work));
  appendErrors(errors, yield* checkAnnotations(metadata.annotations, `${path}.annotations`, errors.work));
  yield* validatePodAnnotations(errors, `${path}.annotations`, annotations, spec, rules);
  appendErrors(errors, yield* validatePodSpec(`${path}.spec`, spec, rules, context.work));
  yield* validateSeccompAgreement(errors, `${path}.spec`, annotations, spec, context.dialect);
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  return errors;
}

/**
 * Returns the texts for the `Warning` header about a template, as many as a response can hold.
 *
 * @param path path of the template: `spec.template`
 * @param old the previous template; undefined for a new object. No warning of this release depends on it
 */
export const podTemplateWarnings = (
  path: string,
  { metadata = {}, spec = NO_SPEC }: PodTemplateSpec,
  _old: PodTemplateSpec | undefined,
  { dialect, work }: RequestContext,
): Steps<WarningList> => podWarnings({ path, spec, annotations: metadata.annotations ?? {}, dialect }, work);

/**
 * Drops the fields of disabled features, in place. Call it from `prepareForCreate` and `prepareForUpdate`.
 *
 * @param old the previous template, whose features stay in use; undefined for a new object
 */
export function* dropDisabledTemplateFields(
  template: UnvalidatedTemplate | undefined,
  old: PodTemplateSpec | undefined,
  context: RequestContext,
): Steps<void> {
  if (template?.spec !== undefined) yield* dropDisabledSpecFields(template.spec as PodSpec, old?.spec, context);
}
