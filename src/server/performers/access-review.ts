/**
 * Operations of the access reviews (conventions.md, "Authorization").
 *
 * @module
 */
import {
  definedOnly,
  errors,
  FieldErrorList,
  invalid,
  whenReady,
  type ApiObject,
  type FieldError,
  type ObjectMeta,
  type UserInfo,
} from '../../foundation/index.js';
import type {
  SelfSubjectAccessReviewFields,
  SelfSubjectRulesReviewFields,
  SubjectAccessReviewFields,
} from '../../kinds/index.js';
import type { Perform, PerformRequest } from '../../registry/index.js';
import {
  boundedRules,
  rulesOf,
  type Attributes,
  type Authorizer,
  type Decision,
  type SelectorRequirement,
} from '../../security/index.js';
import { NO_ERRORS, selectorErrors } from './review-selectors.js';

type Spec = NonNullable<SubjectAccessReviewFields['spec']>;
type ReviewedAttributes = Pick<Spec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** Dependencies of the access reviews. */
export interface AccessReviewer {
  readonly authorize: Authorizer;
  /** Whether the selectors of a review count (gate AuthorizeWithSelectors). */
  readonly withSelectors: boolean;
}

/** Creates the operation of SelfSubjectAccessReview. */
export function selfSubjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return (object, request) => {
    const { spec } = object as ApiObject & SelfSubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(request, attributesErrors(spec), metadataErrors(object.metadata, false));
    return reviewed(object, request, reviewer, attributesOfReview(spec, request.context.user));
  };
}

/** Creates the operation of SubjectAccessReview. */
export function subjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return (object, request) => {
    const { spec } = object as ApiObject & SubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(request, attributesErrors(spec), userErrors(spec), metadataErrors(object.metadata, false));
    return reviewed(object, request, reviewer, attributesOfReview(spec, userOf(spec)));
  };
}

/** Creates the operation of LocalSubjectAccessReview, which reviews access within its own namespace only. */
export function localSubjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return (object, request) => {
    const { spec } = object as ApiObject & SubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(
      request,
      attributesErrors(spec),
      userErrors(spec),
      metadataErrors(object.metadata, true),
      localErrors(spec, request.namespace),
    );
    return reviewed(object, request, reviewer, attributesOfReview(spec, userOf(spec)));
  };
}

/** Creates the operation of SelfSubjectRulesReview. The response does not repeat the spec. */
export function selfSubjectRulesReviewPerformer({ authorize }: Pick<AccessReviewer, 'authorize'>): Perform {
  return async (object, { context, admit }) => {
    const { spec } = object as ApiObject & SelfSubjectRulesReviewFields;
    const { namespace = '' } = spec;
    if (namespace === '') throw errors.badRequest('no namespace on request');
    await admit();
    const rules = await rulesOf(authorize, context.user, namespace);
    const { resourceRules, nonResourceRules, incomplete, error } = boundedRules(rules);
    const status = {
      resourceRules,
      nonResourceRules,
      incomplete,
      ...definedOnly({ evaluationError: error }),
    };
    return {
      kind: object.kind,
      apiVersion: object.apiVersion,
      metadata: { creationTimestamp: null },
      spec: {},
      status,
    };
  };
}

/** Returns a valid review with its result; at once, unless admission or the authorizer has to wait. */
function reviewed(
  object: ApiObject,
  { admit }: PerformRequest,
  { authorize }: AccessReviewer,
  attributes: Attributes,
): ApiObject | Promise<ApiObject> {
  return whenReady(admit(), () => whenReady(authorize(attributes), (decision) => withDecision(object, decision)));
}

/** Returns a review with its result. The members of a status are set one by one, which keeps one hidden class for each. */
function withDecision(object: ApiObject, { decision, reason, error }: Decision): ApiObject {
  const status: NonNullable<SubjectAccessReviewFields['status']> = { allowed: decision === 'Allow' };
  if (decision === 'Deny') status.denied = true;
  if (reason !== '') status.reason = reason;
  if (error !== undefined) status.evaluationError = error.message;
  const { kind, apiVersion, metadata } = object;
  return { kind, apiVersion, metadata, spec: object['spec'], status };
}

