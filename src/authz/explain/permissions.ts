import { combinedResource, type RuleAttributes } from '../rbac/rule-match.js';
import type { RuleManifest } from './manifests.js';

/**
 * Whether a rule may be narrowed to the name that a request has. A create has its object's name only by chance, and who may
 * delete a collection may delete what is not named; an operation on an object (`create` of `serviceaccounts/token`) has its name.
 */
export function isNameable(verb: string, subresource: string): boolean {
  return verb !== 'deletecollection' && (verb !== 'create' || subresource !== '');
}

/** The least rule that allows a request. */
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
