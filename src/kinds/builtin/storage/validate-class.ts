import {
  invalid,
  qualifiedName,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
/** The rules that StorageClass and VolumeAttributesClass share. */

const MAX_PARAMETERS = 512;
/** Maximum size of all parameters, keys and values, in bytes. */
const MAX_PARAMETERS_BYTES = 256 * 1024;

/** Adds the errors of the name of a driver: a qualified name in any case. The error shows it in lower case. */
export function validateProvisioner(errors: FieldError[], path: string, name: string): void {
  if (name === '') return void errors.push(required(path));
  const lower = name.toLowerCase();
  for (const problem of qualifiedName(lower)) errors.push(invalid(path, lower, problem));
}

/** Adds the errors of the parameters of a class. */
export function* validateParameters(
  errors: FieldErrorList,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): Steps<void> {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return void errors.push(tooLong(path, '', MAX_PARAMETERS));
  let bytes = 0;
  for (const [key, value] of entries) {
    if (errors.spend()) yield;
    if (key === '') errors.push(invalid(path, key, 'field can not be empty.'));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > MAX_PARAMETERS_BYTES) errors.push(tooLong(path, '', MAX_PARAMETERS_BYTES));
}

/** Whether an object is the default of its kind, by an annotation of a domain that the dialect sets. */
export function isMarkedDefault(
  { annotations = {} }: { readonly annotations?: Readonly<Record<string, string>> | undefined },
  annotation: RegExp,
): boolean {
  return Object.entries(annotations).some(([key, value]) => value === 'true' && annotation.test(key));
}