/** Drops the fields of a disabled feature gate. */
function dropSelectors({ resourceAttributes }: ReviewedAttributes, { withSelectors }: AccessReviewer): void {
  if (withSelectors || resourceAttributes === undefined) return;
  if (resourceAttributes.fieldSelector !== undefined) delete resourceAttributes.fieldSelector;
  if (resourceAttributes.labelSelector !== undefined) delete resourceAttributes.labelSelector;
}

const userOf = ({ user = '', groups = [], uid, extra }: Spec): UserInfo => ({
  username: user,
  groups,
  ...definedOnly({ uid, extra }),
});

/** Returns the attributes of the reviewed request. A missing version means all versions. */
export function attributesOfReview(
  { resourceAttributes, nonResourceAttributes }: ReviewedAttributes,
  user: UserInfo,
): Attributes {
  const {
    namespace = '',
    verb = '',
    group = '',
    version = '*',
    resource = '',
    subresource = '',
    name = '',
    fieldSelector,
    labelSelector,
  } = resourceAttributes ?? {};
  const isResource = resourceAttributes !== undefined;
  const attributes: Attributes = {
    user,
    verb: isResource ? verb : (nonResourceAttributes?.verb ?? ''),
    isResource,
    namespace,
    apiGroup: group,
    apiVersion: isResource ? version : '',
    resource,
    subresource,
    name,
    path: nonResourceAttributes?.path ?? '',
  };
  if (fieldSelector?.requirements === undefined && labelSelector?.requirements === undefined) return attributes;
  return {
    ...attributes,
    ...selectorOf('fieldSelector', fieldSelector?.requirements),
    ...selectorOf('labelSelector', labelSelector?.requirements),
  };
}

type Requirements = readonly {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}[];

function selectorOf(
  name: 'fieldSelector' | 'labelSelector',
  requirements: Requirements | undefined,
): Partial<Record<typeof name, readonly SelectorRequirement[]>> {
  if (requirements === undefined) return {};
  return { [name]: requirements.map(({ key, operator, values = [] }) => ({ key, operator, values })) };
}

/** Refuses an invalid review. As in Kubernetes, the error contains the group and no kind. @throws ApiError 422 */
function refuse({ context }: PerformRequest, ...problems: readonly (readonly FieldError[])[]): void {
  if (problems.some(({ length }) => length > 0))
    throw errors.invalid({ group: `authorization.${context.dialect.groupSuffix}`, kind: '' }, '', problems.flat());
}

function attributesErrors({ resourceAttributes, nonResourceAttributes }: ReviewedAttributes): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      invalid(
        'spec.nonResourceAttributes',
        nonResourceAttributes,
        'cannot be specified in combination with resourceAttributes',
      ),
      ...selectorErrors(resourceAttributes),
    ];
  }
  if (resourceAttributes !== undefined) return selectorErrors(resourceAttributes);
  if (nonResourceAttributes !== undefined) return NO_ERRORS;
  return [
    invalid(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

function userErrors({ user = '', groups = [] }: Spec): readonly FieldError[] {
  return user === '' && groups.length === 0
    ? [invalid('spec.user', user, 'at least one of user or group must be specified')]
    : NO_ERRORS;
}

/** Checks the metadata: a review must not have any, except those that the server sets. */
function metadataErrors(metadata: ObjectMeta, namespaced: boolean): readonly FieldError[] {
  const isGiven = (field: string): boolean =>
    field !== 'managedFields' &&
    !(namespaced && field === 'namespace') &&
    (metadata[field as keyof ObjectMeta] ?? null) !== null;
  for (const field in metadata) {
    if (!isGiven(field)) continue;
    const given = Object.fromEntries(Object.entries(metadata).filter(([name]) => isGiven(name)));
    return [invalid('metadata', given, namespaced ? 'must be empty except for namespace' : 'must be empty')];
  }
  return NO_ERRORS;
}

function localErrors(
  { resourceAttributes, nonResourceAttributes }: ReviewedAttributes,
  namespace: string,
): FieldError[] {
  const problems = new FieldErrorList();
  const reviewed = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && reviewed !== namespace)
    problems.push(invalid('spec.resourceAttributes.namespace', reviewed, 'must match metadata.namespace'));
  if (nonResourceAttributes !== undefined)
    problems.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'));
  return problems;
}
