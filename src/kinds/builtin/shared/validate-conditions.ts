import {
  duplicate,
  invalid,
  notSupported,
  patternText,
  qualifiedName,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_FORM = new RegExp(`^${REASON}$`);
const REASON_TEXT = patternText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
const MUST_BE_SET = 'must be set';
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

/** The fields of a condition that are validated. */
export interface CheckedCondition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number | undefined;
  /** The time that must be set, RFC 3339. */
  readonly time?: string | null | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Adds the errors of conditions: each type occurs once, and all fields are set and well formed. */
export function* validateConditions(
  errors: FieldErrorList,
  path: string,
  conditions: readonly CheckedCondition[],
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (seen.has(condition.type)) errors.push(duplicate(`${at}.type`, condition.type));
    seen.add(condition.type);
    validateCondition(errors, at, condition);
  }
}

function validateCondition(errors: FieldError[], path: string, condition: CheckedCondition): void {
  const { type, status, observedGeneration = 0, time, reason = '', message = '' } = condition;
  for (const problem of qualifiedName(type)) errors.push(invalid(`${path}.type`, type, problem));
  if (!STATUSES.includes(status)) errors.push(notSupported(`${path}.status`, status, STATUSES));
  if (observedGeneration < 0)
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero'));
  if (!time) errors.push(required(`${path}.lastTransitionTime`, MUST_BE_SET));
  if (reason === '') errors.push(required(`${path}.reason`, MUST_BE_SET));
  else {
    if (!REASON_FORM.test(reason)) errors.push(invalid(`${path}.reason`, reason, REASON_TEXT));
    if (utf8Length(reason) > MAX_REASON_BYTES) errors.push(tooLong(`${path}.reason`, reason, MAX_REASON_BYTES));
  }
  if (utf8Length(message) > MAX_MESSAGE_BYTES) errors.push(tooLong(`${path}.message`, message, MAX_MESSAGE_BYTES));
}
