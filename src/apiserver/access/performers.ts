import { loading } from '../../foundation/async/loading.js';
import type { Authorizer } from '../../security/authz/index.js';
import type { ResourceDefinition } from '../../registry/definition/definition.js';
import type { Catalogue } from '../../registry/definition/catalogue.js';
import type { Perform } from '../../registry/verbs/perform.js';
import {
  Binding,
  Eviction,
  LocalSubjectAccessReview,
  Pod,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
} from '../../kinds/builtin/index.js';
import {
  localSubjectAccessReviewPerformer,
  selfSubjectAccessReviewPerformer,
  selfSubjectRulesReviewPerformer,
  subjectAccessReviewPerformer,
} from '../../server/performers/access-review.js';
import { performSelfSubjectReview } from '../../server/performers/self-subject-review.js';
import { tokenRequestPerformer } from '../../server/performers/token-request.js';
import { tokenReviewPerformer } from '../../server/performers/token-review.js';
import type { ResourceStore } from '../../registry/store/store.js';
import type { Authentication } from '../authentication/authentication.js';

/** Dependencies of {@link builtinPerformers}. */
export interface PerformerParts {
  readonly authentication: Authentication;
  readonly authorize: Authorizer;
  readonly catalogue: Catalogue;
  /** Whether access reviews evaluate selectors (feature gate `AuthorizeWithSelectors`). */
  readonly withSelectors: boolean;
}

/** Returns the operations of the platform's virtual kinds. */
export function builtinPerformers({
  authentication,
  authorize,
  catalogue,
  withSelectors,
}: PerformerParts): ReadonlyMap<ResourceDefinition, Perform> {
  const pods = (): ResourceStore => catalogue.store(Pod);
  const metaGroup = `meta.${catalogue.environment.dialect.groupSuffix}`;
  const reviewer = { authorize, withSelectors };
  return new Map<ResourceDefinition, Perform>([
    [Binding, loadedPerformer(async () => (await import('../../server/performers/pod-binding.js')).bindPerformer(pods))],
    [
      Eviction,
      loadedPerformer(async () =>
        (await import('../../server/performers/pod-eviction.js')).evictionPerformer(pods, metaGroup),
      ),
    ],
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

/** Returns an operation whose code is loaded when it is first used. */
function loadedPerformer(load: () => Promise<Perform>): Perform {
  let loaded: Promise<Perform> | undefined;
  return async (object, request) => {
    const perform = await (loaded ??= loading(load()));
    return perform(object, request);
  };
}
