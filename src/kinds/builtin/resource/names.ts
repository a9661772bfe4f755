import {
  DNS_LABEL_MAX_LENGTH,
  DNS_SUBDOMAIN_MAX_LENGTH,
  dnsLabelErrors,
  dnsSubdomainErrors,
  invalid,
  patternText,
  required,
  tooLong,
  typeInvalid,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import { nameErrors } from '../shared/validate.js';
import { longerThan, MAX_IDENTIFIER_BYTES } from './limits.js';

/** Adds the errors of the name of a driver: a domain of at most 63 bytes. */
export function validateDriver(errors: FieldError[], path: string, name: string): void {
  if (name === '') errors.push(required(path));
  if (utf8Length(name) > DNS_LABEL_MAX_LENGTH) errors.push(tooLong(path, name, DNS_LABEL_MAX_LENGTH));
  nameErrors(errors, path, name, dnsSubdomainErrors(name.toLowerCase()));
}

/** Adds the errors of the name of a request or a device. */
export const validateLabel = (errors: FieldError[], path: string, name: string): void =>
  nameErrors(errors, path, name, dnsLabelErrors(name));

/** Adds the errors of the name of a pool: subdomains between slashes. */
export function* validatePool(errors: FieldErrorList, path: string, name: string): Steps<void> {
  if (name === '') return void errors.push(required(path));
  if (utf8Length(name) > DNS_SUBDOMAIN_MAX_LENGTH) errors.push(longerThan(path, DNS_SUBDOMAIN_MAX_LENGTH));
  for (const part of name.split('/')) {
    if (errors.spend()) yield;
    nameErrors(errors, path, part, dnsSubdomainErrors(part));
  }
}

/** Adds the errors of the name of a node. */
export const validateNode = (errors: FieldError[], path: string, name: string): void =>
  nameErrors(errors, path, name, dnsSubdomainErrors(name));

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_TEXT = patternText(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  '[A-Za-z_][A-Za-z0-9_]*',
  'my_name',
  'MY_NAME',
  'MyName',
);

function validateIdentifier(errors: FieldError[], path: string, text: string): void {
  if (utf8Length(text) > MAX_IDENTIFIER_BYTES) errors.push(longerThan(path, MAX_IDENTIFIER_BYTES));
  if (!IDENTIFIER.test(text)) errors.push(typeInvalid(path, text, IDENTIFIER_TEXT));
}

/** Adds the errors of the name of an attribute, with or without a domain: `model`, `gpu.example.com/model`. */
export function validateQualifiedName(errors: FieldError[], path: string, name: string): void {
  if (name === '') return void errors.push(required(path, 'name required'));
  const parts = name.split('/');
  if (parts.length === 1) return validateIdentifier(errors, path, name);
  // Kubernetes accepts more than two parts.
  if (parts.length > 2) return;
  const [domain = '', identifier = ''] = parts;
  if (domain === '') errors.push(required(path, 'the prefix must not be empty'));
  else validateDriver(errors, path, domain);
  if (identifier === '') errors.push(required(path, 'the name must not be empty'));
  else validateIdentifier(errors, path, identifier);
}

/** Adds the errors of the name of an attribute with a domain. */
export function validateFullName(errors: FieldError[], path: string, name: string): void {
  validateQualifiedName(errors, path, name);
  if (!name.includes('/')) errors.push(required(`${path}.domain`, 'must include a prefix'));
}

/** Adds the errors of a name that must be a subdomain. */
export function validateClassName(errors: FieldError[], path: string, name: string): void {
  if (name === '') errors.push(required(path));
  else for (const problem of dnsSubdomainErrors(name)) errors.push(invalid(path, name, problem));
}
