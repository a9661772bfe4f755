import type { AuthenticationConfiguration } from '../authn/configuration/types.js';
import { jwtConfigurationOfFlags, type OidcFlags } from '../authn/oidc/flags.js';
import { invalid } from '../meta/field-error.js';
import type { ConfigurationSource } from './configuration-source.js';

/** Where the authenticators of the JSON Web Tokens of others come from. */
export interface JwtAuthenticatorsOptions {
  /** One provider, as the `--oidc-*` flags describe it. Not together with a configuration. */
  readonly openIdConnect?: OidcFlags;
  /** Any number of providers, and where anonymous requests are let in: `--authentication-config` (KEP-3331). */
  readonly authenticationConfiguration?: ConfigurationSource<AuthenticationConfiguration>;
}

/**
 * Checks what can be checked before anything is read.
 *
 * @param disallowedIssuers those of the server's own tokens
 * @throws TypeError when the options contradict each other; Error when those of one provider are wrong
 */
export function checkJwtOptions(
  { openIdConnect, authenticationConfiguration }: JwtAuthenticatorsOptions,
  disallowedIssuers: readonly string[],
): void {
  if (openIdConnect === undefined) return;
  if (authenticationConfiguration !== undefined)
    throw new TypeError('authentication-config file and oidc-* flags are mutually exclusive');
  const { url } = jwtConfigurationOfFlags(openIdConnect).issuer;
  if (!disallowedIssuers.includes(url)) return;
  const detail = `URL must not overlap with disallowed issuers: [${[...disallowedIssuers].sort().join(' ')}]`;
  throw new Error(`invalid authentication configuration: ${String(invalid('jwt[0].issuer.url', url, detail))}`);
}
