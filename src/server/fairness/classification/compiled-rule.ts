import type { UserInfo } from '../../../foundation/index.js';
import type { flowcontrolV1 } from '../../../kinds/index.js';

/** The part of a user that flow schemas read. */
export type ClassifiedUser = Pick<UserInfo, 'username' | 'groups'>;

/** The part of a request that flow schemas read. The server's RequestInfo has these members. */
export interface ClassifiedRequest {
  /** Whether the request is for a resource: rules for resources decide it, otherwise rules for paths. */
  readonly isResource: boolean;
  /** API verb of a resource request; HTTP method in lower case of any other request. */
  readonly verb: string;
  /** API group of the resource; the core group is the empty string. */
  readonly group: string;
  /** Resource, such as `pods`. */
  readonly resource: string;
  /** Subresource, such as `status`; empty for the object itself. */
  readonly subresource: string;
  /** Namespace; empty for a request in all namespaces or for a cluster-scoped resource. */
  readonly namespace: string;
  /** Decoded path. It decides requests that are not for resources. */
  readonly path: string;
}

/** A rule of a flow schema without its subjects, prepared for matching: `undefined` stands for a wildcard. */
export interface CompiledRule {
  readonly resources: readonly CompiledResourceRule[];
  readonly paths: readonly CompiledPathRule[];
}

type Names = ReadonlySet<string> | undefined;

interface CompiledResourceRule {
  readonly verbs: Names;
  readonly groups: Names;
  /** Resources such as `pods`, and subresources such as `pods/status`. */
  readonly resources: Names;
  readonly hasClusterScope: boolean;
  readonly namespaces: Names;
}

interface CompiledPathRule {
  readonly verbs: Names;
  readonly paths: { readonly exact: ReadonlySet<string>; readonly prefixes: readonly string[] } | undefined;
}

const ALL = '*';

const isAll = (values: readonly string[]): boolean => values.length === 1 && values[0] === ALL;
const names = (values: readonly string[]): Names => (isAll(values) ? undefined : new Set(values));

/** Prepares a rule of a flow schema for requests of its subjects. */
export function compileRule(rule: flowcontrolV1.PolicyRulesWithSubjects): CompiledRule {
  return {
    resources: (rule.resourceRules ?? []).map(compileResourceRule),
    paths: (rule.nonResourceRules ?? []).map(compilePathRule),
  };
}

function compileResourceRule(rule: flowcontrolV1.ResourcePolicyRule): CompiledResourceRule {
  const { verbs, apiGroups, resources, clusterScope, namespaces } = rule;
  return {
    verbs: names(verbs),
    groups: names(apiGroups),
    resources: names(resources),
    hasClusterScope: clusterScope === true,
    namespaces: names(namespaces ?? []),
  };
}

/** A path without a final `*` matches the paths below it too, as in Kubernetes. */
function compilePathRule({ verbs, nonResourceURLs }: flowcontrolV1.NonResourcePolicyRule): CompiledPathRule {
  const prefixes = nonResourceURLs.map((url) => url.replace(/\*$/, '').replace(/\/?$/, '/'));
  const paths = nonResourceURLs.includes(ALL) ? undefined : { exact: new Set(nonResourceURLs), prefixes };
  return { verbs: names(verbs), paths };
}

/** Returns whether a rule matches a request of one of its subjects. */
export function ruleMatches(rule: CompiledRule, request: ClassifiedRequest): boolean {
  if (request.isResource) {
    for (const resource of rule.resources) if (resourceMatches(resource, request)) return true;
  } else {
    for (const path of rule.paths) if (pathMatches(path, request)) return true;
  }
  return false;
}

function resourceMatches(rule: CompiledResourceRule, request: ClassifiedRequest): boolean {
  if (rule.verbs?.has(request.verb) === false || rule.groups?.has(request.group) === false) return false;
  const { resource, subresource } = request;
  if (rule.resources?.has(subresource === '' ? resource : `${resource}/${subresource}`) === false) return false;
  return request.namespace === '' ? rule.hasClusterScope : rule.namespaces?.has(request.namespace) !== false;
}

function pathMatches({ verbs, paths }: CompiledPathRule, { verb, path }: ClassifiedRequest): boolean {
  if (verbs?.has(verb) === false) return false;
  if (paths === undefined || paths.exact.has(path)) return true;
  for (const prefix of paths.prefixes) if (path.startsWith(prefix)) return true;
  return false;
}
