import type { Authorizer } from '../authz/index.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { Perform } from '../registry/perform.js';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
} from '../resources/index.js';
import {
  localSubjectAccessReviewPerformer,
  selfSubjectAccessReviewPerformer,
  selfSubjectRulesReviewPerformer,
  subjectAccessReviewPerformer,
} from '../server/performers/access-review.js';
import { performSelfSubjectReview } from '../server/performers/self-subject-review.js';
import { tokenRequestPerformer } from '../server/performers/token-request.js';
import { tokenReviewPerformer } from '../server/performers/token-review.js';
import type { Authentication } from './authentication.js';

/** Dependencies of {@link builtinPerformers}. */
export interface PerformerParts {
  readonly authentication: Authentication;
  readonly authorize: Authorizer;
  /** Whether access reviews evaluate selectors (feature gate `AuthorizeWithSelectors`). */
  readonly withSelectors: boolean;
}

/** Returns the operations of the platform's virtual kinds. */
export function builtinPerformers({
  authentication,
  authorize,
  withSelectors,
}: PerformerParts): ReadonlyMap<ResourceDefinition, Perform> {
  const reviewer = { authorize, withSelectors };
  return new Map<ResourceDefinition, Perform>([
    [SelfSubjectReview, performSelfSubjectReview],
    [SelfSubjectReviewV1beta1, performSelfSubjectReview],
    [SelfSubjectReviewV1alpha1, performSelfSubjectReview],
    [TokenReview, tokenReviewPerformer({ authenticate: authentication.token, audiences: authentication.apiAudiences })],
    [TokenRequest, tokenRequestPerformer(async () => (await authentication.serviceAccounts.tokens()).issuer)],
    [LocalSubjectAccessReview, localSubjectAccessReviewPerformer(reviewer)],
    [SelfSubjectAccessReview, selfSubjectAccessReviewPerformer(reviewer)],
    [SelfSubjectRulesReview, selfSubjectRulesReviewPerformer(reviewer)],
    [SubjectAccessReview, subjectAccessReviewPerformer(reviewer)],
  ]);
}
