import { goQuote } from '../../../foundation/index.js';
import type { ValidationRule } from '../openapi/json-schema.js';

/** The address that all pointers have: their real addresses mean nothing. */
const ADDRESS = '0xc000000000';

/** Formats a pointer within a struct with `%#v`: `(*bool)(nil)`. */
export const goPointer = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : ADDRESS})`;

/** Formats a rule with `%#v`, as errors of Kubernetes show it. */
export function goValidationRule(rule: ValidationRule): string {
  const fields = [
    `Rule:${goQuote(rule.rule)}`,
    `Message:${goQuote(rule.message ?? '')}`,
    `MessageExpression:${goQuote(rule.messageExpression ?? '')}`,
    `Reason:${goPointer('apiextensions.FieldValueErrorReason', rule.reason)}`,
    `FieldPath:${goQuote(rule.fieldPath ?? '')}`,
    `OptionalOldSelf:${goPointer('bool', rule.optionalOldSelf)}`,
  ];
  return `apiextensions.ValidationRule{${fields.join(', ')}}`;
}
