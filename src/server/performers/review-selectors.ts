import {
  appendErrors,
  FieldErrorList,
  forbidden,
  invalid,
  required,
  validateLabelKey,
  type FieldError,
} from '../../foundation/index.js';
import type { SubjectAccessReviewFields } from '../../kinds/index.js';

type ResourceAttributes = NonNullable<NonNullable<SubjectAccessReviewFields['spec']>['resourceAttributes']>;
type SelectorAttributes = NonNullable<ResourceAttributes['fieldSelector']>;
type Requirement = NonNullable<SelectorAttributes['requirements']>[number];

/** Validation of the values, by operator. An unknown operator is accepted: no authorizer of this server uses it. */
const VALUE_RULES: ReadonlyMap<string, (path: string, values: readonly string[]) => FieldError[]> = new Map([
  ['In', valuesRequired],
  ['NotIn', valuesRequired],
  ['Exists', valuesForbidden],
  ['DoesNotExist', valuesForbidden],
]);

function valuesRequired(path: string, values: readonly string[]): FieldError[] {
  return values.length === 0 ? [required(path, "must be specified when `operator` is 'In' or 'NotIn'")] : [];
}

function valuesForbidden(path: string, values: readonly string[]): FieldError[] {
  return values.length > 0
    ? [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    : [];
}

/** No problems, for checks of each request. */
export const NO_ERRORS: readonly FieldError[] = Object.freeze([]);

/** Returns the problems of the selectors of a review (KEP-4601). */
export function selectorErrors({ fieldSelector, labelSelector }: ResourceAttributes): readonly FieldError[] {
  if (fieldSelector === undefined && labelSelector === undefined) return NO_ERRORS;
  return [
    ...(fieldSelector === undefined
      ? []
      : attributesErrors('spec.resourceAttributes.fieldSelector', fieldSelector, fieldKeyErrors)),
    ...(labelSelector === undefined
      ? []
      : attributesErrors('spec.resourceAttributes.labelSelector', labelSelector, (path, key) =>
          validateLabelKey(key, path),
        )),
  ];
}

const fieldKeyErrors = (path: string, key: string): FieldError[] =>
  key === '' ? [required(path, 'must be specified')] : [];

function attributesErrors(
  path: string,
  { rawSelector = '', requirements = [] }: SelectorAttributes,
  keyErrors: (path: string, key: string) => FieldError[],
): FieldError[] {
  const problems = new FieldErrorList();
  if (rawSelector !== '' && requirements.length > 0)
    problems.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  if (rawSelector === '' && requirements.length === 0)
    problems.push(
      required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`),
    );
  requirements.forEach((requirement, index) =>
    appendErrors(problems, requirementErrors(`${path}.requirements[${index}]`, requirement, keyErrors)),
  );
  return problems;
}

function requirementErrors(
  path: string,
  { key, operator, values = [] }: Requirement,
  keyErrors: (path: string, key: string) => FieldError[],
): FieldError[] {
  return [...keyErrors(`${path}.key`, key), ...(VALUE_RULES.get(operator)?.(`${path}.values`, values) ?? [])];
}
