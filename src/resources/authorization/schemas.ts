import * as z from 'zod';
import {
  always,
  alwaysStruct,
  atomicList,
  goNamed,
  optional,
  mapOf,
  omitted,
  struct,
} from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

const selectorRequirement = (kind: 'Field' | 'Label') =>
  struct(`${kind}SelectorRequirement`, {
    key: always(1, z.string(), { description: 'Label key, or path of the field.' }),
    operator: always(2, goNamed(`v1.${kind}SelectorOperator`, z.string()), {
      description: 'In, NotIn, Exists or DoesNotExist.',
    }),
    values: omitted(3, atomicList(z.string()), {
      description: 'Values of In and NotIn; empty for the other operators.',
    }),
  });

const selectorAttributes = (kind: 'Field' | 'Label') =>
  struct(`${kind}SelectorAttributes`, {
    rawSelector: omitted(1, z.string(), {
      description: 'The selector in query form; ignored by this server.',
    }),
    requirements: omitted(2, atomicList(selectorRequirement(kind)), {
      description: 'Requirements of the selector. All must match.',
    }),
  });

/** The attributes by which a resource request is authorized. */
export const resourceAttributesSchema = once(() =>
  struct('ResourceAttributes', {
    namespace: omitted(1, z.string(), {
      description: 'Namespace of the request; empty for all namespaces and for cluster-scoped kinds.',
    }),
    verb: omitted(2, z.string(), { description: 'A verb of the API, or "*" for all.' }),
    group: omitted(3, z.string(), { description: 'API group; empty for the core group, "*" for all.' }),
    version: omitted(4, z.string(), { description: 'Version; "*" for all.' }),
    resource: omitted(5, z.string(), { description: 'Plural name of the resource; "*" for all.' }),
    subresource: omitted(6, z.string(), { description: 'Name of the subresource; empty for none.' }),
    name: omitted(7, z.string(), { description: 'Name of the object; empty for all.' }),
    fieldSelector: optional(8, selectorAttributes('Field'), {
      description: 'Field selector of a list, watch or deletecollection.',
    }),
    labelSelector: optional(9, selectorAttributes('Label'), {
      description: 'Label selector of a list, watch or deletecollection.',
    }),
  }),
);

const nonResourceAttributesSchema = once(() =>
  struct('NonResourceAttributes', {
    path: omitted(1, z.string(), { description: 'Path of the URL.' }),
    verb: omitted(2, z.string(), { description: 'HTTP method in lower case.' }),
  }),
);

const requestAttributes = () => ({
  resourceAttributes: optional(1, resourceAttributesSchema(), {
    description: 'A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set.',
  }),
  nonResourceAttributes: optional(2, nonResourceAttributesSchema(), {
    description: 'A request for a path that is not a resource.',
  }),
});

const statusSchema = once(() =>
  struct('SubjectAccessReviewStatus', {
    allowed: always(1, z.boolean(), { description: 'The request would be allowed.' }),
    denied: omitted(4, z.boolean(), {
      description:
        'The request would be denied, whatever another authorizer decides. Neither allowed nor denied means no opinion.',
    }),
    reason: omitted(2, z.string(), { description: 'The reason why the request was allowed or denied.' }),
    evaluationError: omitted(3, z.string(), {
      description: 'An error of the evaluation; the decision is valid nevertheless.',
    }),
  }),
);

const reviewStatus = () => alwaysStruct(3, statusSchema(), { description: 'Filled in by the server.' });

/** Fields of SubjectAccessReview and LocalSubjectAccessReview. */
export const subjectAccessReviewSchema = (kind: string) =>
  struct(
    kind,
    {
      spec: alwaysStruct(
        2,
        struct('SubjectAccessReviewSpec', {
          ...requestAttributes(),
          user: omitted(3, z.string(), {
            description: 'Name of the user to check. At least one of user and groups must be set.',
          }),
          groups: omitted(4, atomicList(z.string()), { description: 'Groups of the user.' }),
          extra: omitted(5, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
            description: 'Additional information about the user.',
          }),
          uid: omitted(6, z.string(), { description: 'Uid of the user.' }),
        }),
        { description: 'The request to check.' },
      ),
      status: reviewStatus(),
    },
    { publishedRequired: ['spec'] },
  );

/** Fields of SelfSubjectAccessReview. */
export const selfSubjectAccessReviewSchema = once(() =>
  struct(
    'SelfSubjectAccessReview',
    {
      spec: alwaysStruct(2, struct('SelfSubjectAccessReviewSpec', requestAttributes()), {
        description: 'The request to check.',
      }),
      status: reviewStatus(),
    },
    { publishedRequired: ['spec'] },
  ),
);

const resourceRuleSchema = () =>
  struct('ResourceRule', {
    verbs: always(1, atomicList(z.string()), { description: 'Verbs; "*" for all.' }),
    apiGroups: omitted(2, atomicList(z.string()), { description: 'API groups; "*" for all.' }),
    resources: omitted(3, atomicList(z.string()), { description: 'Resources; "*" for all.' }),
    resourceNames: omitted(4, atomicList(z.string()), { description: 'Object names; empty for all.' }),
  });

const nonResourceRuleSchema = () =>
  struct('NonResourceRule', {
    verbs: always(1, atomicList(z.string()), { description: 'HTTP methods in lower case; "*" for all.' }),
    nonResourceURLs: omitted(2, atomicList(z.string()), {
      description: 'Paths; a trailing "*" matches everything.',
    }),
  });

/** Fields of SelfSubjectRulesReview. */
export const selfSubjectRulesReviewSchema = once(() =>
  struct(
    'SelfSubjectRulesReview',
    {
      spec: alwaysStruct(
        2,
        struct('SelfSubjectRulesReviewSpec', {
          namespace: omitted(1, z.string(), { description: 'The namespace to check.' }),
        }),
        {
          description: 'The rules to list.',
        },
      ),
      status: alwaysStruct(
        3,
        struct('SubjectRulesReviewStatus', {
          resourceRules: always(1, atomicList(resourceRuleSchema()), {
            description: 'Rules of the user for resources. The order has no meaning.',
          }),
          nonResourceRules: always(2, atomicList(nonResourceRuleSchema()), {
            description: 'Rules of the user for other paths. The order has no meaning.',
          }),
          incomplete: always(3, z.boolean(), {
            description: 'The list may be incomplete: an authorizer cannot list its rules.',
          }),
          evaluationError: omitted(4, z.string(), { description: 'An error of the evaluation.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** The decoded fields of a SubjectAccessReview. */
export type SubjectAccessReviewFields = z.output<ReturnType<typeof subjectAccessReviewSchema>>;
/** The decoded fields of a SelfSubjectAccessReview. */
export type SelfSubjectAccessReviewFields = z.output<ReturnType<typeof selfSubjectAccessReviewSchema>>;
/** The decoded fields of a SelfSubjectRulesReview. */
export type SelfSubjectRulesReviewFields = z.output<ReturnType<typeof selfSubjectRulesReviewSchema>>;
