import { appendTo, errors } from '../../../foundation/index.js';
import { namesOf, type Names } from './policy/compiled-rules.js';
import { urlPrefix } from './policy/rule-match.js';
import { ALL, type PolicyRule } from './types.js';

/** The result of {@link coveringRules}. */
export interface Covering {
  readonly covered: boolean;
  /** Uncovered permissions: one verb on one resource or path each, in the order of the requested rules. */
  readonly uncovered: PolicyRule[];
}

/** Options of {@link coveringRules}. */
export interface CoveringOptions {
  /**
   * Maximum number of single permissions (group × resource × verb × name) in the requested rules, apart from rules that
   * one owned rule covers completely. Default 100,000.
   */
  readonly maxPermissions?: number | undefined;
}

const MAX_PERMISSIONS = 100_000;

const hasAll = (names: Names, wanted: readonly string[]): boolean =>
  names === undefined || wanted.every((name) => names.has(name));

/** Returns `*` with the subresource of a resource, or undefined when it has none. */
function ofEveryResource(resource: string): string | undefined {
  const slash = resource.indexOf('/');
  return slash === -1 ? undefined : `*${resource.slice(slash)}`;
}

/** A set of path patterns. A lookup needs one comparison per distinct prefix length. */
class PathPatterns {
  readonly #patterns = new Set<string>();
  readonly #prefixes = new Set<string>();
  readonly #lengths = new Set<number>();

  add(pattern: string): void {
    this.#patterns.add(pattern);
    const prefix = urlPrefix(pattern);
    if (prefix === undefined) return;
    this.#prefixes.add(prefix);
    this.#lengths.add(prefix.length);
  }

  match(path: string): boolean {
    if (this.#patterns.has(path)) return true;
    for (const length of this.#lengths)
      if (length <= path.length && this.#prefixes.has(path.slice(0, length))) return true;
    return false;
  }
}

/** A rule that the user holds. */
class OwnedRule {
  readonly verbs: Names;
  readonly groups: Names;
  readonly resources: Names;
  /** Undefined: every name. */
  readonly names: Names;
  readonly paths = new PathPatterns();

  constructor({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
    this.verbs = namesOf(verbs);
    this.groups = namesOf(apiGroups);
    this.resources = namesOf(resources);
    this.names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
    for (const pattern of nonResourceURLs) this.paths.add(pattern);
  }

  /** True when this rule allows everything that the other rule allows. */
  covers({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): boolean {
    return (
      hasAll(this.verbs, verbs) &&
      hasAll(this.groups, apiGroups) &&
      this.#coversResources(resources) &&
      (this.names === undefined || (resourceNames.length > 0 && hasAll(this.names, resourceNames))) &&
      nonResourceURLs.every((path) => this.paths.match(path))
    );
  }

  #coversResources(wanted: readonly string[]): boolean {
    const { resources } = this;
    if (resources === undefined) return true;
    return wanted.every((resource) => {
      const every = ofEveryResource(resource);
      return resources.has(resource) || (every !== undefined && resources.has(every));
    });
  }

  /** Returns the keys of the rule's permissions, or undefined when there are too many. */
  keys(): readonly string[] | undefined {
    const [verbs, groups, resources] = [this.verbs, this.groups, this.resources].map((names) =>
      names === undefined ? [ALL] : [...names],
    ) as [string[], string[], string[]];
    const names = this.names === undefined ? [''] : [...this.names];
    if (verbs.length * groups.length * resources.length * names.length > MAX_KEYS) return undefined;
    return verbs.flatMap((verb) =>
      groups.flatMap((group) =>
        resources.flatMap((resource) => names.map((name) => permissionKey(verb, group, resource, name))),
      ),
    );
  }
}

/** Maximum number of listed permissions of one owned rule. */
const MAX_KEYS = 256;

const permissionKey = (verb: string, group: string, resource: string, name: string): string =>
  `${verb}\n${group}\n${resource}\n${name}`;

/** Owned rules by their permissions, so that a permission is compared with few of them. */
class OwnedRules {
  readonly #byPermission = new Map<string, OwnedRule[]>();
  /** Rules with too many permissions to list. */
  readonly #wide: OwnedRule[] = [];
  readonly #forPaths: OwnedRule[] = [];
  readonly #pathsByVerb = new Map<string, PathPatterns>();
  readonly #tooMany: () => Error;
  #comparisons = 0;

  constructor(rules: readonly PolicyRule[], tooMany: () => Error) {
    this.#tooMany = tooMany;
    for (const rule of rules) {
      const owned = new OwnedRule(rule);
      if ((rule.nonResourceURLs?.length ?? 0) > 0) this.#addPaths(rule, owned);
      const keys = owned.keys();
      if (keys === undefined) this.#wide.push(owned);
      for (const key of keys ?? []) appendTo(this.#byPermission, key, owned);
    }
  }

  #addPaths({ verbs, nonResourceURLs = [] }: PolicyRule, owned: OwnedRule): void {
    this.#forPaths.push(owned);
    if (owned.names !== undefined) return;
    for (const verb of verbs) {
      let patterns = this.#pathsByVerb.get(verb);
      if (patterns === undefined) this.#pathsByVerb.set(verb, (patterns = new PathPatterns()));
      for (const pattern of nonResourceURLs) patterns.add(pattern);
    }
  }

  /** True when one owned rule covers the complete rule. */
  coverWhole(rule: PolicyRule): boolean {
    const {
      verbs: [verb],
      apiGroups: [group] = [],
      resources: [resource] = [],
      resourceNames: [name] = [],
    } = rule;
    if (verb === undefined) return true;
    if (group === undefined || resource === undefined) return this.#anyCovers(this.#forPaths, rule);
    return (
      this.#anyCovers(this.#wide, rule) ||
      this.#listsOf(verb, group, resource, name).some((list) => this.#anyCovers(list, rule))
    );
  }

  coverPath(path: string, verb: string): boolean {
    return this.#pathsByVerb.get(verb)?.match(path) === true || this.#pathsByVerb.get(ALL)?.match(path) === true;
  }

  coverResource(
    permission: PolicyRule,
    verb: string,
    group: string,
    resource: string,
    name: string | undefined,
  ): boolean {
    return this.#listsOf(verb, group, resource, name).length > 0 || this.#anyCovers(this.#wide, permission);
  }

  /** Returns the listed rules that cover a permission. */
  #listsOf(verb: string, group: string, resource: string, name: string | undefined): (readonly OwnedRule[])[] {
    const every = ofEveryResource(resource);
    const found: (readonly OwnedRule[])[] = [];
    for (const ownedVerb of verb === ALL ? [ALL] : [verb, ALL]) {
      for (const ownedGroup of group === ALL ? [ALL] : [group, ALL]) {
        for (const ownedResource of every === undefined ? [resource, ALL] : [resource, every, ALL]) {
          for (const ownedName of name === undefined ? [''] : [name, '']) {
            const list = this.#byPermission.get(permissionKey(ownedVerb, ownedGroup, ownedResource, ownedName));
            if (list !== undefined) found.push(list);
          }
        }
      }
    }
    return found;
  }

  #anyCovers(list: readonly OwnedRule[], rule: PolicyRule): boolean {
    this.#comparisons += list.length;
    if (this.#comparisons > MAX_COMPARISONS) throw this.#tooMany();
    return list.some((owned) => owned.covers(rule));
  }
}

/** Maximum number of rule comparisons of one decision. */
const MAX_COMPARISONS = 2_000_000;

/** A rule with at most this many permissions is broken down without comparing it as a whole. */
const FEW_PERMISSIONS = 64;

const countOf = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number =>
  verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);

/** Yields the single permissions of a rule, in the order of Kubernetes. */
export function* breakDown({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<PolicyRule, void, undefined> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const permission = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) yield permission;
        for (const name of resourceNames) yield { ...permission, resourceNames: [name] };
      }
    }
  }
  for (const path of nonResourceURLs) for (const verb of verbs) yield { nonResourceURLs: [path], verbs: [verb] };
}

