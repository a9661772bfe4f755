import {
  duplicate,
  goQuote,
  invalid,
  OMITTED_VALUE,
  qualifiedName,
  required,
  resultOf,
  tooLong,
  tooMany,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { batchV1 } from '../../../types/index.js';
import { shownInt32s } from '../../shared/go/shown-values.js';
import { allOf, each, fields, mandatory, maxItems, oneOf, valid } from '../../shared/field-rules.js';
import { nonNegative } from '../../shared/validate.js';
import { countIndexes } from './indexes.js';

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_CONDITIONS = 20;
const MAX_INDEXES_BYTES = 64 * 1024;

const choice = (values: readonly string[]) =>
  mandatory(`valid values: [${values.map(goQuote).join(' ')}]`, oneOf(values));
const actionRule = choice(['Count', 'FailIndex', 'FailJob', 'Ignore']);
const operatorRule = choice(['In', 'NotIn']);
const conditionsRule = allOf(
  maxItems(MAX_CONDITIONS),
  each(
    fields<batchV1.PodFailurePolicyOnPodConditionsPattern>({
      type: valid(qualifiedName),
      status: choice(['False', 'True', 'Unknown']),
    }),
  ),
);

function* exitCodeErrors(
  errors: FieldErrorList,
  path: string,
  { operator, containerName, values: given }: batchV1.PodFailurePolicyOnExitCodesRequirement,
  containers: ReadonlySet<string>,
): Steps<void> {
  // A required list is null when it is empty.
  const values: readonly number[] | null = given;
  const codes = values ?? [];
  operatorRule(errors, `${path}.operator`, operator);
  if (containerName !== undefined && !containers.has(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(`${path}.containerName`, containerName, text));
  }
  if (codes.length === 0) errors.push(invalid(`${path}.values`, shownInt32s(codes), 'at least one value is required'));
  else if (codes.length > MAX_EXIT_CODES) errors.push(tooMany(`${path}.values`, codes.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, code] of codes.entries()) {
    if (errors.spend()) yield;
    const at = `${path}.values[${index}]`;
    if (operator === 'In' && code === 0) errors.push(invalid(at, code, 'must not be 0 for the In operator'));
    if (seen.has(code)) errors.push(duplicate(at, code));
    seen.add(code);
  }
  if (codes.some((code, index) => index > 0 && (codes[index - 1] ?? 0) > code))
    errors.push(invalid(`${path}.values`, shownInt32s(codes), 'must be ordered'));
}

function* failureRuleErrors(
  errors: FieldErrorList,
  path: string,
  spec: batchV1.JobSpec,
  { action, onExitCodes, onPodConditions = [] }: batchV1.PodFailurePolicyRule,
  containers: ReadonlySet<string>,
): Steps<void> {
  if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined)
      errors.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  } else actionRule(errors, `${path}.action`, action);
  if (onExitCodes !== undefined) yield* exitCodeErrors(errors, `${path}.onExitCodes`, onExitCodes, containers);
  yield* resultOf(conditionsRule(errors, `${path}.onPodConditions`, onPodConditions));
  const both = onExitCodes !== undefined && onPodConditions.length > 0;
  const none = onExitCodes === undefined && onPodConditions.length === 0;
  if (both)
    errors.push(invalid(path, OMITTED_VALUE, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (none) errors.push(invalid(path, OMITTED_VALUE, 'specifying one of OnExitCodes and OnPodConditions is required'));
}

/** Adds the errors of the policy for failed pods. */
export function* podFailurePolicyErrors(errors: FieldErrorList, path: string, spec: batchV1.JobSpec): Steps<void> {
  const rules: readonly batchV1.PodFailurePolicyRule[] | null | undefined = spec.podFailurePolicy?.rules;
  if (!rules) return;
  if (rules.length > MAX_RULES) errors.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
  const { containers = [], initContainers = [] } = spec.template.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  for (const [index, rule] of rules.entries()) {
    if (errors.spend()) yield;
    yield* failureRuleErrors(errors, `${path}.rules[${index}]`, spec, rule, names);
  }
}

function successRuleErrors(
  errors: FieldError[],
  path: string,
  { succeededCount, succeededIndexes }: batchV1.SuccessPolicyRule,
  completions: number,
): void {
  if (succeededCount === undefined && succeededIndexes === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let indexes = 0;
  if (succeededIndexes !== undefined) {
    const field = `${path}.succeededIndexes`;
    if (utf8Length(succeededIndexes) > MAX_INDEXES_BYTES)
      errors.push(tooLong(field, succeededIndexes, MAX_INDEXES_BYTES));
    const counted = countIndexes(succeededIndexes, completions);
    if (typeof counted === 'number') indexes = counted;
    else errors.push(invalid(field, succeededIndexes, `error parsing succeededIndexes: ${counted}`));
  }
  if (succeededCount === undefined) return;
  const field = `${path}.succeededCount`;
  nonNegative(errors, field, succeededCount);
  if (succeededCount > completions) {
    const text = `must be less than or equal to ${completions} (the number of specified completions)`;
    errors.push(invalid(field, succeededCount, text));
  }
  if (succeededIndexes !== undefined && succeededCount > indexes) {
    const text = `must be less than or equal to ${indexes} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(invalid(field, succeededCount, text));
  }
}

/** Adds the errors of the policy for success of an Indexed Job. */
export function* successPolicyErrors(errors: FieldErrorList, path: string, spec: batchV1.JobSpec): Steps<void> {
  const given: readonly batchV1.SuccessPolicyRule[] | null | undefined = spec.successPolicy?.rules;
  const rules = given ?? [];
  if (rules.length === 0) {
    const text = 'at least one rules must be specified when the successPolicy is specified';
    errors.push(required(`${path}.rules`, text));
  }
  if (rules.length > MAX_RULES) errors.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
  for (const [index, rule] of rules.entries()) {
    if (errors.spend()) yield;
    successRuleErrors(errors, `${path}.rules[${index}]`, rule, spec.completions ?? 0);
  }
}
