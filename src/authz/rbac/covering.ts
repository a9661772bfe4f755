import { errors } from '../../meta/api-error.js';
import { urlPrefix } from './rule-match.js';
import { ALL, type PolicyRule } from './types.js';

/** Whether rules hold everything that others allow, and what of those they do not. */
export interface Covering {
  readonly covered: boolean;
  /** Rules of one verb on one resource or path each, in the order of the rules that were asked about. */
  readonly uncovered: PolicyRule[];
}

/** Options of {@link coveringRules}. */
export interface CoveringOptions {
  /**
   * Single permissions (group × resource × verb × name) that the rules asked about may stand for, without those rules
   * that are found to be covered whole. Default 100,000.
   */
  readonly maxPermissions?: number;
}

const MAX_PERMISSIONS = 100_000;

type Names = ReadonlySet<string> | undefined;

const namesOf = (list: readonly string[]): Names => (list.includes(ALL) ? undefined : new Set(list));
const hasAll = (names: Names, wanted: readonly string[]): boolean =>
  names === undefined || wanted.every((name) => names.has(name));

/** `*` with the subresource of a resource; undefined when it has none. */
function ofEveryResource(resource: string): string | undefined {
  const slash = resource.indexOf('/');
  return slash === -1 ? undefined : `*${resource.slice(slash)}`;
}

/** Path patterns, so that a path is compared with one pattern for each length of a prefix. */
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

/** A rule that somebody has. */
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

  /** True when everything that the rule allows is allowed here. */
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

  /** The keys of the permissions that the rule stands for; undefined when there are too many to be listed. */
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

/** Permissions of one owned rule that are listed one by one. */
const MAX_KEYS = 256;

const permissionKey = (verb: string, group: string, resource: string, name: string): string =>
  `${verb}\n${group}\n${resource}\n${name}`;

/** Owned rules by the permissions that they stand for, so that a permission is compared with few of them. */
class OwnedRules {
  readonly #byPermission = new Map<string, OwnedRule[]>();
  /** Rules that stand for too many permissions to be listed. */
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
      for (const key of keys ?? []) {
        const list = this.#byPermission.get(key);
        if (list === undefined) this.#byPermission.set(key, [owned]);
        else list.push(owned);
      }
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

  /** Whether one of the rules covers all that another allows. */
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

  /** The listed rules that cover a permission, by the words in which they do. */
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

/** Comparisons of one rule with another that a decision may take. */
const MAX_COMPARISONS = 2_000_000;

/** A rule that stands for no more permissions than this is broken down at once: no rule need be compared with all of it. */
const FEW_PERMISSIONS = 64;

const countOf = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number =>
  verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);

/** The single permissions that a rule stands for, in production's order. */
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
 * Whether whoever has some rules has everything that other rules allow. Each single permission must be covered by one rule.
 *
 * @throws ApiError (400) when the rules asked about stand for more permissions than the limit, or take too many comparisons
 */
export function coveringRules(
  ownerRules: readonly PolicyRule[],
  requestedRules: readonly PolicyRule[],
  options: CoveringOptions = {},
): Covering {
  const { maxPermissions = MAX_PERMISSIONS } = options;
  const tooMany = (): Error =>
    errors.badRequest(
      `the rules stand for more than ${maxPermissions} permissions, which is more than can be compared`,
    );
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
