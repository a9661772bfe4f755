import type { Clock } from '../meta/clock.js';
import type { Dialect } from '../names/dialect.js';
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

/** What the authenticator of bootstrap tokens needs. */
export interface BootstrapTokenAuthenticatorOptions {
  /** The Secret of that name, as it is now; undefined when there is none. What it throws is an error of the authenticator. */
  readonly lookup: (namespace: string, name: string) => BootstrapTokenSecret | undefined | Promise<BootstrapTokenSecret | undefined>;
  readonly dialect: Dialect;
  readonly clock: Clock;
}

const USER_PREFIX = 'system:bootstrap:';

/**
 * Knows the bootstrap tokens whose Secrets stand in the dialect's system namespace, as user `system:bootstrap:<id>` in group
 * `system:bootstrappers` and the token's extra groups.
 *
 * As in the production system a token that is wrong, expired, not for authentication, or about to go is not an error: there
 * is no opinion on it. Stays synchronous when the lookup does.
 */
export function createBootstrapTokenAuthenticator({ lookup, dialect, clock }: BootstrapTokenAuthenticatorOptions): TokenAuthenticator {
  const userOf = (token: BootstrapToken, secret: BootstrapTokenSecret | undefined): AuthResult => {
    if (secret === undefined || !isGood(token, secret, dialect, clock.now())) return undefined;
    const groups = bootstrapTokenGroups(secret);
    return groups === undefined ? undefined : { user: { username: `${USER_PREFIX}${token.id}`, groups } };
  };
  return (text) => {
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
  if (secret.metadata.deletionTimestamp !== undefined || secret.type !== dialect.secretTypes.bootstrapToken) return false;
  return (
    equalInConstantTime(bootstrapTokenText(secret, 'token-secret'), token.secret) &&
    bootstrapTokenText(secret, 'token-id') === token.id &&
    bootstrapTokenExpiry(secret) > nowMs &&
    bootstrapTokenText(secret, 'usage-bootstrap-authentication') === 'true'
  );
}

const failed = (error: unknown): AuthResult => ({ error: error instanceof Error ? error : new Error('the lookup of a bootstrap token failed', { cause: error }) });
