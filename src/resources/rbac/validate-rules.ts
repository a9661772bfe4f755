import { FieldErrorList } from '../../meta/field-error-list.js';
import type { rbacV1 } from '../../kinds/index.js';
import { invalid, required, type FieldError } from '../../meta/field-error.js';
import { FieldPath } from '../../meta/field-path.js';
import { validateLabelSelector } from '../../selectors/labels.js';

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
export function validateRules(rules: rbacV1.Role['rules'], namespaced: boolean): FieldError[] {
  const errors = new FieldErrorList();
  rules?.forEach((rule, index) => ruleErrors(errors, `rules[${index}]`, rule, namespaced));
  return errors;
}

/** Validates the selectors of an aggregated cluster role. */
export function validateAggregation(aggregationRule: rbacV1.ClusterRole['aggregationRule']): FieldError[] {
  if (aggregationRule === undefined) return [];
  const path = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const found = validateLabelSelector(selector, path.index(index));
    // Kubernetes then fails to build the selector and reports null as the value.
    return found.length === 0 ? found : [...found, invalid(path.index(index), null, 'invalid label selector.')];
  });
}
