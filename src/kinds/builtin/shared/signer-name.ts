import {
  DNS_LABEL_MAX_LENGTH,
  DNS_SUBDOMAIN_MAX_LENGTH,
  dnsLabelErrors,
  dnsSubdomain,
  dnsSubdomainErrors,
  goQuote,
  invalid,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type NameRule,
} from '../../../foundation/index.js';

/** Maximum length: a domain, a slash, and the namespace and name of an object with a dot between them. */
const MAX_LENGTH = DNS_SUBDOMAIN_MAX_LENGTH + 1 + DNS_LABEL_MAX_LENGTH + 1 + DNS_SUBDOMAIN_MAX_LENGTH;

/** Adds the errors of the first invalid part between dots; the other parts are not reported, as in Kubernetes. */
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

/** Validates a signer name: a domain of at least two labels, a slash, and a path. */
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
  if (utf8Length(signerName) > MAX_LENGTH) errors.push(tooLong(path, signerName, MAX_LENGTH));
}

/**
 * Returns the name rule of a trust bundle: it starts with the signer name, with colons for slashes. Without a signer it
 * has no colons.
 */
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
