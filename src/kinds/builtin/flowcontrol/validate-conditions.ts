import { duplicate, FieldErrorList, required, type Steps, type Work } from '../../../foundation/index.js';

/** Returns the errors of the conditions of a flow schema or a priority level. */
export function* conditionErrors(
  conditions: readonly { readonly type?: string | undefined }[] = [],
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const seen = new Set<string>();
  for (const [index, { type = '' }] of conditions.entries()) {
    if (errors.spend()) yield;
    const path = `status.conditions[${index}].type`;
    if (seen.has(type)) errors.push(duplicate(path, type));
    seen.add(type);
    if (type === '') errors.push(required(path, 'must not be empty'));
  }
  return errors;
}
