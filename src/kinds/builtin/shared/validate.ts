import {
  equalJson,
  equalValueSteps,
  invalid,
  type FieldError,
  type FieldErrorList,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';

/** Message for a number that must not be negative. */
export const NOT_NEGATIVE = 'must be greater than or equal to 0';

/** Message for a number that must be positive. */
export const POSITIVE = 'must be greater than 0';

/** Message for an immutable field. */
export const IMMUTABLE = 'field is immutable';

/** Requires a number that is not negative, if it is set. */
export function nonNegative(errors: FieldError[], path: string, value: number | undefined): void {
  if (value !== undefined && value < 0) errors.push(invalid(path, value, NOT_NEGATIVE));
}

/** Adds each message of a name rule as an error of the field. */
export function nameErrors(errors: FieldError[], path: string, value: string, messages: readonly string[]): void {
  for (const message of messages) errors.push(invalid(path, value, message));
}

/** Requires that a field keeps its value. An absent value equals only another absent value. */
export function immutableField(
  errors: FieldError[],
  path: string,
  value: JsonValue | undefined,
  old: JsonValue | undefined,
): void {
  if (!equalJson(value, old)) errors.push(invalid(path, value, IMMUTABLE));
}

/** Does what {@link immutableField} does, for a field that may be large. */
export function* immutableFieldSteps(
  errors: FieldErrorList,
  path: string,
  value: JsonValue | undefined,
  old: JsonValue | undefined,
): Steps<void> {
  if (!(yield* equalValueSteps(value, old, errors.work))) errors.push(invalid(path, value, IMMUTABLE));
}
