import { goQuote } from '../../../foundation/index.js';
import { combinedResource } from '../rbac/policy/rule-match.js';
import { ruleText } from '../rbac/rule-text.js';
import { describeSubject } from '../rbac/subjects.js';
import type { PolicyRule } from '../rbac/types.js';
import type {
  AccessExplanation,
  Aggregation,
  BindingTrial,
  ExplainedBinding,
  NearMiss,
  Opinion,
  Remedy,
} from './explanation.js';
import type { Miss, MissDimension } from './misses.js';
import type { RuleTrial } from './rule-misses.js';

/** Maximum number of shown items of a list. */
const MAX_ITEMS = 5;
/** Maximum number of shown words of each list of a rule. */
const MAX_WORDS = 20;
/** Maximum number of lines about tried bindings and rules. */
const MAX_LINES = 50;
/** Maximum characters of such a line: words have no limit. */
const MAX_LENGTH = 2_000;

function listed(items: readonly string[], show: (item: string) => string = goQuote): string {
  const shown = items.slice(0, MAX_ITEMS).map(show).join(', ');
  return items.length > MAX_ITEMS ? `${shown} and ${items.length - MAX_ITEMS} more` : shown;
}

const notAmong = (what: string, { wanted, offered }: Miss): string =>
  offered.length === 0 ? `it has no ${what} at all` : `${what} ${goQuote(wanted)} is not among ${listed(offered)}`;

const MISS_TEXTS: Readonly<Record<MissDimension, (miss: Miss) => string>> = {
  subject: ({ wanted, offered }) =>
    `it is for ${offered.length === 0 ? 'nobody' : listed(offered, (subject) => subject)}, not for ${goQuote(wanted)}`,
  namespace: ({ wanted, offered }) =>
    `it applies in namespace ${listed(offered)} only, but the request is ${wanted === '' ? 'for the whole cluster' : `in namespace ${goQuote(wanted)}`}`,
  role: ({ wanted }) => `its role ${goQuote(wanted)} does not exist`,
  rules: () => 'its role has no rules',
  kind: ({ wanted }) =>
    wanted === 'path'
      ? 'the rule is for resources, but the request is for a path'
      : 'the rule is for paths, but the request is for a resource',
  verb: (miss) => notAmong('verb', miss),
  apiGroup: (miss) => notAmong('API group', miss),
  resource: (miss) => notAmong('resource', miss),
  subresource: ({ wanted, offered }) =>
    wanted === ''
      ? `the rule is for a subresource, not for the resource: ${listed(offered)}`
      : `subresource ${goQuote(wanted)} is not among ${listed(offered)}`,
  name: (miss) =>
    miss.wanted === ''
      ? `the rule is for ${listed(miss.offered)} only, but the request has no name`
      : notAmong('name', miss),
  path: (miss) => notAmong('path', miss),
};

type WordList = Exclude<keyof PolicyRule, 'verbs'>;
const LISTS: readonly WordList[] = ['apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'];

/** Formats a rule on one line; long lists are shortened. */
function shortRule(rule: PolicyRule): string {
  const long = LISTS.filter((list) => (rule[list]?.length ?? 0) > MAX_WORDS);
  if (long.length === 0) return ruleText(rule);
  const left = long.reduce((sum, list) => sum + (rule[list]?.length ?? 0) - MAX_WORDS, 0);
  return `${ruleText({ ...rule, ...Object.fromEntries(long.map((list) => [list, rule[list]?.slice(0, MAX_WORDS)])) })} and ${left} more entries`;
}

/** Formats a miss: `verb "delete" is not among "get", "list"`. */
export function missText(miss: Miss): string {
  return MISS_TEXTS[miss.in](miss);
}

function bindingText({ kind, namespace, name, roleRef }: ExplainedBinding): string {
  return `${kind} ${goQuote(kind === 'RoleBinding' ? `${name}/${namespace}` : name)} of ${roleRef.kind} ${goQuote(roleRef.name)}`;
}

