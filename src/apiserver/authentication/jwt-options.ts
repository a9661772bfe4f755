import { invalid } from '../../foundation/index.js';
import { jwtConfigurationOfFlags, type AuthenticationConfiguration, type OidcFlags } from '../../security/index.js';
import type { ConfigurationSource } from '../options/configuration-source.js';

/** Options of authentication by JSON Web Tokens of external issuers. */
export interface JwtAuthenticatorsOptions {
  /** One provider, with the options of the `--oidc-*` flags. Cannot be combined with a configuration. */
  readonly openIdConnect?: OidcFlags | undefined;
  /** Any number of providers, and the paths for anonymous requests: `--authentication-config` (KEP-3331). */
  readonly configuration?: ConfigurationSource<AuthenticationConfiguration> | undefined;
}

/**
 * Checks the options, without reading a configuration file.
 *
 * @param disallowedIssuers issuers of the server's own tokens
 * @throws TypeError when the options contradict each other; Error when the options of the provider are invalid
 */
export function checkJwtOptions(
  { openIdConnect, configuration }: JwtAuthenticatorsOptions,
  disallowedIssuers: readonly string[],
): void {
  if (openIdConnect === undefined) return;
  if (configuration !== undefined)
    throw new TypeError('authentication-config file and oidc-* flags are mutually exclusive');
  const { url } = jwtConfigurationOfFlags(openIdConnect).issuer;
  if (!disallowedIssuers.includes(url)) return;
  const detail = `URL must not overlap with disallowed issuers: [${[...disallowedIssuers].sort().join(' ')}]`;
  throw new Error(`invalid authentication configuration: ${String(invalid('jwt[0].issuer.url', url, detail))}`);
}
