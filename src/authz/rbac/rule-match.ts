/**
 * Whether a rule allows a request. Plain functions on plain objects; {@link CompiledRules} decides the same, faster, for
 * rules that are asked often.
 *
 * @module
 */
import type { Attributes } from '../attributes.js';
import { ALL, type PolicyRule } from './types.js';

/** What of a request the rules look at. */
export type RuleAttributes = Pick<
  Attributes,
  'verb' | 'isResource' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'path'
>;

/** The resource as rules name it: `pods`, or `pods/log`. */
export function combinedResource(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

const hasOrAll = (list: readonly string[] | undefined, wanted: string): boolean =>
  list !== undefined && (list.includes(wanted) || list.includes(ALL));

/** True when the rule is for the resource: by `*`, by its name (`pods/log`), or by `*` and its subresource. */
export function resourceMatches(rule: PolicyRule, resource: string, subresource: string): boolean {
  const { resources } = rule;
  if (hasOrAll(resources, combinedResource(resource, subresource))) return true;
  return subresource !== '' && resources !== undefined && resources.includes(`*/${subresource}`);
}

/** What stands before the asterisks at the end of a path pattern; undefined when it has none. */
export function urlPrefix(pattern: string): string | undefined {
  if (!pattern.endsWith(ALL)) return undefined;
  let end = pattern.length - 1;
  while (end > 0 && pattern.charAt(end - 1) === ALL) end -= 1;
  return pattern.slice(0, end);
}

/** True when a path pattern is for a path: it is the path, or ends in `*` and what is before that begins the path. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  const prefix = urlPrefix(pattern);
  return prefix !== undefined && path.startsWith(prefix);
}

function nameMatches({ resourceNames }: PolicyRule, name: string): boolean {
  return resourceNames === undefined || resourceNames.length === 0 || resourceNames.includes(name);
}

/** True when one rule allows the request. */
export function ruleAllows(attributes: RuleAttributes, rule: PolicyRule): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource)
    return rule.nonResourceURLs?.some((pattern) => urlMatches(pattern, attributes.path)) ?? false;
  return (
    hasOrAll(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule, attributes.resource, attributes.subresource) &&
    nameMatches(rule, attributes.name)
  );
}

/** True when any of the rules allows the request. */
export function rulesAllow(attributes: RuleAttributes, rules: readonly PolicyRule[]): boolean {
  return rules.some((rule) => ruleAllows(attributes, rule));
}
