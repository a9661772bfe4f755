import { dnsSubdomainErrors, invalid, patternText, required, type FieldError } from '../../../foundation/index.js';

const PATH_PATTERN = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+/;
const PATH_TEXT = patternText('Invalid path', PATH_PATTERN);

/** Requires a domain, a slash and a path, such as `shop.example/runner`. */
export function domainPrefixedPathErrors(errors: FieldError[], path: string, value: string): void {
  if (value === '') return void errors.push(required(path));
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1)
    return void errors.push(invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  const domain = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  for (const problem of dnsSubdomainErrors(domain)) errors.push(invalid(path, domain, problem));
  // The release anchors the pattern at the start only.
  if (!PATH.test(rest)) errors.push(invalid(path, rest, PATH_TEXT));
}