/**
 * Decides whether owned rules cover requested rules. One owned rule must cover each single permission.
 *
 * @throws ApiError (400) when the requested rules exceed the maximum number of permissions or comparisons
 */
export function coveringRules(
  ownerRules: readonly PolicyRule[],
  requestedRules: readonly PolicyRule[],
  options: CoveringOptions = {},
): Covering {
  const { maxPermissions = MAX_PERMISSIONS } = options;
  const tooMany = (): Error =>
    errors.badRequest(`the rules contain more than ${maxPermissions} permissions, the maximum that can be compared`);
  const owned = new OwnedRules(ownerRules, tooMany);
  const uncovered: PolicyRule[] = [];
  let permissions = 0;
  for (const rule of requestedRules) {
    const count = countOf(rule);
    if (count > FEW_PERMISSIONS && owned.coverWhole(rule)) continue;
    const before = uncovered.length;
    if (count > FEW_PERMISSIONS && permissions + count > maxPermissions) throw tooMany();
    for (const permission of breakDown(rule)) if (!isCovered(owned, permission)) uncovered.push(permission);
    if (count > FEW_PERMISSIONS || uncovered.length > before) permissions += count;
    if (permissions > maxPermissions) throw tooMany();
  }
  return { covered: uncovered.length === 0, uncovered };
}

function isCovered(owned: OwnedRules, permission: PolicyRule): boolean {
  const {
    verbs: [verb = ''],
    apiGroups: [group = ''] = [],
    resources: [resource] = [],
    resourceNames: [name] = [],
    nonResourceURLs: [path = ''] = [],
  } = permission;
  return resource === undefined
    ? owned.coverPath(path, verb)
    : owned.coverResource(permission, verb, group, resource, name);
}
