import { DEFAULT_DEFINITION_LIMITS, tooLong, type FieldError } from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';

type Spec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
type Conditions = readonly admissionregistrationV1.MatchCondition[];

const lengthOf = (texts: Iterable<string | undefined>): number => {
  let length = 0;
  for (const text of texts) length += text?.length ?? 0;
  return length;
};

/** Returns the characters of all match conditions of webhooks. */
export const conditionsLength = (webhooks: Iterable<{ readonly matchConditions?: Conditions | undefined }>): number => {
  let length = 0;
  for (const { matchConditions = [] } of webhooks)
    length += lengthOf(matchConditions.map(({ expression }) => expression));
  return length;
};

/** Returns the characters of all expressions of a policy. */
export const policyLength = (spec: Spec): number =>
  conditionsLength([spec]) +
  lengthOf((spec.variables ?? []).map(({ expression }) => expression)) +
  lengthOf((spec.validations ?? []).flatMap(({ expression, messageExpression }) => [expression, messageExpression])) +
  lengthOf((spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression));

/**
 * Returns the error of expressions that are too long together: what is compiled of them takes a hundred times their
 * memory. Those that were as long before stay valid. Kubernetes bounds only the number of expressions.
 *
 * @param path the field that has the expressions
 * @param oldLength characters before the update; 0 without one
 */
export function lengthError(
  path: string,
  length: number,
  oldLength: number,
  { definitionLimits }: RequestContext,
): FieldError | undefined {
  const maximum = definitionLimits?.ruleCharacters ?? DEFAULT_DEFINITION_LIMITS.ruleCharacters;
  return length > maximum && length > oldLength ? tooLong(path, '', maximum) : undefined;
}
