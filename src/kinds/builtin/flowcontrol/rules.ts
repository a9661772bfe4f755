import type { flowcontrolV1 } from '../../types/index.js';

type Rule = flowcontrolV1.PolicyRulesWithSubjects;
type Subject = flowcontrolV1.Subject;

const ALL = ['*'];

/** Returns subjects for users. */
export const users = (...names: readonly string[]): Subject[] =>
  names.map((name) => ({ kind: 'User', user: { name } }));

/** Returns subjects for groups. */
export const groups = (...names: readonly string[]): Subject[] =>
  names.map((name) => ({ kind: 'Group', group: { name } }));

/** Returns subjects for service accounts of a namespace; the name `*` stands for all of them. */
export const accounts = (namespace: string, ...names: readonly string[]): Subject[] =>
  names.map((name) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } }));

/** Returns a rule for resources in all namespaces, and for those without a namespace when `clusterScope` is set. */
export const resourceRule = (
  verbs: string[],
  group: string,
  resources: string[],
  clusterScope = false,
): flowcontrolV1.ResourcePolicyRule => ({
  ...{ verbs, apiGroups: [group], resources },
  ...(clusterScope ? { clusterScope } : {}),
  namespaces: ALL,
});

/** Returns the rule for all requests of subjects. */
export const everythingFor = (subjects: Subject[]): Rule => ({
  subjects,
  resourceRules: [resourceRule(ALL, '*', ALL, true)],
  nonResourceRules: [{ verbs: ALL, nonResourceURLs: ALL }],
});
