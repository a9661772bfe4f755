import { invalid, required, tooLong, type FieldError } from '../../meta/field-error.js';
import { goQuote, utf8Length } from '../../meta/go-text.js';
import {
  dnsLabelErrors,
  dnsSubdomain,
  dnsSubdomainErrors,
  DNS_LABEL_MAX_LENGTH,
  DNS_SUBDOMAIN_MAX_LENGTH,
  type NameRule,
} from '../../meta/names.js';

/** A domain, a slash, and room for the namespace and the name of an object with a dot between them. */
const LONGEST = DNS_SUBDOMAIN_MAX_LENGTH + 1 + DNS_LABEL_MAX_LENGTH + 1 + DNS_SUBDOMAIN_MAX_LENGTH;

/** The first bad one of the parts between dots, with all that is wrong with it; what is wrong with the others would only repeat it. */
function segmentErrors(
  errors: FieldError[],
  path: string,
  segment: string,
  rule: (part: string) => readonly string[],
): void {
  for (const part of segment.split('.')) {
    const messages = rule(part);
    for (const message of messages)
      errors.push(invalid(path, segment, `validating label ${goQuote(part)}: ${message}`));
    if (messages.length > 0) return;
  }
}

/** What is wrong with the name of a signer: a domain of at least two labels, a slash, and a path of its own. */
export function signerNameErrors(errors: FieldError[], path: string, signerName: string): void {
  if (signerName === '') return void errors.push(required(path));
  const [domain, name, ...rest] = signerName.split('/');
  if (domain === undefined || name === undefined || rest.length > 0) {
    return void errors.push(
      invalid(path, signerName, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    );
  }
  if (utf8Length(domain) > DNS_SUBDOMAIN_MAX_LENGTH) errors.push(tooLong(path, domain, DNS_SUBDOMAIN_MAX_LENGTH));
  segmentErrors(errors, path, domain, dnsLabelErrors);
  if (!domain.includes('.'))
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  segmentErrors(errors, path, name, dnsSubdomainErrors);
  if (utf8Length(signerName) > LONGEST) errors.push(tooLong(path, signerName, LONGEST));
}

/** How the name of a trust bundle begins: with its signer's, colons for slashes. A bundle without a signer has a name without colons. */
export function trustBundleName(signerName: string): NameRule {
  if (signerName === '')
    return (name, prefix) =>
      name.includes(':')
        ? ['ClusterTrustBundle without signer name must not have ":" in its name']
        : dnsSubdomain(name, prefix);
  const start = `${signerName.replaceAll('/', ':')}:`;
  return (name, prefix) =>
    name.startsWith(start)
      ? dnsSubdomain(name.slice(start.length), prefix)
      : [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${start}`];
}
