import {
  duplicate,
  invalid,
  pathSegment,
  required,
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
import { allOf, each, fields, mandatory, oneOf, type Check } from '../shared/field-rules.js';
import { validateLabelSelector } from '../shared/selectors/validate-label-selector.js';
import { nameErrors } from '../shared/validate.js';

type RuleWithOperations = admissionregistrationV1.RuleWithOperations;

const OPERATION_TYPE = 'admissionregistration.OperationType';

/** Refuses other values beside a wildcard. `shown` returns the list as the error shows it. */
const alone =
  (others: string, shown: (values: readonly string[]) => unknown = itself): Check<readonly string[]> =>
  (errors, path, values = []) => {
    if (values.length > 1 && values.includes('*'))
      errors.push(invalid(path, shown(values), `if '*' is present, must not specify other ${others}`));
  };
const itself = (values: readonly string[]): readonly string[] => values;

/** Requires a known failure policy. */
export const failurePolicyRule = oneOf(['Fail', 'Ignore']);

/** Requires a known match policy. */
export const matchPolicyRule = oneOf(['Equivalent', 'Exact']);

/** The rules of a rule: operations, groups, versions, resources and scope. */
export const ruleRules = fields<RuleWithOperations>({
  operations: mandatory(
    allOf(
      alone('operations', (values) => goSlice(OPERATION_TYPE, values)),
      each(oneOf(['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'])),
    ),
  ),
  apiGroups: mandatory(alone('API groups')),
  apiVersions: mandatory(allOf(alone('API versions'), each(mandatory()))),
  resources: mandatory(validateResources),
  scope: oneOf(['*', 'Cluster', 'Namespaced']),
});

/** Adds the errors of resources: `pods`, `pods/status`, with `*` for all of a part. */
function* validateResources(errors: FieldErrorList, path: string, resources: readonly string[] = []): Steps<void> {
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

function* validateNames(errors: FieldErrorList, path: string, names: readonly string[] = []): Steps<void> {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    nameErrors(errors, at, name, pathSegment(name, false));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
}

const namedRules = each(
  allOf(fields<admissionregistrationV1.NamedRuleWithOperations>({ resourceNames: validateNames }), ruleRules),
);

/** The rules of what a policy or a binding matches. */
export const matchRules = fields<admissionregistrationV1.MatchResources>({
  matchPolicy: matchPolicyRule,
  namespaceSelector: validateLabelSelector,
  objectSelector: validateLabelSelector,
  resourceRules: namedRules,
  excludeResourceRules: namedRules,
});
