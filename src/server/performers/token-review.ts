import { definedOnly, errors, type ApiObject } from '../../foundation/index.js';
import { userInfoJson, type TokenReviewFields } from '../../kinds/index.js';
import type { Perform } from '../../registry/index.js';
import { intersectAudiences, type AuthResult, type TokenAuthenticator } from '../../security/index.js';

/** Dependencies of TokenReview. */
export interface TokenReviewer {
  /** Token authenticator of the server. An unknown token is an error. */
  readonly authenticate: TokenAuthenticator;
  /** Audiences of the server: the default of a review. */
  readonly audiences: readonly string[];
}

type TokenReviewObject = ApiObject & TokenReviewFields;
type ReviewStatus = NonNullable<TokenReviewFields['status']>;

/**
 * Creates the operation of TokenReview (identity-resources.md, "TokenReview"): authenticates the token as if a request
 * carried it, for the audiences of the review.
 */
export function tokenReviewPerformer({ authenticate, audiences: own }: TokenReviewer): Perform {
  return async (object, { context, admit }) => {
    const { spec } = object as TokenReviewObject;
    const { token = '' } = spec;
    if (token === '') throw errors.badRequest('token is required for TokenReview in authentication');
    await admit();
    const wanted = spec.audiences === undefined || spec.audiences.length === 0 ? own : spec.audiences;
    // An in-process review may have no signal; it is never aborted.
    const signal = context.signal ?? new AbortController().signal;
    const { warn, annotate } = context;
    const result = await authenticate(token, { signal, audiences: wanted, warn, ...definedOnly({ annotate }) });
    return { ...object, status: statusOf(result, wanted) };
  };
}

function statusOf(result: AuthResult, wanted: readonly string[]): ReviewStatus {
  if (result === undefined) return { user: {} };
  if ('error' in result) return { user: {}, error: result.error.message };
  const { user, audiences = [] } = result;
  if (wanted.length > 0 && intersectAudiences(wanted, audiences).length === 0)
    throw errors.internal('error validating audience of the token: the authenticator answered for others');
  return {
    authenticated: true,
    user: userInfoJson(user),
    ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
  };
}
