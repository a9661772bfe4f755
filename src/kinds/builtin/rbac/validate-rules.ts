import {
  appendErrors,
  FieldErrorList,
  FieldPath,
  invalid,
  required,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { checkLabelSelector } from '../../../machinery/index.js';
import type { rbacV1 } from '../../types/index.js';

const isNotEmpty = (list: readonly string[] | undefined): list is readonly string[] =>
  list !== undefined && list.length > 0;

function ruleErrors(errors: FieldError[], path: string, rule: rbacV1.PolicyRule, namespaced: boolean): void {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  if (!isNotEmpty(verbs)) errors.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
  if (isNotEmpty(nonResourceURLs)) {
    const field = `${path}.nonResourceURLs`;
    if (namespaced) errors.push(invalid(field, nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs'));
    if (isNotEmpty(apiGroups) || isNotEmpty(resources) || isNotEmpty(resourceNames)) {
      errors.push(
        invalid(field, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
      );
    }
    return;
  }
  if (!isNotEmpty(apiGroups))
    errors.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  if (!isNotEmpty(resources))
    errors.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
}

/** Validates the rules of a role. */
export function* validateRules(
  rules: rbacV1.Role['rules'],
  namespaced: boolean,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  for (const [index, rule] of (rules ?? []).entries()) {
    if (errors.spend()) yield;
    ruleErrors(errors, `rules[${index}]`, rule, namespaced);
  }
  return errors;
}

/** Adds the errors of the selectors of an aggregated cluster role. */
export function* validateAggregation(
  errors: FieldErrorList,
  { clusterRoleSelectors: selectors = [] }: NonNullable<rbacV1.ClusterRole['aggregationRule']>,
): Steps<void> {
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  if (selectors.length === 0)
    errors.push(required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  for (const [index, selector] of selectors.entries()) {
    if (errors.spend()) yield;
    const found = yield* checkLabelSelector(selector, path.index(index), errors.work);
    appendErrors(errors, found);
    // Kubernetes then fails to build the selector and reports null as the value.
    if (found.length > 0) errors.push(invalid(path.index(index), null, 'invalid label selector.'));
  }
}
