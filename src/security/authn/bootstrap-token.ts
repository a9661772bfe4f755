import { errors, toError, type Clock, type Dialect } from '../../foundation/index.js';
import {
  bootstrapTokenExpiry,
  bootstrapTokenGroups,
  bootstrapTokenSecretName,
  bootstrapTokenText,
  parseBootstrapToken,
  type BootstrapToken,
  type BootstrapTokenSecret,
} from '../tokens/bootstrap-token.js';
import { equalInConstantTime } from '../tokens/constant-time.js';
import type { AuthResult, TokenAuthenticator } from './authenticator.js';
import { WrongTokenThrottle, type WrongTokenLimits } from './wrong-token-throttle.js';

/** Options of {@link createBootstrapTokenAuthenticator}. */
export interface BootstrapTokenAuthenticatorOptions {
  /**
   * Returns the current Secret of a name, or undefined when it does not exist. A thrown error becomes an authentication
   * error.
   */
  readonly lookup: (
    namespace: string,
    name: string,
  ) => BootstrapTokenSecret | undefined | Promise<BootstrapTokenSecret | undefined>;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Maximum number of wrong tokens before clients receive 429. */
  readonly wrong?: WrongTokenLimits | undefined;
}

const USER_PREFIX = 'system:bootstrap:';

/**
 * Creates an authenticator for bootstrap tokens from Secrets in the dialect's system namespace. The user is
 * `system:bootstrap:<id>` in group `system:bootstrappers` and the token's extra groups.
 *
 * As in Kubernetes, a token that is wrong, expired, being deleted or not for authentication gives no opinion. Too many
 * such tokens give a 429 with a retry time; a valid token is never refused for that. The result is synchronous when the
 * lookup is.
 */
export function createBootstrapTokenAuthenticator({
  lookup,
  dialect,
  clock,
  wrong,
}: BootstrapTokenAuthenticatorOptions): TokenAuthenticator {
  const throttle = new WrongTokenThrottle(clock, wrong);
  return (text, { peer }) => {
    const userOf = (token: BootstrapToken, secret: BootstrapTokenSecret | undefined): AuthResult => {
      const groups =
        secret === undefined || !isGood(token, secret, dialect, clock.now()) ? undefined : bootstrapTokenGroups(secret);
      if (groups !== undefined) return { user: { username: `${USER_PREFIX}${token.id}`, groups } };
      const waitSeconds = throttle.wrong(peer?.address);
      return waitSeconds === 0
        ? undefined
        : { error: errors.tooManyRequests('Too many requests, please try again later.', waitSeconds) };
    };
    const token = parseBootstrapToken(text);
    if (token === undefined) return undefined;
    try {
      const found = lookup(dialect.namespaces.system, bootstrapTokenSecretName(token.id));
      return found instanceof Promise ? found.then((secret) => userOf(token, secret), failed) : userOf(token, found);
    } catch (error) {
      return failed(error);
    }
  };
}

function isGood(token: BootstrapToken, secret: BootstrapTokenSecret, dialect: Dialect, nowMs: number): boolean {
  if (secret.metadata.deletionTimestamp !== undefined || secret.type !== dialect.secretTypes.bootstrapToken)
    return false;
  return (
    equalInConstantTime(bootstrapTokenText(secret, 'token-secret'), token.secret) &&
    bootstrapTokenText(secret, 'token-id') === token.id &&
    bootstrapTokenExpiry(secret) > nowMs &&
    bootstrapTokenText(secret, 'usage-bootstrap-authentication') === 'true'
  );
}

const failed = (error: unknown): AuthResult => ({
  error: toError(error, 'the lookup of a bootstrap token failed'),
});
