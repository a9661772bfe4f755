/**
 * Validation of an audit policy, with the rules, order and words of Kubernetes.
 *
 * @module
 */
import {
  aggregateText,
  dnsSubdomainErrors,
  FieldErrorList,
  FieldPath,
  invalid,
  notSupported,
  required,
  type FieldError,
} from '../../../foundation/index.js';
import { auditLevels, auditStages } from '../event.js';
import type { AuditGroupResources, AuditPolicy, UncheckedAuditPolicy, UncheckedAuditPolicyRule } from './types.js';

/** Validates a policy. @returns errors in the order of Kubernetes; empty when the policy is valid */
export function validateAuditPolicy({ omitStages, rules }: UncheckedAuditPolicy): FieldError[] {
  const path = FieldPath.of('rules');
  return [
    ...validateStages(omitStages, FieldPath.of('omitStages')),
    ...rules.flatMap((rule, index) => validateRule(rule, path.index(index))),
  ];
}

/**
 * Validates a policy.
 *
 * @throws Error with all errors, in the words of Kubernetes
 */
export function checkAuditPolicy(policy: UncheckedAuditPolicy): AuditPolicy {
  const errors = validateAuditPolicy(policy);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  // The validation has checked the levels and stages, which are all that distinguishes the types.
  return policy as AuditPolicy;
}

function validateRule(rule: UncheckedAuditPolicyRule, path: FieldPath): FieldError[] {
  const { level = '', nonResourceURLs = [], resources = [], namespaces = [], omitStages } = rule;
  const urls = path.child('nonResourceURLs');
  const mixed = nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0);
  return [
    ...validateLevel(level, path.child('level')),
    ...validateUrls(nonResourceURLs, urls),
    ...validateResources(resources, path.child('resources')),
    ...validateStages(omitStages, path.child('omitStages')),
    ...(mixed
      ? [invalid(urls, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs')]
      : []),
  ];
}

function validateLevel(level: string, path: FieldPath): FieldError[] {
  if (level === '') return [required(path)];
  return auditLevels.some((known) => known === level) ? [] : [notSupported(path, level, auditLevels)];
}

function validateUrls(urls: readonly string[], path: FieldPath): FieldError[] {
  return urls.flatMap((url, index) => {
    if (url === '*') return [];
    const errors = new FieldErrorList();
    if (!url.startsWith('/'))
      errors.push(invalid(path.index(index), url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes('*'))
      errors.push(
        invalid(path.index(index), url, "non-resource URL wildcards '*' must be the final character of the rule"),
      );
    return errors;
  });
}

/** As in Kubernetes, the paths of these errors have no index. */
function validateResources(resources: readonly AuditGroupResources[], path: FieldPath): FieldError[] {
  return resources.flatMap(({ group = '', resources: names = [], resourceNames = [] }) => {
    const problems = group === '' ? [] : dnsSubdomainErrors(group);
    const errors = problems.length === 0 ? [] : [invalid(path.child('group'), group, problems.join(','))];
    if (resourceNames.length > 0 && names.length === 0)
      errors.push(
        invalid(path.child('resourceNames'), resourceNames, 'using resourceNames requires at least one resource'),
      );
    return errors;
  });
}

function validateStages(stages: readonly string[] = [], path: FieldPath): FieldError[] {
  return stages.flatMap((stage, index) =>
    auditStages.some((known) => known === stage)
      ? []
      : [invalid(path.index(index), stage, `allowed stages are ${auditStages.join(',')}`)],
  );
}
