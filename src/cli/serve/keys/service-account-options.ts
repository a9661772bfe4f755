import type { AuthenticationOptions } from '../../../apiserver/index.js';
import type { Logger } from '../../../foundation/index.js';
import { parseSigningKey, parseVerificationKeys } from '../../../security/index.js';
import { UsageError } from '../../usage-error.js';
import { orUsageError, readFlagFile, reasonOf } from '../files.js';
import type { AuthenticationValues } from '../flags/authentication-flags.js';

type ServiceAccountOptions = NonNullable<AuthenticationOptions['serviceAccounts']>;
type KeyOptions = Pick<ServiceAccountOptions, 'signingKey' | 'verificationKeys'>;

/** Returns the service account options that the flags set. Reads and validates the keys.
 *
 * @param servingKey content of `--tls-private-key-file`, if given
 * @throws UsageError that names flag and file of an invalid key, but never contains key material
 */
export async function serviceAccountOptions(
  values: AuthenticationValues,
  servingKey: string | undefined,
  logger: Logger,
): Promise<ServiceAccountOptions> {
  const issuers = values['service-account-issuer'];
  const longestMs = values['service-account-max-token-expiration'];
  const jwksUri = values['service-account-jwks-uri'];
  const keys = await keysOf(values, servingKey, logger);
  return {
    ...(issuers.length === 0 ? {} : { issuers }),
    ...(longestMs === 0 ? {} : { maxTokenExpiration: longestMs }),
    ...(jwksUri === '' ? {} : { jwksUri }),
    extendTokenExpiration: values['service-account-extend-token-expiration'],
    lookup: values['service-account-lookup'],
    ...keys,
    ...keyLifetimeOf(values, keys),
  };
}

/** @throws UsageError when the server does not generate the key */
function keyLifetimeOf(
  values: AuthenticationValues,
  { signingKey }: KeyOptions,
): Pick<ServiceAccountOptions, 'signingKeyLifetime'> {
  const lifetimeMs = values['service-account-signing-key-lifetime'];
  if (lifetimeMs === 0) return {};
  if (signingKey !== undefined)
    throw new UsageError(
      '--service-account-signing-key-lifetime is for a key that the server generates, but the key of --tls-private-key-file signs: name that file with --service-account-key-file, so that it only verifies',
    );
  return { signingKeyLifetime: lifetimeMs };
}

/**
 * Reads the keys. As in Kubernetes, the key of the serving certificate is used only when no other key is given:
 * renewing the certificate would otherwise invalidate tokens unexpectedly.
 */
async function keysOf(
  values: AuthenticationValues,
  servingKey: string | undefined,
  logger: Logger,
): Promise<KeyOptions> {
  const signingFile = values['service-account-signing-key-file'];
  const files = values['service-account-key-file'];
  if (signingFile === '' && files.length === 0) return servingKey === undefined ? {} : keyOfServing(servingKey, logger);
  const signingKey = signingFile === '' ? undefined : await readSigningKey(signingFile);
  return {
    signingKey,
    verificationKeys: await Promise.all(files.map(readVerificationKeys)),
  };
}

async function keyOfServing(servingKey: string, logger: Logger): Promise<KeyOptions> {
  try {
    await parseSigningKey(servingKey);
    return { signingKey: servingKey };
  } catch (error) {
    logger.info('the key of --tls-private-key-file cannot sign service account tokens; the server generates one', {
      reason: reasonOf(error),
    });
    return {};
  }
}

async function readSigningKey(path: string): Promise<string> {
  const flag = 'service-account-signing-key-file';
  const pem = await readFlagFile(flag, path);
  await orUsageError(flag, () => parseSigningKey(pem).catch(rethrow(`error reading private key file ${path}`)));
  return pem;
}

async function readVerificationKeys(path: string): Promise<string> {
  const flag = 'service-account-key-file';
  const pem = await readFlagFile(flag, path);
  await orUsageError(flag, () => parseVerificationKeys(pem).catch(rethrow(`error reading public key file ${path}`)));
  return pem;
}

const rethrow =
  (words: string) =>
  (error: unknown): never => {
    throw new Error(`${words}: ${reasonOf(error)}`);
  };
