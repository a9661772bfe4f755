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
    values: omitted(3, atomicList(z.string()), { description: 'Values of In and NotIn; none for the others.' }),
  });

const selectorAttributes = (kind: 'Field' | 'Label') =>
  struct(`${kind}SelectorAttributes`, {
    rawSelector: omitted(1, z.string(), {
      description: 'The selector as a query has it; not looked at by this server.',
    }),
    requirements: omitted(2, atomicList(selectorRequirement(kind)), {
      description: 'Requirements of the selector; all hold.',
    }),
  });

/** What a request on a resource is authorized by. */
export const resourceAttributesSchema = once(() =>
  struct('ResourceAttributes', {
    namespace: omitted(1, z.string(), {
      description: 'Namespace of the request; empty for all of them, and for kinds without namespaces.',
    }),
    verb: omitted(2, z.string(), { description: 'A verb of the API, or "*" for all.' }),
    group: omitted(3, z.string(), { description: 'API group; empty for the core group, "*" for all.' }),
    version: omitted(4, z.string(), { description: 'Version; "*" for all.' }),
    resource: omitted(5, z.string(), { description: 'Plural name of the resource; "*" for all.' }),
    subresource: omitted(6, z.string(), { description: 'Name of the subresource; empty for none.' }),
    name: omitted(7, z.string(), { description: 'Name of the object; empty for all.' }),
    fieldSelector: optional(8, selectorAttributes('Field'), {
      description: 'What a list, watch or deletecollection is narrowed to by fields.',
    }),
    labelSelector: optional(9, selectorAttributes('Label'), {
      description: 'What a list, watch or deletecollection is narrowed to by labels.',
    }),
  }),
);

const nonResourceAttributesSchema = once(() =>
  struct('NonResourceAttributes', {
    path: omitted(1, z.string(), { description: 'Path of the URL.' }),
    verb: omitted(2, z.string(), { description: 'HTTP method in lower case.' }),
  }),
);

const what = () => ({
  resourceAttributes: optional(1, resourceAttributesSchema(), {
    description: 'A request on a resource; exactly one of this and nonResourceAttributes.',
  }),
  nonResourceAttributes: optional(2, nonResourceAttributesSchema(), {
    description: 'A request on a path that is no resource.',
  }),
});

const statusSchema = once(() =>
  struct('SubjectAccessReviewStatus', {
    allowed: always(1, z.boolean(), { description: 'The request would be allowed.' }),
    denied: omitted(4, z.boolean(), {
      description: 'The request would be denied, whatever another authorizer says. Neither is no opinion.',
    }),
    reason: omitted(2, z.string(), { description: 'Why it was allowed or denied.' }),
    evaluationError: omitted(3, z.string(), {
      description: 'What went wrong while it was decided; the decision holds nevertheless.',
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
          ...what(),
          user: omitted(3, z.string(), {
            description: 'Name of the user that is asked about; at least one of user and groups.',
          }),
          groups: omitted(4, atomicList(z.string()), { description: 'Groups of the user.' }),
          extra: omitted(5, mapOf(goNamed('v1.ExtraValue', atomicList(z.string()))), {
            description: 'Further facts about the user.',
          }),
          uid: omitted(6, z.string(), { description: 'Uid of the user.' }),
        }),
        { description: 'What is asked.' },
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
      spec: alwaysStruct(2, struct('SelfSubjectAccessReviewSpec', what()), { description: 'What is asked.' }),
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
    resourceNames: omitted(4, atomicList(z.string()), { description: 'Names; none for all.' }),
  });

const nonResourceRuleSchema = () =>
  struct('NonResourceRule', {
    verbs: always(1, atomicList(z.string()), { description: 'HTTP methods in lower case; "*" for all.' }),
    nonResourceURLs: omitted(2, atomicList(z.string()), {
      description: 'Paths; a trailing "*" stands for everything.',
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
          namespace: omitted(1, z.string(), { description: 'The namespace that is asked about.' }),
        }),
        {
          description: 'What is asked.',
        },
      ),
      status: alwaysStruct(
        3,
        struct('SubjectRulesReviewStatus', {
          resourceRules: always(1, atomicList(resourceRuleSchema()), {
            description: 'What the user may do with resources. The order says nothing.',
          }),
          nonResourceRules: always(2, atomicList(nonResourceRuleSchema()), {
            description: 'What the user may do with other paths. The order says nothing.',
          }),
          incomplete: always(3, z.boolean(), {
            description: 'There may be more: an authorizer cannot list its rules.',
          }),
          evaluationError: omitted(4, z.string(), { description: 'What went wrong while the rules were gathered.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** Fields of a SubjectAccessReview as the server works on it. */
export type SubjectAccessReviewFields = z.output<ReturnType<typeof subjectAccessReviewSchema>>;
/** Fields of a SelfSubjectAccessReview as the server works on it. */
export type SelfSubjectAccessReviewFields = z.output<ReturnType<typeof selfSubjectAccessReviewSchema>>;
/** Fields of a SelfSubjectRulesReview as the server works on it. */
export type SelfSubjectRulesReviewFields = z.output<ReturnType<typeof selfSubjectRulesReviewSchema>>;
