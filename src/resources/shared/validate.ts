import { invalid, type FieldError } from '../../meta/field-error.js';
import { equalJson, type JsonValue } from '../../meta/json.js';

/** Detail of a number that must not be below zero. */
export const NOT_NEGATIVE = 'must be greater than or equal to 0';

/** Detail of a number that must be above zero. */
export const POSITIVE = 'must be greater than 0';

/** Detail of a field that may not change. */
export const IMMUTABLE = 'field is immutable';

/** A number, where there is one, must not be below zero. */
export function nonNegative(errors: FieldError[], path: string, value: number | undefined): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, NOT_NEGATIVE));
}

/** Each text of a name rule as an error of the field. */
export function nameErrors(errors: FieldError[], path: string, value: string, messages: readonly string[]): void {
  for (const message of messages) errors.push(invalid(path, value, message));
}

/** A field must keep its value. Absent values are equal to each other only. */
export function immutableField(
  errors: FieldError[],
  path: string,
  value: JsonValue | undefined,
  old: JsonValue | undefined,
): void {
  if (!equalJson(value, old)) errors.push(invalid(path, value, IMMUTABLE));
}