function headline({ attributes, allowed }: AccessExplanation): string {
  const { user, verb, isResource, namespace, apiGroup, resource, subresource, name, path } = attributes;
  const groups = user.groups.length === 0 ? '' : ` (groups ${listed(user.groups)})`;
  const who = `User ${goQuote(user.username)}${groups} ${allowed ? 'may' : 'may not'} ${verb}`;
  if (!isResource) return `${who} path ${goQuote(path)}.`;
  const what = `resource ${goQuote(combinedResource(resource, subresource))}${name === '' ? '' : ` ${goQuote(name)}`} in API group ${goQuote(apiGroup)}`;
  return `${who} ${what} ${namespace === '' ? 'at the cluster scope' : `in namespace ${goQuote(namespace)}`}.`;
}

const DECISION_TEXTS = { Allow: 'allows it', Deny: 'denies it', NoOpinion: 'has no opinion' } as const;

function opinionText({ name, decision, reason, error }: Opinion): string {
  const failure = error === undefined ? '' : ` (${error.message})`;
  return `${name} ${DECISION_TEXTS[decision]}${reason === '' ? '' : `: ${reason}`}${failure}`;
}

/** A rule for the other kind of request is only counted. */
const isOtherKind = ({ misses }: RuleTrial): boolean => misses.some((miss) => miss.in === 'kind');

function trialText({ rule, misses }: RuleTrial): string {
  return `  - ${shortRule(rule)}: ${misses.length === 0 ? 'allows it' : misses.map(missText).join('; ')}`;
}

function trialLines(tried: readonly BindingTrial[], omitted: number): string[] {
  const lines = tried.flatMap(({ binding, subject, rules }) => {
    const head = `- ${bindingText(binding)} to ${describeSubject(subject, binding.namespace)}`;
    if (rules === undefined) return [`${head}: the role does not exist`];
    const otherKind = rules.filter(isOtherKind);
    const words =
      otherKind[0] === undefined
        ? []
        : [
            `  - ${otherKind.length} of its rules: ${otherKind[0].misses.flatMap((miss) => (miss.in === 'kind' ? [missText(miss)] : [])).join('; ')}`,
          ];
    return [head, ...rules.filter((trial) => !isOtherKind(trial)).map(trialText), ...words];
  });
  const shown = lines.slice(0, MAX_LINES);
  const more = [
    ...(lines.length > shown.length ? [`- and ${lines.length - shown.length} more lines`] : []),
    ...(omitted > 0 ? [`- and ${omitted} more rules`] : []),
  ];
  return [...shown, ...more];
}

function aggregationText({ members, allowing }: Aggregation): string {
  const sum =
    members.length === 0 ? 'the role aggregates no existing cluster role' : `the role aggregates ${listed(members)}`;
  return allowing.length === 0
    ? `${sum}, and none of them allows it`
    : `${sum}; ${listed(allowing)} would allow it, but is not aggregated yet`;
}

function missLine({ binding, rule, misses, aggregation }: NearMiss, index: number): string {
  const which = `${index + 1}. ${bindingText(binding)}${rule === undefined ? '' : `, ${shortRule(rule)}`}`;
  return `${which}: ${[...misses.map(missText), ...(aggregation === undefined ? [] : [aggregationText(aggregation)])].join('; ')}`;
}

const remedyLines = ({ role, binding }: Remedy): string[] =>
  [role, binding].flatMap((object) => (object === undefined ? [] : [JSON.stringify(object)]));

const clipped = (line: string): string => (line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line);
const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];

/**
 * Formats an explanation: the request, each decision, and for a refused request the tried rules, the nearest misses,
 * and the objects to apply, one per line.
 */
export function explanationText(explanation: AccessExplanation): string {
  const { allowed, opinions, allowedBy, tried, omitted, nearestMisses, remedy } = explanation;
  return [
    headline(explanation),
    ...opinions.map(opinionText),
    ...(allowedBy === undefined ? [] : [`By the rule ${shortRule(allowedBy.rule)}`]),
    ...section('Tried:', allowed ? [] : trialLines(tried, omitted).map(clipped)),
    ...section('Nearest misses:', nearestMisses.map(missLine).map(clipped)),
    ...section('Least-privilege role that would allow it:', remedy === undefined ? [] : remedyLines(remedy)),
  ].join('\n');
}
