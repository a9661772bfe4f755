import { forbidden, invalid, required, type FieldError } from '../../meta/field-error.js';
import { labelValue, qualifiedName } from '../../meta/names.js';
import { validateLabels } from '../../meta/validate-labels.js';
import type { metaV1 } from '../../kinds/index.js';

/** Options of {@link validateLabelSelector}. */
export interface LabelSelectorRules {
  /** Accepts values that no label can have: for updates of objects whose stored selector has such values. */
  readonly allowInvalidValues?: boolean;
}

/** Adds the errors of a label selector. An absent selector is valid. */
export function validateLabelSelector(
  errors: FieldError[],
  path: string,
  selector: metaV1.LabelSelector | undefined,
  { allowInvalidValues = false }: LabelSelectorRules = {},
): void {
  if (selector === undefined) return;
  errors.push(...validateLabels(selector.matchLabels, `${path}.matchLabels`));
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${path}.matchExpressions[${index}]`;
    validateOperator(errors, at, operator, values.length);
    for (const problem of qualifiedName(key)) errors.push(invalid(`${at}.key`, key, problem));
    if (allowInvalidValues) continue;
    for (const [position, value] of values.entries())
      for (const problem of labelValue(value)) errors.push(invalid(`${at}.values[${position}]`, value, problem));
  }
}

function validateOperator(errors: FieldError[], path: string, operator: string, count: number): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0)
      errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
}
