import {
  duplicate,
  invalid,
  notSupported,
  pathSegment,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
/**
 * The rules for the requests that webhooks and policies match.
 *
 * @module
 */
import type { admissionregistrationV1 } from '../../types/index.js';
import { goSlice } from '../shared/go/go-values.js';
import { validateLabelSelector } from '../shared/selectors/validate-label-selector.js';

type RuleWithOperations = admissionregistrationV1.RuleWithOperations;

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const OPERATION_TYPE = 'admissionregistration.OperationType';
const SCOPES = ['*', 'Cluster', 'Namespaced'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const FAILURE_POLICIES = ['Fail', 'Ignore'];

const mixesWildcard = (values: readonly string[]): boolean => values.length > 1 && values.includes('*');

/** Adds the errors of a value that must be one of a few. */
export function validateChoice(
  errors: FieldError[],
  path: string,
  value: string | undefined,
  supported: readonly string[],
): void {
  if (value !== undefined && !supported.includes(value)) errors.push(notSupported(path, value, supported));
}

/** Adds the errors of a failure policy, if it is set. */
export const validateFailurePolicy = (errors: FieldError[], path: string, value: string | undefined): void =>
  validateChoice(errors, path, value, FAILURE_POLICIES);

/** Adds the errors of a match policy, if it is set. */
export const validateMatchPolicy = (errors: FieldError[], path: string, value: string | undefined): void =>
  validateChoice(errors, path, value, MATCH_POLICIES);

/** Adds the errors of a rule: operations, groups, versions, resources and scope. */
export function* validateRule(errors: FieldErrorList, path: string, rule: RuleWithOperations): Steps<void> {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  if (operations.length === 0) errors.push(required(`${path}.operations`));
  if (mixesWildcard(operations))
    errors.push(
      invalid(
        `${path}.operations`,
        goSlice(OPERATION_TYPE, operations),
        "if '*' is present, must not specify other operations",
      ),
    );
  for (const [index, operation] of operations.entries()) {
    if (errors.spend()) yield;
    validateChoice(errors, `${path}.operations[${index}]`, operation, OPERATIONS);
  }
  if (apiGroups.length === 0) errors.push(required(`${path}.apiGroups`));
  if (mixesWildcard(apiGroups))
    errors.push(invalid(`${path}.apiGroups`, apiGroups, "if '*' is present, must not specify other API groups"));
  if (apiVersions.length === 0) errors.push(required(`${path}.apiVersions`));
  if (mixesWildcard(apiVersions))
    errors.push(invalid(`${path}.apiVersions`, apiVersions, "if '*' is present, must not specify other API versions"));
  for (const [index, version] of apiVersions.entries()) {
    if (errors.spend()) yield;
    if (version === '') errors.push(required(`${path}.apiVersions[${index}]`));
  }
  yield* validateResources(errors, `${path}.resources`, resources);
  validateChoice(errors, `${path}.scope`, scope, SCOPES);
}

/** Adds the errors of resources: `pods`, `pods/status`, with `*` for all of a part. */
function* validateResources(errors: FieldErrorList, path: string, resources: readonly string[]): Steps<void> {
  if (resources.length === 0) errors.push(required(path));
  const allSubresourcesOf = new Set<string>();
  const subresourceOfAll = new Set<string>();
  let endsWithResource = false;
  for (const [index, text] of resources.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (text === '') {
      errors.push(required(at));
      continue;
    }
    const slash = text.indexOf('/');
    if (slash === -1) {
      // Kubernetes remembers only the last name without a subresource.
      endsWithResource = text !== '*';
      continue;
    }
    const resource = text.slice(0, slash);
    const subresource = text.slice(slash + 1);
    if (allSubresourcesOf.has(resource))
      errors.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
    if (subresourceOfAll.has(subresource))
      errors.push(invalid(at, text, `if '*/${subresource}' is present, must not specify ${text}`));
    if (subresource === '*') allSubresourcesOf.add(resource);
    if (resource === '*') subresourceOfAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && endsWithResource)
    errors.push(invalid(path, resources, "if '*' is present, must not specify other resources without subresources"));
}

function* validateNamedRule(
  errors: FieldErrorList,
  path: string,
  rule: admissionregistrationV1.NamedRuleWithOperations,
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, name] of (rule.resourceNames ?? []).entries()) {
    if (errors.spend()) yield;
    const at = `${path}.resourceNames[${index}]`;
    for (const problem of pathSegment(name, false)) {
      if (errors.spend()) yield;
      errors.push(invalid(at, name, problem));
    }
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
  yield* validateRule(errors, path, rule);
}

/** Adds the errors of what a policy or a binding matches. */
export function* validateMatchResources(
  errors: FieldErrorList,
  path: string,
  match: admissionregistrationV1.MatchResources,
): Steps<void> {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  validateMatchPolicy(errors, `${path}.matchPolicy`, matchPolicy);
  yield* validateLabelSelector(errors, `${path}.namespaceSelector`, namespaceSelector);
  yield* validateLabelSelector(errors, `${path}.objectSelector`, objectSelector);
  for (const [index, rule] of resourceRules.entries()) {
    if (errors.spend()) yield;
    yield* validateNamedRule(errors, `${path}.resourceRules[${index}]`, rule);
  }
  for (const [index, rule] of excludeResourceRules.entries()) {
    if (errors.spend()) yield;
    yield* validateNamedRule(errors, `${path}.excludeResourceRules[${index}]`, rule);
  }
}
