import { FieldErrorList } from '../../meta/field-error-list.js';
import { duplicate, required, type FieldError } from '../../meta/field-error.js';

/** Returns the errors of the conditions of a flow schema or a priority level. */
export function conditionErrors(conditions: readonly { readonly type?: string | undefined }[] = []): FieldError[] {
  const errors = new FieldErrorList();
  const seen = new Set<string>();
  for (const [index, { type = '' }] of conditions.entries()) {
    const path = `status.conditions[${index}].type`;
    if (seen.has(type)) errors.push(duplicate(path, type));
    seen.add(type);
    if (type === '') errors.push(required(path, 'must not be empty'));
  }
  return errors;
}
