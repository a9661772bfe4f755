import {
  duplicate,
  FieldErrorList,
  invalid,
  messageOf,
  parseGoUrl,
  required,
  type FieldError,
  type FieldPath,
  type GoUrl,
} from '../../../foundation/index.js';
import { parseCertificateBundle } from '../../pki/certificate-bundle.js';
import type { JwtIssuer } from './types.js';

const OMITTED = '<omitted>';

/** Returns a URL for messages. A URL with user information is omitted. */
export const shownUrl = (url: string): string => (/^[^/?#]*\/\/[^/?#]*@/.test(url) ? OMITTED : url);

/** Validates an issuer. */
export function validateIssuer(
  issuer: JwtIssuer,
  path: FieldPath,
  disallowedIssuers: ReadonlySet<string>,
): FieldError[] {
  return [
    ...validateIssuerUrl(issuer.url, path.child('url'), disallowedIssuers),
    ...validateDiscoveryUrl(issuer, path.child('discoveryURL')),
    ...validateAudiences(issuer, path),
    ...validateCertificateAuthority(issuer.certificateAuthority ?? '', path.child('certificateAuthority')),
  ];
}

function validateIssuerUrl(url: string, path: FieldPath, disallowedIssuers: ReadonlySet<string>): FieldError[] {
  if (url === '') return [required(path, 'URL is required')];
  const overlap = `URL must not overlap with disallowed issuers: [${[...disallowedIssuers].sort().join(' ')}]`;
  return [...(disallowedIssuers.has(url) ? [invalid(path, url, overlap)] : []), ...validateUrl(url, path)];
}

function validateDiscoveryUrl({ url, discoveryURL = '' }: JwtIssuer, path: FieldPath): FieldError[] {
  if (discoveryURL === '') return [];
  const isSame = url !== '' && withoutSlashes(url) === withoutSlashes(discoveryURL);
  return [
    ...(isSame ? [invalid(path, shownUrl(discoveryURL), 'discoveryURL must be different from URL')] : []),
    ...validateUrl(discoveryURL, path),
  ];
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (end > 0 && url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

const urlRules: readonly { readonly isBroken: (url: GoUrl) => boolean; readonly detail: string }[] = [
  { isBroken: ({ scheme }) => scheme !== 'https', detail: 'URL scheme must be https' },
  { isBroken: ({ user }) => user !== undefined, detail: 'URL must not contain a username or password' },
  { isBroken: ({ query = '' }) => query !== '', detail: 'URL must not contain a query' },
  { isBroken: ({ fragment }) => fragment !== '', detail: 'URL must not contain a fragment' },
];

function validateUrl(text: string, path: FieldPath): FieldError[] {
  const shown = shownUrl(text);
  const url = parseGoUrl(text);
  if (typeof url === 'string') return [invalid(path, shown, shown === text ? url : 'URL is malformed')];
  return urlRules.filter(({ isBroken }) => isBroken(url)).map(({ detail }) => invalid(path, shown, detail));
}

function validateAudiences(
  {
    audiences,
    audienceMatchPolicy = '',
  }: { readonly audiences: readonly string[]; readonly audienceMatchPolicy?: string | undefined },
  issuer: FieldPath,
): FieldError[] {
  const path = issuer.child('audiences');
  if (audiences.length === 0) return [required(path, `at least one ${path.toString()} is required`)];
  const errors = new FieldErrorList();
  const seen = new Set<string>();
  for (const [index, audience] of audiences.entries()) {
    if (audience === '') errors.push(required(path.index(index), "audience can't be empty"));
    if (seen.has(audience)) errors.push(duplicate(path.index(index), audience));
    seen.add(audience);
  }
  const policy = issuer.child('audienceMatchPolicy');
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    errors.push(invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences'));
  if (audiences.length === 1 && !['', 'MatchAny'].includes(audienceMatchPolicy)) {
    errors.push(
      invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be empty or MatchAny for single audience'),
    );
  }
  return errors;
}

function validateCertificateAuthority(pem: string, path: FieldPath): FieldError[] {
  if (pem === '') return [];
  try {
    parseCertificateBundle(pem);
    return [];
  } catch (error) {
    return [invalid(path, OMITTED, messageOf(error))];
  }
}
