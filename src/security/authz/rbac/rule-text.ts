import { appendAll, goQuote } from '../../../foundation/index.js';
import type { PolicyRule } from './types.js';

/** Formats a list: `["a" "b"]`. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map(goQuote).join(' ')}]`;
}

/**
 * Formats a rule as Kubernetes does: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. Empty lists are left out.
 */
export function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const lists = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  const shown = lists.flatMap(([name, list]) =>
    list === undefined || list.length === 0 ? [] : [`${name}:${quotedList(list)}`],
  );
  return `{${shown.join(', ')}}`;
}

/**
 * Returns a key of the rule's resource when it has one group, one resource and at most one name; otherwise undefined.
 */
function simpleResource({
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string | undefined {
  if (resourceNames.length > 1 || nonResourceURLs.length > 0 || apiGroups.length !== 1 || resources.length !== 1)
    return undefined;
  return JSON.stringify([apiGroups, resources, resourceNames]);
}

/** Merges the verbs of rules on the same single resource. Other rules are unchanged and come first. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const key = simpleResource(rule);
    const known = key === undefined ? undefined : simple.get(key);
    if (key === undefined) others.push(rule);
    else if (known === undefined) simple.set(key, { ...rule, verbs: [...rule.verbs] });
    else appendAll(known.verbs, rule.verbs);
  }
  return [...others, ...simple.values()];
}
