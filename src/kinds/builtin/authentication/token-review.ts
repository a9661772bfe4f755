import type { authenticationV1 } from '../../types/index.js';
import type { FieldsOf } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { operation } from '../operation.js';

/** Authenticates a token and returns its user. Not stored. */
export const TokenReview = builtinKind<authenticationV1.TokenReview>('authentication.v1.TokenReview', operation);

/** An object of the kind {@link TokenReview}. */
export type TokenReview = authenticationV1.TokenReview;

/** The decoded fields of a TokenReview. */
export type TokenReviewFields = FieldsOf<authenticationV1.TokenReview>;
