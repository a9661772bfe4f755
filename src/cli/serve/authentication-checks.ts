/** Checks of the authentication flags that need no file, with the messages of Kubernetes.
 *
 * @module
 */
import { goQuote, parseGoUrl } from '../../foundation/index.js';
import type { FeatureGates } from '../../server/index.js';
import type { AuthenticationValues } from './flags/authentication-flags.js';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 2 ** 32 * 1000;

/** List flags of the authenticating proxy whose items must not be blank. */
const PROXY_LISTS = [
  'requestheader-username-headers',
  'requestheader-group-headers',
  'requestheader-extra-headers-prefix',
  'requestheader-allowed-names',
] as const;

/** Standard proxy headers that other programs expect. */
const STANDARD_HEADERS = [
  ['requestheader-username-headers', 'X-Remote-User', 'header'],
  ['requestheader-group-headers', 'X-Remote-Group', 'header'],
  ['requestheader-extra-headers-prefix', 'X-Remote-Extra-', 'header prefix'],
] as const;

/** Returns whether any `--oidc-*` flag is given. */
export function oidcFlagsGiven(values: AuthenticationValues): boolean {
  return Object.entries(values).some(([name, value]) => name.startsWith('oidc-') && value !== undefined);
}

/** Returns all problems of the flags. */
export function authenticationProblems(values: AuthenticationValues, featureGates: FeatureGates): string[] {
  return [
    ...blanks(values),
    ...configurationProblems(values, featureGates),
    ...issuerProblems(values['service-account-issuer']),
    ...tokenProblems(values),
  ];
}

/** Returns warnings about valid but probably unintended values. */
export function authenticationWarnings(values: AuthenticationValues): string[] {
  return STANDARD_HEADERS.filter(
    ([flag, standard]) =>
      values[flag].length > 0 && !values[flag].some((name) => name.toLowerCase() === standard.toLowerCase()),
  ).map(
    ([flag, standard, what]) =>
      `--${flag} is set without specifying the standard ${standard} ${what} - API aggregation will not work`,
  );
}

function blanks(values: AuthenticationValues): string[] {
  return PROXY_LISTS.filter((flag) => values[flag].some((item) => item.trim() === '')).map(
    (flag) => `empty value in "${flag}"`,
  );
}

function configurationProblems(values: AuthenticationValues, featureGates: FeatureGates): string[] {
  if (values['authentication-config'] === '') return [];
  return [
    ...(featureGates.enabled('StructuredAuthenticationConfiguration')
      ? []
      : ['set --feature-gates=StructuredAuthenticationConfiguration=true to use authentication-config file']),
    ...(oidcFlagsGiven(values) ? ['authentication-config file and oidc-* flags are mutually exclusive'] : []),
  ];
}

function issuerProblems(issuers: readonly string[]): string[] {
  const seen = new Set<string>();
  return issuers.flatMap((issuer) => {
    const url = issuer.includes(':') ? parseGoUrl(issuer) : undefined;
    if (typeof url === 'string')
      return [`service-account-issuer ${goQuote(issuer)} contained a ':' but was not a valid URL: ${url}`];
    if (issuer === '') return ['service-account-issuer should not be an empty string'];
    if (seen.has(issuer)) return [`service-account-issuer ${goQuote(issuer)} is already specified`];
    seen.add(issuer);
    return [];
  });
}

function tokenProblems(values: AuthenticationValues): string[] {
  const longest = values['service-account-max-token-expiration'];
  const outOfBounds = longest !== 0 && (longest < HOUR_MS || longest > LONGEST_MS);
  return [
    ...(outOfBounds
      ? ['the service-account-max-token-expiration is out of bound, must be between 1 hour and 2^32 seconds']
      : []),
    ...keyLifetimeProblems(values),
    ...keySetUrlProblems(values['service-account-jwks-uri']),
  ];
}

function keyLifetimeProblems(values: AuthenticationValues): string[] {
  const flag = '--service-account-signing-key-lifetime';
  const lifetime = values['service-account-signing-key-lifetime'];
  if (lifetime === 0) return [];
  if (values['service-account-signing-key-file'] !== '')
    return [`${flag} is for a key that the server generates: leave it out, or --service-account-signing-key-file`];
  return lifetime < 24 * HOUR_MS ? [`${flag} must be at least 24h`] : [];
}

function keySetUrlProblems(text: string): string[] {
  if (text === '') return [];
  const url = parseGoUrl(text);
  if (typeof url === 'string') return [`service-account-jwks-uri must be a valid URL: ${url}`];
  return url.scheme === 'https' ? [] : [`service-account-jwks-uri requires https scheme, parsed as: ${text}`];
}
