import { combinedResource, type RuleAttributes } from '../rbac/policy/rule-match.js';
import type { RuleManifest } from './manifests.js';

/**
 * True when a rule can be restricted to the request's object name. A create has no reliable name, and the right to
 * delete a collection covers other objects. An operation on an object (`create` of `serviceaccounts/token`) has the
 * object's name.
 */
export function isNameable(verb: string, subresource: string): boolean {
  return verb !== 'deletecollection' && (verb !== 'create' || subresource !== '');
}

/** Returns the least-privilege rule that allows a request. */
export function leastRule({
  verb,
  isResource,
  apiGroup,
  resource,
  subresource,
  name,
  path,
}: RuleAttributes): RuleManifest {
  if (!isResource) return { verbs: [verb], nonResourceURLs: [path] };
  const rule = { verbs: [verb], apiGroups: [apiGroup], resources: [combinedResource(resource, subresource)] };
  return name !== '' && isNameable(verb, subresource) ? { ...rule, resourceNames: [name] } : rule;
}
