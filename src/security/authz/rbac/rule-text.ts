import { appendAll, goQuote, grouped, type Steps, type Work } from '../../../foundation/index.js';
import type { PolicyRule } from './types.js';

/** Most characters of a name, and most names of a list, that a text shows: neither has a limit in a rule. */
const MAX_NAME = 512;
const MAX_NAMES = 400;

const quotedName = (name: string): string =>
  name.length > MAX_NAME
    ? `${goQuote(name.slice(0, MAX_NAME))}… (${grouped(name.length - MAX_NAME)} more)`
    : goQuote(name);

/** Formats a list: `["a" "b"]`. Shows the beginning of a long one, and of a long name. */
export function quotedList(items: readonly string[]): string {
  const shown = items.slice(0, MAX_NAMES).map(quotedName).join(' ');
  return items.length > MAX_NAMES ? `[${shown} … (${grouped(items.length - MAX_NAMES)} more)]` : `[${shown}]`;
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

/** A rule on one resource, with verbs that can be added. */
type SimpleRule = PolicyRule & { readonly verbs: string[] };
/** The rules on single resources, by group, resource and name (undefined: every name). Names have no limit of length. */
type SimpleRules = Map<string, Map<string, Map<string | undefined, SimpleRule>>>;

/** Returns the rules on a resource, by name, when the rule has one group, one resource and at most one name. */
function simpleResource(simple: SimpleRules, rule: PolicyRule): Map<string | undefined, SimpleRule> | undefined {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const [group] = apiGroups;
  const [resource] = resources;
  if (group === undefined || resource === undefined || apiGroups.length > 1 || resources.length > 1) return undefined;
  if (resourceNames.length > 1 || nonResourceURLs.length > 0) return undefined;
  let ofGroup = simple.get(group);
  if (ofGroup === undefined) simple.set(group, (ofGroup = new Map<string, Map<string | undefined, SimpleRule>>()));
  let ofResource = ofGroup.get(resource);
  if (ofResource === undefined) ofGroup.set(resource, (ofResource = new Map<string | undefined, SimpleRule>()));
  return ofResource;
}

/** Units of work to merge a rule. */
const RULE_UNITS = 12;

/** Merges the verbs of rules on the same single resource, in steps. Other rules are unchanged and come first. */
export function* compactRules(rules: readonly PolicyRule[], work: Work): Steps<PolicyRule[]> {
  const others: PolicyRule[] = [];
  const merged: PolicyRule[] = [];
  const simple: SimpleRules = new Map();
  for (const rule of rules) {
    if (work.spend(RULE_UNITS)) yield;
    const byName = simpleResource(simple, rule);
    const name = rule.resourceNames?.[0];
    const known = byName?.get(name);
    if (byName === undefined) others.push(rule);
    else if (known === undefined) {
      const first = { ...rule, verbs: [...rule.verbs] };
      byName.set(name, first);
      merged.push(first);
    } else appendAll(known.verbs, rule.verbs);
  }
  appendAll(others, merged);
  return others;
}
