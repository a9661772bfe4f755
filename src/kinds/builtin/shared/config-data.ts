import {
  DNS_SUBDOMAIN_MAX_LENGTH,
  equalValueSteps,
  FieldErrorList,
  forbidden,
  invalid,
  maxLengthText,
  patternText,
  type FieldError,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** Maximum total size of the values of a ConfigMap or Secret, in bytes. */
export const MAX_DATA_BYTES = 1024 * 1024;

const KEY_PATTERN = /^[-._a-zA-Z0-9]+$/;
const KEY_TEXT = patternText(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  '[-._a-zA-Z0-9]+',
  'key.name',
  'KEY_NAME',
  'key-name',
);
const IMMUTABLE_WHEN_SET = 'field is immutable when `immutable` is set';

/** Returns the problems of a key of a ConfigMap or Secret; empty when it is valid. */
export function configMapKey(key: string): readonly string[] {
  const problems: string[] = [];
  if (key.length > DNS_SUBDOMAIN_MAX_LENGTH) problems.push(maxLengthText(DNS_SUBDOMAIN_MAX_LENGTH));
  if (!KEY_PATTERN.test(key)) {
    problems.push(KEY_TEXT);
  }
  // A key becomes a file name when the data is mounted.
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** Adds the errors of a key, at its entry of the map. */
export function keyErrors(errors: FieldError[], path: string, key: string): void {
  for (const problem of configMapKey(key)) errors.push(invalid(`${path}[${key}]`, key, problem));
}

/** The fields of a ConfigMap or Secret that `immutable` protects. */
interface ImmutableData {
  readonly immutable?: JsonValue | undefined;
  readonly [field: string]: JsonValue | undefined;
}

/** Returns the errors of an update of an immutable object: neither `immutable` nor the data may change. */
export function* immutableDataErrors(
  object: ImmutableData,
  old: ImmutableData,
  dataFields: readonly string[],
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  if (old.immutable !== true) return errors;
  if (object.immutable !== true) errors.push(forbidden('immutable', IMMUTABLE_WHEN_SET));
  for (const field of dataFields) {
    if (!(yield* equalValueSteps(object[field], old[field], work))) errors.push(forbidden(field, IMMUTABLE_WHEN_SET));
  }
  return errors;
}
