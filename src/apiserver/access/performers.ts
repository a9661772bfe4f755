import { loading } from '../../foundation/index.js';
import {
  Binding,
  Eviction,
  LocalSubjectAccessReview,
  Pod,
  PodDisruptionBudget,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
} from '../../kinds/index.js';
import type { Catalogue, Perform, ResourceDefinition, ResourceStore } from '../../registry/index.js';
import type { Authorizer } from '../../security/index.js';
import {
  localSubjectAccessReviewPerformer,
  performSelfSubjectReview,
  selfSubjectAccessReviewPerformer,
  selfSubjectRulesReviewPerformer,
  subjectAccessReviewPerformer,
  tokenRequestPerformer,
  tokenReviewPerformer,
} from '../../server/index.js';
import { importPodBinding, importPodEviction } from '../../server/late.js';
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
  const budgets = (): ResourceStore => catalogue.store(PodDisruptionBudget);
  const metaGroup = `meta.${catalogue.environment.dialect.groupSuffix}`;
  const reviewer = { authorize, withSelectors };
  return new Map<ResourceDefinition, Perform>([
    [Binding, loadedPerformer(async () => (await importPodBinding()).bindPerformer(pods))],
    [Eviction, loadedPerformer(async () => (await importPodEviction()).evictionPerformer(pods, budgets, metaGroup))],
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
