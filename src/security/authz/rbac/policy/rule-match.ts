/**
 * Decides whether a rule allows a request. These are plain functions on plain objects; {@link CompiledRules} makes the
 * same decisions faster for rules in frequent use.
 *
 * @module
 */
import type { Attributes } from '../../attributes.js';
import { ALL, type PolicyRule } from '../types.js';

/** The attributes that rules read. */
export type RuleAttributes = Pick<
  Attributes,
  'verb' | 'isResource' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'path'
>;

/** Returns the resource in the form of rules: `pods`, or `pods/log`. */
export function combinedResource(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

const hasOrAll = (list: readonly string[] | undefined, wanted: string): boolean =>
  list !== undefined && (list.includes(wanted) || list.includes(ALL));

/** True when the rule covers the resource: by `*`, by its name (`pods/log`), or by `*` and its subresource. */
export function resourceMatches(rule: PolicyRule, resource: string, subresource: string): boolean {
  const { resources } = rule;
  if (hasOrAll(resources, combinedResource(resource, subresource))) return true;
  return subresource !== '' && resources !== undefined && resources.includes(`*/${subresource}`);
}

/** Returns the part of a path pattern before its final asterisks, or undefined when it has none. */
export function urlPrefix(pattern: string): string | undefined {
  if (!pattern.endsWith(ALL)) return undefined;
  let end = pattern.length - 1;
  while (end > 0 && pattern.charAt(end - 1) === ALL) end -= 1;
  return pattern.slice(0, end);
}

/** True when a path pattern matches a path: both are equal, or the pattern is a prefix with a final `*`. */
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
