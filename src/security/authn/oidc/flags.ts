import { FieldError } from '../../../foundation/index.js';
import type { JwtAuthenticatorConfiguration } from '../configuration/types.js';
import { checkSigningAlgorithms } from './algorithms.js';

/** One provider of OpenID Connect, as the `--oidc-*` flags describe it. */
export interface OpenIdConnectOptions {
  /** URL of the issuer, https: `--oidc-issuer-url`. Required. */
  readonly issuerUrl?: string | undefined;
  /** Client that tokens must be issued for: `--oidc-client-id`. Required. */
  readonly clientId?: string | undefined;
  /** Claim with the user name: `--oidc-username-claim`. Default `sub`. */
  readonly usernameClaim?: string | undefined;
  /**
   * Prefix of user names: `--oidc-username-prefix`. Default `<issuer URL>#`, or none for the claim `email`; `-` means
   * none.
   */
  readonly usernamePrefix?: string | undefined;
  /** Claim with the groups: `--oidc-groups-claim`. Default: users have no groups. */
  readonly groupsClaim?: string | undefined;
  /** Prefix of groups: `--oidc-groups-prefix`. Default none. */
  readonly groupsPrefix?: string | undefined;
  /** Claims that a token must have, with their values: `--oidc-required-claim`. Default none. */
  readonly requiredClaims?: Readonly<Record<string, string>> | undefined;
  /** Authorities of the provider's certificate, PEM: the content of `--oidc-ca-file`. Default those of the host. */
  readonly certificateAuthority?: string | undefined;
  /** Accepted signature algorithms: `--oidc-signing-algs`. Default `RS256`. */
  readonly signingAlgorithms?: readonly string[] | undefined;
}

/**
 * Returns the authenticator configuration of the flags. As in Kubernetes, it equals one entry of an
 * AuthenticationConfiguration.
 *
 * @throws Error when the issuer or client is missing, the issuer is not an https URL without user, query and fragment,
 *   the user name claim is missing, or an algorithm is unsupported
 */
export function jwtConfigurationOfFlags(flags: OpenIdConnectOptions): JwtAuthenticatorConfiguration {
  const {
    issuerUrl = '',
    clientId = '',
    usernameClaim = 'sub',
    groupsClaim = '',
    groupsPrefix = '',
    requiredClaims = {},
    certificateAuthority = '',
  } = flags;
  if (issuerUrl === '' || clientId === '')
    throw new Error('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
  checkIssuerUrl(issuerUrl);
  if (usernameClaim === '')
    throw invalid(new FieldError('Required', 'jwt[0].claimMappings.username', '', 'claim or expression is required'));
  checkSigningAlgorithms(flags.signingAlgorithms ?? []);
  const rules = Object.entries(requiredClaims).map(([claim, requiredValue]) => ({ claim, requiredValue }));
  return {
    issuer: { url: issuerUrl, audiences: [clientId], ...(certificateAuthority === '' ? {} : { certificateAuthority }) },
    ...(rules.length === 0 ? {} : { claimValidationRules: rules }),
    claimMappings: {
      username: {
        claim: usernameClaim,
        prefix: usernamePrefixOf(issuerUrl, usernameClaim, flags.usernamePrefix ?? ''),
      },
      ...(groupsClaim === '' ? {} : { groups: { claim: groupsClaim, prefix: groupsPrefix } }),
    },
  };
}

/**
 * Names of different providers must not collide, so the default prefix is the issuer. E-mail addresses are already
 * unique.
 */
function usernamePrefixOf(issuerUrl: string, claim: string, prefix: string): string {
  if (prefix === '-') return '';
  return prefix === '' && claim !== 'email' ? `${issuerUrl}#` : prefix;
}

const URL_RULES: readonly { readonly broken: (url: URL) => boolean; readonly detail: string }[] = [
  { broken: ({ protocol }) => protocol !== 'https:', detail: 'URL scheme must be https' },
  {
    broken: ({ username, password }) => username !== '' || password !== '',
    detail: 'URL must not contain a username or password',
  },
  { broken: ({ search }) => search !== '', detail: 'URL must not contain a query' },
  { broken: ({ hash }) => hash !== '', detail: 'URL must not contain a fragment' },
];

function checkIssuerUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const details =
    url === undefined
      ? ['URL scheme must be https']
      : URL_RULES.filter(({ broken }) => broken(url)).map(({ detail }) => detail);
  // A password in a URL must not be shown.
  const shown = url !== undefined && url.password !== '' ? '<omitted>' : text;
  const [detail] = details;
  if (detail !== undefined) throw invalid(new FieldError('Invalid', 'jwt[0].issuer.url', shown, detail));
}

const invalid = (error: FieldError): Error => new Error(`invalid authentication configuration: ${error.toString()}`);

/**
 * Parses the values of `--oidc-required-claim`, each `key=value`. Spaces around key and value are ignored; the last
 * value of a key wins.
 *
 * @throws Error `malformed pair, expect string=string`
 */
export function parseRequiredClaims(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 0) throw new Error('malformed pair, expect string=string');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
