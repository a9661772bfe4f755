import { invalid } from '../../foundation/index.js';
import { jwtConfigurationOfFlags } from '../../security/index.js';
import type { AuthenticationOptions } from './authentication.js';

/** Options of authentication by JSON Web Tokens of external issuers. */
export type JwtAuthenticatorsOptions = Pick<AuthenticationOptions, 'openIdConnect' | 'configuration'>;

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
