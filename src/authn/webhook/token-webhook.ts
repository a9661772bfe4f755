import { toError } from '../../meta/error-message.js';
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';
import { reviewVersions, type ReviewVersion } from '../../outbound/review-versions.js';
import { postReview, type WebhookOptions } from '../../outbound/webhook.js';
import { intersectAudiences } from '../audiences.js';
import type { AuthResult, TokenAuthenticator, TokenRequest } from '../authenticator.js';
import { cachedTokenAuthenticator } from '../token-cache.js';
import { readTokenReviewAnswer, type TokenReviewAnswer } from './token-review-answer.js';

/** Versions of the review that can be posted. */
export const tokenReviewVersions = reviewVersions;

/** A version of the review. */
export type TokenReviewVersion = ReviewVersion;

/** How a {@link createWebhookTokenAuthenticator} works. */
export interface WebhookTokenAuthenticatorOptions extends WebhookOptions {
  readonly dialect: Dialect;
  /** Version of the reviews that are posted and answered. Default `v1beta1`, as the flag's in the production system. */
  readonly version?: TokenReviewVersion;
  /** Audiences of the API server: what a token is for when the webhook does not say. Default none: then audiences are not looked at. */
  readonly audiences?: readonly string[];
  /** How long an answer counts, whatever it is, in milliseconds. Errors are not remembered. Default 120,000; 0 remembers nothing. */
  readonly cacheTtlMs?: number;
  /** Answers that are remembered at most. Default 32,768. */
  readonly cacheSize?: number;
}

const AUTHENTICATION = systemGroup('authentication');
const DEFAULT_CACHE_TTL_MS = 120_000;

/**
 * Asks a webhook whose token it is, by a TokenReview. What it does not know is no opinion; what it says went wrong, and what
 * goes wrong on the way to it, is an error.
 *
 * Audiences: those that are wanted, or else the API server's, go with the review. The token must be for one of them: by the
 * answer's `status.audiences`, or by the API server's own when the webhook names none.
 *
 * @throws TypeError for a version that there is not
 */
export function createWebhookTokenAuthenticator(options: WebhookTokenAuthenticatorOptions): TokenAuthenticator {
  const {
    dialect,
    version = 'v1beta1',
    audiences = [],
    cacheTtlMs = DEFAULT_CACHE_TTL_MS,
    cacheSize,
    clock,
    entropy,
  } = options;
  if (!reviewVersions.includes(version)) {
    throw new TypeError(
      `unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are ${reviewVersions.map((known) => JSON.stringify(known)).join(', ')}`,
    );
  }
  const apiVersion = `${groupName(AUTHENTICATION, dialect)}/${version}`;
  const ask = async (token: string, request: TokenRequest): Promise<AuthResult> => {
    const wanted = request.audiences ?? audiences;
    try {
      const answer = readTokenReviewAnswer(
        await postReview(tokenReview(apiVersion, token, wanted), options, request.signal),
      );
      // Errors are logged and shown to whoever asked for the review; a webhook may quote the token in its own.
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
  });
}

/** The review as the production system writes it. */
const tokenReview = (apiVersion: string, token: string, audiences: readonly string[]) => ({
  kind: 'TokenReview',
  apiVersion,
  metadata: { creationTimestamp: null },
  spec: { token, ...(audiences.length === 0 ? {} : { audiences }) },
  status: { user: {} },
});

/** The audiences come first, as in the production system: a token for somebody else is unknown here, and not an error. */
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
