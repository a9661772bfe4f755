import type { ValuePath } from './check-schema.js';
import { isMap, listOf, textOf } from './guards.js';

/** An objection of the server to the value of a field. */
export interface FieldError {
  /** The field, as the server names it: `spec.containers[0].image`. */
  readonly field: string;
  readonly message: string;
}

/** Returns the objections of a failure that name a field: the causes of its Status, and fields that the kind does not have. */
export function fieldErrorsIn(error: unknown): FieldError[] {
  const status = isMap(error) ? error['status'] : undefined;
  const details = isMap(status) ? status['details'] : undefined;
  const causes = listOf(isMap(details) ? details['causes'] : undefined).flatMap((cause): FieldError[] => {
    const field = isMap(cause) ? textOf(cause['field']) : undefined;
    if (!isMap(cause) || field === undefined || field === '' || field === '<nil>') return [];
    return [{ field, message: textOf(cause['message']) ?? '' }];
  });
  const words = error instanceof Error ? error.message : '';
  const unknown = [...words.matchAll(/((?:unknown|duplicate) field) "([^"]+)"/g)];
  return [...causes, ...unknown.map(([, message = '', field = '']) => ({ field, message }))];
}

/** Returns the way to a field that the server names. */
export const pathOfField = (field: string): ValuePath =>
  [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([part, inner]) => {
    if (inner === undefined) return part;
    return /^\d+$/.test(inner) ? Number(inner) : inner.replaceAll('"', '');
  });
