import { keysInSteps } from '../collections/keys-in-steps.js';
import { FieldErrorList } from '../errors/field-error-list.js';
import { invalid, tooLong, type FieldError } from '../errors/field-error.js';
import type { FieldPath } from '../errors/field-path.js';
import { utf8Length } from '../go/go-text.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { labelValue, qualifiedName } from './names.js';

/** Maximum size of all annotations of an object, keys and values, in bytes. */
export const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Units of work to check a key and a value. */
const ENTRY_UNITS = 16;

/** Returns the errors of a label key, as errors of `field`. */
export function validateLabelKey(key: string, field: FieldPath | string): FieldError[] {
  return qualifiedName(key).map((text) => invalid(field, key, text));
}

/** Returns the errors of a set of labels. Errors of keys and values are errors of `field` itself. */
export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: FieldPath | string,
): FieldError[] {
  return atOnce(checkLabels(labels, field, UNBOUNDED_WORK));
}

/** Does the same as {@link validateLabels}, in steps. */
export function* checkLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: FieldPath | string,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  if (labels === undefined) return found;
  for (const key of yield* keysInSteps(labels, work)) {
    if (work.spend(ENTRY_UNITS)) yield;
    const value = labels[key] ?? '';
    for (const text of qualifiedName(key)) found.push(invalid(field, key, text));
    for (const text of labelValue(value)) found.push(invalid(field, value, text));
  }
  return found;
}

/**
 * Returns the errors of a set of annotations: keys are qualified names in any case, values are arbitrary, the total
 * size is limited.
 */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field: FieldPath | string,
): FieldError[] {
  return atOnce(checkAnnotations(annotations, field, UNBOUNDED_WORK));
}

/** Does the same as {@link validateAnnotations}, in steps. */
export function* checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field: FieldPath | string,
  work: Work,
): Steps<FieldErrorList> {
  const found = new FieldErrorList();
  if (annotations === undefined) return found;
  let bytes = 0;
  for (const key of yield* keysInSteps(annotations, work)) {
    if (work.spend(ENTRY_UNITS)) yield;
    bytes += utf8Length(key) + utf8Length(annotations[key] ?? '');
    for (const text of qualifiedName(key.toLowerCase())) found.push(invalid(field, key, text));
  }
  if (bytes > MAX_ANNOTATIONS_BYTES) found.push(tooLong(field, '', MAX_ANNOTATIONS_BYTES));
  return found;
}
