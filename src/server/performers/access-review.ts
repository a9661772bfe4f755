/**
 * Answers to questions about access (conventions.md, "Authorization").
 *
 * @module
 */
import type { Attributes, SelectorRequirement } from '../../authz/attributes.js';
import { rulesOf, type Authorizer, type Decision } from '../../authz/authorizer.js';
import { errors } from '../../meta/api-error.js';
import { definedOnly } from '../../meta/defined-only.js';
import { invalid, type FieldError } from '../../meta/field-error.js';
import type { ApiObject, ObjectMeta, UserInfo } from '../../meta/object.js';
import type { Perform, PerformRequest } from '../../registry/perform.js';
import type {
  SelfSubjectAccessReviewFields,
  SelfSubjectRulesReviewFields,
  SubjectAccessReviewFields,
} from '../../resources/index.js';
import { selectorErrors } from './review-selectors.js';

type Spec = NonNullable<SubjectAccessReviewFields['spec']>;
type Asked = Pick<Spec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** What answers reviews of access. */
export interface AccessReviewer {
  readonly authorize: Authorizer;
  /** Whether selectors of an asked request are looked at (gate AuthorizeWithSelectors). */
  readonly withSelectors: boolean;
}

/** Answers a SelfSubjectAccessReview. */
export function selfSubjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return async (object, request) => {
    const { spec = {} } = object as ApiObject & SelfSubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(request, [...askedErrors(spec), ...metadataErrors(object.metadata, false)]);
    await request.admit();
    return answered(object, await reviewer.authorize(attributesOfReview(spec, request.context.user)));
  };
}

/** Answers a SubjectAccessReview. */
export function subjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return async (object, request) => {
    const { spec = {} } = object as ApiObject & SubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(request, [...askedErrors(spec), ...userErrors(spec), ...metadataErrors(object.metadata, false)]);
    await request.admit();
    return answered(object, await reviewer.authorize(attributesOfReview(spec, userOf(spec))));
  };
}

/** Answers a LocalSubjectAccessReview, which asks about its own namespace alone. */
export function localSubjectAccessReviewPerformer(reviewer: AccessReviewer): Perform {
  return async (object, request) => {
    const { spec = {} } = object as ApiObject & SubjectAccessReviewFields;
    dropSelectors(spec, reviewer);
    refuse(request, [
      ...askedErrors(spec),
      ...userErrors(spec),
      ...metadataErrors(object.metadata, true),
      ...localErrors(spec, request.namespace),
    ]);
    await request.admit();
    return answered(object, await reviewer.authorize(attributesOfReview(spec, userOf(spec))));
  };
}

/** Answers a SelfSubjectRulesReview. What was asked is not in the answer. */
export function selfSubjectRulesReviewPerformer({ authorize }: Pick<AccessReviewer, 'authorize'>): Perform {
  return async (object, { context, admit }) => {
    const { spec = {} } = object as ApiObject & SelfSubjectRulesReviewFields;
    const { namespace = '' } = spec;
    if (namespace === '') throw errors.badRequest('no namespace on request');
    await admit();
    const { resourceRules, nonResourceRules, incomplete, error } = await rulesOf(authorize, context.user, namespace);
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

function answered(object: ApiObject, { decision, reason, error }: Decision): ApiObject {
  return {
    ...object,
    status: {
      allowed: decision === 'Allow',
      ...(decision === 'Deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
      ...definedOnly({ evaluationError: error?.message }),
    },
  };
}

/** A field that belongs to a gate is as if it were not there while the gate is off. */
function dropSelectors({ resourceAttributes }: Asked, { withSelectors }: AccessReviewer): void {
  if (withSelectors || resourceAttributes === undefined) return;
  delete resourceAttributes.fieldSelector;
  delete resourceAttributes.labelSelector;
}

const userOf = ({ user = '', groups = [], uid, extra }: Spec): UserInfo => ({
  username: user,
  groups,
  ...definedOnly({ uid, extra }),
});

/** The request that is asked about. A version that is not named stands for all. */
export function attributesOfReview({ resourceAttributes, nonResourceAttributes }: Asked, user: UserInfo): Attributes {
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
  return {
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

/** Production names the group of the reviews here, and no kind. @throws ApiError 422 */
function refuse({ context }: PerformRequest, problems: readonly FieldError[]): void {
  if (problems.length > 0)
    throw errors.invalid({ group: `authorization.${context.dialect.groupSuffix}`, kind: '' }, '', problems);
}

function askedErrors({ resourceAttributes, nonResourceAttributes }: Asked): FieldError[] {
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
  if (nonResourceAttributes !== undefined) return [];
  return [
    invalid(
      'spec.resourceAttributes',
      null,
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

function userErrors({ user = '', groups = [] }: Spec): FieldError[] {
  return user === '' && groups.length === 0
    ? [invalid('spec.user', user, 'at least one of user or group must be specified')]
    : [];
}

/** Metadata make no sense on a question: only what the server itself has put there may be. */
function metadataErrors(metadata: ObjectMeta, namespaced: boolean): FieldError[] {
  const allowed = new Set(['managedFields', ...(namespaced ? ['namespace'] : [])]);
  const given = Object.entries(metadata).filter(
    ([field, value]) => !allowed.has(field) && value !== undefined && value !== null,
  );
  if (given.length === 0) return [];
  return [
    invalid('metadata', Object.fromEntries(given), namespaced ? 'must be empty except for namespace' : 'must be empty'),
  ];
}

function localErrors({ resourceAttributes, nonResourceAttributes }: Asked, namespace: string): FieldError[] {
  const problems: FieldError[] = [];
  const asked = resourceAttributes?.namespace ?? '';
  if (resourceAttributes !== undefined && asked !== namespace)
    problems.push(invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  if (nonResourceAttributes !== undefined)
    problems.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'));
  return problems;
}
