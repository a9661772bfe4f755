import { aggregateText, type FieldError } from '../../foundation/index.js';

/** @throws Error with all errors, if there are any */
export function requireValid(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw new Error(aggregateText(problems));
}
