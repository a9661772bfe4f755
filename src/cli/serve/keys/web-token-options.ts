import type { AuthenticationOptions } from '../../../apiserver/index.js';
import { aggregateText, definedOnly, type Dialect } from '../../../foundation/index.js';
import {
  jwtConfigurationOfFlags,
  parseCertificateBundle,
  parseRequiredClaims,
  validateAuthenticationConfiguration,
  type OpenIdConnectOptions,
} from '../../../security/index.js';
import { UsageError } from '../../usage-error.js';
import { oidcFlagsGiven } from '../authentication-checks.js';
import { onFileChange } from '../file-changes.js';
import { orUsageError, readFlagFile, readText, reasonOf } from '../files.js';
import type { AuthenticationValues } from '../flags/authentication-flags.js';

type WebTokenOptions = Pick<AuthenticationOptions, 'openIdConnect' | 'configuration'>;

/**
 * Returns the options for JSON Web Tokens of external issuers.
 *
 * @throws UsageError when a file cannot be read, or the `--oidc-*` flags are invalid. The server validates the
 *   configuration file at startup
 */
export async function webTokenOptions(values: AuthenticationValues, dialect: Dialect): Promise<WebTokenOptions> {
  const path = values['authentication-config'];
  if (path !== '') {
    const text = await readFlagFile('authentication-config', path);
    return {
      configuration: {
        text,
        read: () => readText(path),
        onChange: (changed) => onFileChange(path, changed),
      },
    };
  }
  return oidcFlagsGiven(values) ? { openIdConnect: await oidcFlags(values, dialect) } : {};
}

async function oidcFlags(values: AuthenticationValues, dialect: Dialect): Promise<OpenIdConnectOptions> {
  const claims = values['oidc-required-claim'];
  const flags = definedOnly({
    issuerUrl: values['oidc-issuer-url'],
    clientId: values['oidc-client-id'],
    certificateAuthority: await authorityOf(values['oidc-ca-file']),
    usernameClaim: values['oidc-username-claim'],
    usernamePrefix: values['oidc-username-prefix'],
    groupsClaim: values['oidc-groups-claim'],
    groupsPrefix: values['oidc-groups-prefix'],
    signingAlgorithms: values['oidc-signing-algs'],
    requiredClaims:
      claims === undefined ? undefined : await orUsageError('oidc-required-claim', () => parseRequiredClaims(claims)),
  });
  await checkFlags(flags, { dialect, disallowedIssuers: values['service-account-issuer'] });
  return flags;
}

async function authorityOf(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined;
  const pem = await readFlagFile('oidc-ca-file', path);
  await orUsageError('oidc-ca-file', () => parseCertificateBundle(pem));
  return pem;
}

async function checkFlags(
  flags: OpenIdConnectOptions,
  rules: Parameters<typeof validateAuthenticationConfiguration>[1],
): Promise<void> {
  try {
    const problems = await validateAuthenticationConfiguration({ jwt: [jwtConfigurationOfFlags(flags)] }, rules);
    if (problems.length > 0) throw new Error(`invalid authentication configuration: ${aggregateText(problems)}`);
  } catch (error) {
    throw new UsageError(reasonOf(error));
  }
}
