import {
  durationMs,
  groupName,
  postReview,
  reviewVersions,
  systemGroup,
  toError,
  type Dialect,
  type Duration,
  type ReviewVersion,
  type WebhookCallOptions,
  type WebhookOptions,
} from '../../../foundation/index.js';
import { intersectAudiences } from '../audiences.js';
import type { AuthResult, TokenAuthenticator, TokenContext } from '../authenticator.js';
import { cachedTokenAuthenticator, type TokenCacheMeter } from '../token-cache.js';
import { readTokenReviewAnswer, type TokenReviewAnswer } from './token-review-answer.js';

/** A webhook that authenticates tokens. */
export interface TokenWebhookOptions extends WebhookCallOptions {
  /** Version of the reviews. Default `v1beta1`, the default of the flag in Kubernetes. */
  readonly version?: ReviewVersion | undefined;
  /** Lifetime of a cached result. Errors are not cached. Default `2m`; 0 disables the cache. */
  readonly cacheTtl?: Duration | undefined;
  /** Maximum number of cached results. Default 32,768. */
  readonly cacheSize?: number | undefined;
}

/** Options of {@link createWebhookTokenAuthenticator}. */
export interface WebhookTokenAuthenticatorOptions extends TokenWebhookOptions, WebhookOptions {
  readonly dialect: Dialect;
  /**
   * Audiences of the API server: those of a token for which the webhook names none. Default none: audiences are not
   * checked.
   */
  readonly audiences?: readonly string[] | undefined;
  /** Measures the cache. Default: nothing is measured. */
  readonly cacheMeter?: TokenCacheMeter | undefined;
}

const AUTHENTICATION = systemGroup('authentication');
const DEFAULT_CACHE_TTL_MS = 120_000;

/**
 * Creates an authenticator that sends a TokenReview to a webhook. An unknown token gives no opinion. An error of the
 * webhook or of the call is an error.
 *
 * The review contains the wanted audiences, or else the API server's. The token must be for one of them: by the
 * response's `status.audiences`, or by the API server's own when the webhook names none.
 *
 * @throws TypeError for an unsupported version
 */
export function createWebhookTokenAuthenticator(options: WebhookTokenAuthenticatorOptions): TokenAuthenticator {
  const {
    dialect,
    version = 'v1beta1',
    audiences = [],
    cacheTtl = DEFAULT_CACHE_TTL_MS,
    cacheSize,
    cacheMeter,
    clock,
    entropy,
  } = options;
  if (!reviewVersions.includes(version)) {
    throw new TypeError(
      `unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are ${reviewVersions.map((known) => JSON.stringify(known)).join(', ')}`,
    );
  }
  const apiVersion = `${groupName(AUTHENTICATION, dialect)}/${version}`;
  const cacheTtlMs = durationMs(cacheTtl);
  const ask = async (token: string, request: TokenContext): Promise<AuthResult> => {
    const wanted = request.audiences ?? audiences;
    try {
      const answer = readTokenReviewAnswer(
        await postReview(tokenReview(apiVersion, token, wanted), options, request.signal),
      );
      // Errors are logged and shown to the client of a review; a webhook can quote the token in them.
      return resultOf({ ...answer, error: answer.error.replaceAll(token, '<token>') }, wanted, audiences);
    } catch (error) {
      return { error: toError(error, 'the webhook failed') };
    }
  };
  return cachedTokenAuthenticator(ask, {
    clock,
    entropy,
    successTtlMs: cacheTtlMs,
    failureTtlMs: cacheTtlMs,
    size: cacheSize,
    meter: cacheMeter,
  });
}

/** Returns the review in the form of Kubernetes. */
const tokenReview = (apiVersion: string, token: string, audiences: readonly string[]) => ({
  kind: 'TokenReview',
  apiVersion,
  metadata: { creationTimestamp: null },
  spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
  status: { user: {} },
});

/** As in Kubernetes, audiences are checked first: a token for another server is unknown here, not an error. */
function resultOf(
  { authenticated, user, audiences, error }: TokenReviewAnswer,
  wanted: readonly string[],
  own: readonly string[],
): AuthResult {
  const found = wanted.length === 0 ? undefined : intersectAudiences(audiences.length === 0 ? own : audiences, wanted);
  if (found?.length === 0) return undefined;
  if (!authenticated) return error === '' ? undefined : { error: new Error(error) };
  return { user, audiences: found };
}
