import { appendTo, type Dialect, type UserInfo } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import { CompiledRules } from '../rbac/policy/compiled-rules.js';
import type { RuleAttributes } from '../rbac/policy/rule-match.js';
import { ALL } from '../rbac/types.js';
import {
  bindingManifest,
  freeName,
  nameOfUser,
  objectName,
  roleManifest,
  subjectOf,
  type BindingManifest,
  type RoleManifest,
  type RuleManifest,
} from './manifests.js';
import { isNameable, leastRule } from './permissions.js';

/** Verbs in conventional order; others follow. */
const VERB_ORDER: ReadonlyMap<string, number> = new Map(
  ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'].map((verb, index) => [
    verb,
    index,
  ]),
);

function compareVerbs(a: string, b: string): number {
  const places = (VERB_ORDER.get(a) ?? VERB_ORDER.size) - (VERB_ORDER.get(b) ?? VERB_ORDER.size);
  return places !== 0 ? places : a < b ? -1 : 1;
}

type RuleList = 'verbs' | 'apiGroups' | 'resources' | 'resourceNames' | 'nonResourceURLs';

/** Order in which lists are merged: first those that people expect in one rule. */
const MERGED: readonly RuleList[] = ['verbs', 'resourceNames', 'nonResourceURLs', 'resources', 'apiGroups'];

/**
 * Merges rules that differ in this list only. A rule allows the product of its lists, so the merged rule allows exactly
 * what the rules allowed. A rule without names allows every name and is not merged with a rule that has names.
 */
function merged(rules: readonly RuleManifest[], list: RuleList): RuleManifest[] {
  const byRest = new Map<string, { readonly rule: RuleManifest; readonly items: Set<string> | undefined }>();
  for (const rule of rules) {
    const items = rule[list];
    const key = JSON.stringify([items === undefined, ...MERGED.map((other) => (other === list ? null : rule[other]))]);
    const known = byRest.get(key);
    if (known === undefined) byRest.set(key, { rule, items: items && new Set(items) });
    else for (const item of items ?? []) known.items?.add(item);
  }
  const order = list === 'verbs' ? compareVerbs : undefined;
  return [...byRest.values()].map(({ rule, items }) =>
    items === undefined ? rule : { ...rule, [list]: [...items].sort(order) },
  );
}

/** Sorts rules on paths after those on resources, and rules on names after those on every name. */
const textOf = ({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: RuleManifest): string =>
  JSON.stringify([
    nonResourceURLs === undefined ? 0 : 1,
    apiGroups,
    resources,
    resourceNames === undefined ? 0 : 1,
    resourceNames,
    nonResourceURLs,
    verbs,
  ]);

/**
 * Returns the fewest rules that allow exactly the given requests. A rule has names only where the verb supports names,
 * and equal rules are merged. Requests that contain a literal `*` are left out: no object is at `/api/v1/*`, and its
 * rule would allow everything.
 */
export function leastRules(requests: Iterable<RuleAttributes>): RuleManifest[] {
  const all = [...requests].filter(isExact);
  const everyName = new Set(all.filter(isForEveryName).map(permissionKey));
  // A rule for every name makes a rule for one name redundant.
  const isNarrower = (request: RuleAttributes): boolean =>
    request.isResource && !isForEveryName(request) && everyName.has(permissionKey(request));
  let rules = all.filter((request) => !isNarrower(request)).map(leastRule);
  for (let before = Infinity; rules.length < before;) {
    before = rules.length;
    for (const list of MERGED) rules = merged(rules, list);
  }
  return rules.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** True when the rule for a request allows that request alone. */
function isExact({ verb, isResource, apiGroup, resource, path }: RuleAttributes): boolean {
  return verb !== ALL && (isResource ? apiGroup !== ALL && resource !== ALL : !path.endsWith(ALL));
}

const isForEveryName = ({ isResource, name, verb, subresource }: RuleAttributes): boolean =>
  isResource && (name === '' || !isNameable(verb, subresource));

const permissionKey = ({ verb, apiGroup, resource, subresource }: RuleAttributes): string =>
  JSON.stringify([verb, apiGroup, resource, subresource]);

/** Options of {@link leastRoles}. */
export interface LeastRolesOptions {
  readonly dialect: Dialect;
  /** Name of the roles and bindings; default `<user>-access`. Later users get a number. */
  readonly name?: string | undefined;
}

/** A role and its binding to the user. */
export interface LeastRole {
  readonly role: RoleManifest;
  /** Absent when the user has neither a name nor a group to bind to. */
  readonly binding?: BindingManifest | undefined;
}

/**
 * Returns the least-privilege roles for requests. Each user (by name) gets one ClusterRole for cluster-scoped and
 * cluster-wide requests and for paths, and one Role per namespace.
 */
export function leastRoles(requests: Iterable<Attributes>, options: LeastRolesOptions): LeastRole[] {
  const byUser = new Map<string, Attributes[]>();
  for (const request of requests) appendTo(byUser, request.user.username, request);
  const taken = new Set<string>();
  return [...byUser.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : leastRolesOf(first.user, own, options, taken);
  });
}

function leastRolesOf(
  user: UserInfo,
  requests: readonly Attributes[],
  { dialect, name: wanted }: LeastRolesOptions,
  taken: Set<string>,
): LeastRole[] {
  const name = freeName(wanted ?? objectName([nameOfUser(user), 'access']), (candidate) => taken.has(candidate));
  taken.add(name);
  const subject = subjectOf(dialect, user);
  return [...rulesByNamespace(requests)].map(([namespace, rules]) => {
    const role = roleManifest(dialect, namespace, name, rules);
    return subject === undefined ? { role } : { role, binding: bindingManifest(dialect, role, name, subject) };
  });
}

/** Returns rules by namespace, cluster-wide ones (empty) first. Namespaces do not repeat cluster-wide rules. */
function rulesByNamespace(requests: readonly Attributes[]): Map<string, RuleManifest[]> {
  const byNamespace = new Map<string, Attributes[]>();
  for (const request of requests) appendTo(byNamespace, request.isResource ? request.namespace : '', request);
  const everywhere = leastRules(byNamespace.get('') ?? []);
  const allowed = new CompiledRules(everywhere);
  const found = new Map<string, RuleManifest[]>(everywhere.length === 0 ? [] : [['', everywhere]]);
  for (const namespace of [...byNamespace.keys()].filter((key) => key !== '').sort()) {
    const rules = leastRules((byNamespace.get(namespace) ?? []).filter((request) => !allowed.allow(request)));
    if (rules.length > 0) found.set(namespace, rules);
  }
  return found;
}
