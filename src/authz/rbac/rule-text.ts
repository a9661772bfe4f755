import { goQuote } from '../../meta/go-text.js';
import type { PolicyRule } from './types.js';

/** Texts in quotes and brackets, with blanks between: `["a" "b"]`. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map(goQuote).join(' ')}]`;
}

/** A rule on one line, as production shows it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. Empty lists are left out. */
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

/** What a rule is about when it is about one resource of one group, and at most one name; undefined otherwise. */
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

/** Puts rules about the same one resource together, with the verbs of all of them. Other rules stay as they are, and come first. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const key = simpleResource(rule);
    const known = key === undefined ? undefined : simple.get(key);
    if (key === undefined) others.push(rule);
    else if (known === undefined) simple.set(key, { ...rule, verbs: [...rule.verbs] });
    else known.verbs.push(...rule.verbs);
  }
  return [...others, ...simple.values()];
}
