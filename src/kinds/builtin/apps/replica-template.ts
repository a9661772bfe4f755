import {
  appendErrors,
  forbidden,
  invalid,
  notSupported,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { coreV1, metaV1 } from '../../types/index.js';
import { validatePodTemplate } from '../core/pod/template.js';
import { shownLabels, shownSelector } from '../shared/go/shown-values.js';
import { selects, isEmptySelector, selectorErrors } from '../shared/selectors/label-selectors.js';

/** Message for a template whose labels the selector does not select. */
export const NO_MATCH = '`selector` does not match template `labels`';

/** Requires a selector with at least one requirement. `emptyText` is the message for an empty one. */
export function* requiredSelectorErrors(
  errors: FieldErrorList,
  selector: metaV1.LabelSelector | undefined,
  emptyText: string,
): Steps<void> {
  if (selector === undefined) return void errors.push(required('spec.selector'));
  yield* selectorErrors(errors, 'spec.selector', selector);
  if (isEmptySelector(selector)) errors.push(invalid('spec.selector', shownSelector(selector), emptyText));
}

/** Requires that a selector with requirements selects the labels of the template. */
export function* selectedLabelsErrors(
  errors: FieldErrorList,
  selector: metaV1.LabelSelector | undefined,
  template: coreV1.PodTemplateSpec,
  invalidText: string,
): Steps<boolean> {
  const labels = template.metadata?.labels;
  const isSelected = yield* selects(selector, labels, errors.work);
  if (isSelected === undefined) {
    errors.push(invalid('spec.selector', shownSelector(selector), invalidText));
    return false;
  }
  if (!isSelected) errors.push(invalid('spec.template.metadata.labels', shownLabels(labels), NO_MATCH));
  return true;
}

/** Requires pods that always restart and have no deadline. `owner` is how the message names the kind. */
export function endlessPodErrors(errors: FieldError[], { spec }: coreV1.PodTemplateSpec, owner: string): void {
  const path = 'spec.template.spec';
  const restartPolicy = spec?.restartPolicy ?? '';
  if (restartPolicy !== 'Always') errors.push(notSupported(`${path}.restartPolicy`, restartPolicy, ['Always']));
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.push(forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${owner} is not Supported`));
}

/** Adds the errors of the selector and of the template of a Deployment or ReplicaSet. */
export function* replicaTemplateErrors(
  errors: FieldErrorList,
  {
    selector,
    template,
  }: { readonly selector?: metaV1.LabelSelector | undefined; readonly template?: coreV1.PodTemplateSpec | undefined },
  context: RequestContext,
): Steps<void> {
  // Kubernetes names the Deployment for both kinds.
  yield* requiredSelectorErrors(errors, selector, 'empty selector is invalid for deployment');
  const pods = template ?? {};
  if (!(yield* selectedLabelsErrors(errors, selector, pods, 'invalid label selector'))) return;
  appendErrors(errors, yield* validatePodTemplate('spec.template', pods, context));
  endlessPodErrors(errors, pods, 'ReplicaSet');
}
