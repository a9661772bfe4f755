import { appendTo, atOnce, errors, UNBOUNDED_WORK, type Steps, type Work } from '../../../foundation/index.js';
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

  /** Adds the rule to an index, permission by permission. Returns false, and adds nothing, when there are too many. */
  listIn(index: PermissionIndex): boolean {
    const { verbs = EVERY, groups = EVERY, resources = EVERY, names = UNNAMED } = this;
    if (verbs.size * groups.size * resources.size * names.size > MAX_LISTED) return false;
    for (const verb of verbs)
      for (const group of groups)
        for (const resource of resources) for (const name of names) index.add(verb, group, resource, name, this);
    return true;
  }
}

const EVERY: ReadonlySet<string> = new Set([ALL]);
const UNNAMED: ReadonlySet<string> = new Set(['']);

/** Maximum number of listed permissions of one owned rule. */
const MAX_LISTED = 256;

/**
 * Owned rules by verb, group, resource and name (empty: every name). Names have no limit of length: a key made of all four
 * would be made again for each permission.
 */
class PermissionIndex {
  readonly #byVerb = new Map<string, Map<string, Map<string, Map<string, OwnedRule[]>>>>();

  add(verb: string, group: string, resource: string, name: string, rule: OwnedRule): void {
    const byResource = memberOf(memberOf(this.#byVerb, verb), group);
    appendTo(memberOf(byResource, resource), name, rule);
  }

  get(verb: string, group: string, resource: string, name: string): readonly OwnedRule[] | undefined {
    return this.#byVerb.get(verb)?.get(group)?.get(resource)?.get(name);
  }
}

/** Returns the map at a key; adds one where there is none. */
function memberOf<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  let map = maps.get(key);
  if (map === undefined) maps.set(key, (map = new Map<string, Value>()));
  return map;
}

/** Units of work to list a rule, and to compare a permission with those that are listed. */
const RULE_UNITS = 20;
const PERMISSION_UNITS = 12;
/** Characters of a permission that take a unit: each lookup compares its names with equal ones. */
const CHARACTERS_PER_UNIT = 64;

/** Owned rules by their permissions, so that a permission is compared with few of them. */
class OwnedRules {
  readonly #byPermission = new PermissionIndex();
  /** Rules with too many permissions to list. */
  readonly #wide: OwnedRule[] = [];
  readonly #forPaths: OwnedRule[] = [];
  readonly #pathsByVerb = new Map<string, PathPatterns>();
  readonly #work: Work;
  readonly #tooMany: () => Error;
  #comparisons = 0;

  constructor(work: Work, tooMany: () => Error) {
    this.#work = work;
    this.#tooMany = tooMany;
  }

  /** Adds rules. */
  *add(rules: readonly PolicyRule[]): Steps<void> {
    for (const rule of rules) {
      const owned = new OwnedRule(rule);
      if ((rule.nonResourceURLs?.length ?? 0) > 0) this.#addPaths(rule, owned);
      const isListed = owned.listIn(this.#byPermission);
      if (!isListed) this.#wide.push(owned);
      if (this.#work.spend(RULE_UNITS + (isListed ? countOf(rule) : wordsOf(rule)))) yield;
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
  *coverWhole(rule: PolicyRule): Steps<boolean> {
    const {
      verbs: [verb],
      apiGroups: [group] = [],
      resources: [resource] = [],
      resourceNames: [name] = [],
    } = rule;
    if (verb === undefined) return true;
    const lists =
      group === undefined || resource === undefined
        ? [this.#forPaths]
        : [this.#wide, ...this.#listsOf(verb, group, resource, name)];
    const units = wordsOf(rule);
    for (const list of lists)
      for (const owned of list) {
        this.#compare(1);
        if (owned.covers(rule)) return true;
        if (this.#work.spend(units)) yield;
      }
    return false;
  }

  /** Returns whether a single permission is covered. */
  *cover(permission: PolicyRule): Steps<boolean> {
    const {
      verbs: [verb = ''],
      apiGroups: [group = ''] = [],
      resources: [resource] = [],
      resourceNames: [name] = [],
      nonResourceURLs: [path = ''] = [],
    } = permission;
    const length = verb.length + group.length + (resource?.length ?? 0) + (name?.length ?? 0) + path.length;
    if (this.#work.spend(PERMISSION_UNITS + length / CHARACTERS_PER_UNIT)) yield;
    if (resource === undefined) return this.#coverPath(path, verb);
    if (this.#listsOf(verb, group, resource, name).length > 0) return true;
    this.#compare(this.#wide.length);
    if (this.#work.spend(this.#wide.length)) yield;
    return this.#wide.some((owned) => owned.covers(permission));
  }

  #coverPath(path: string, verb: string): boolean {
    return this.#pathsByVerb.get(verb)?.match(path) === true || this.#pathsByVerb.get(ALL)?.match(path) === true;
  }

  /** Returns the listed rules that cover a permission. */
  #listsOf(verb: string, group: string, resource: string, name: string | undefined): (readonly OwnedRule[])[] {
    const every = ofEveryResource(resource);
    const found: (readonly OwnedRule[])[] = [];
    for (const ownedVerb of verb === ALL ? [ALL] : [verb, ALL]) {
      for (const ownedGroup of group === ALL ? [ALL] : [group, ALL]) {
        for (const ownedResource of every === undefined ? [resource, ALL] : [resource, every, ALL]) {
          for (const ownedName of name === undefined ? [''] : [name, '']) {
            const list = this.#byPermission.get(ownedVerb, ownedGroup, ownedResource, ownedName);
            if (list !== undefined) found.push(list);
          }
        }
      }
    }
    return found;
  }

  /** Counts comparisons with rules. */
  #compare(count: number): void {
    this.#comparisons += count;
    if (this.#comparisons > MAX_COMPARISONS) throw this.#tooMany();
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

/** Returns the number of names and verbs of a rule. */
const wordsOf = ({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number =>
  verbs.length + apiGroups.length + resources.length + resourceNames.length + nonResourceURLs.length;

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

/** Memory of an uncovered permission, in bytes: an object with three lists of one item. */
const PERMISSION_BYTES = 256;

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
  return atOnce(coveringRulesInSteps(ownerRules, requestedRules, options, UNBOUNDED_WORK));
}

/** Does what {@link coveringRules} does, with a pause where the rules are many. Reserves the memory of the result. */
export function* coveringRulesInSteps(
  ownerRules: readonly PolicyRule[],
  requestedRules: readonly PolicyRule[],
  { maxPermissions = MAX_PERMISSIONS }: CoveringOptions,
  work: Work,
): Steps<Covering> {
  const tooMany = (): Error =>
    errors.badRequest(`the rules contain more than ${maxPermissions} permissions, the maximum that can be compared`);
  const owned = new OwnedRules(work, tooMany);
  yield* owned.add(ownerRules);
  const uncovered: PolicyRule[] = [];
  let permissions = 0;
  for (const rule of requestedRules) {
    const count = countOf(rule);
    if (count > FEW_PERMISSIONS && (yield* owned.coverWhole(rule))) continue;
    const before = uncovered.length;
    if (count > FEW_PERMISSIONS && permissions + count > maxPermissions) throw tooMany();
    for (const permission of breakDown(rule)) if (!(yield* owned.cover(permission))) uncovered.push(permission);
    work.reserve((uncovered.length - before) * PERMISSION_BYTES);
    if (count > FEW_PERMISSIONS || uncovered.length > before) permissions += count;
    if (permissions > maxPermissions) throw tooMany();
  }
  return { covered: uncovered.length === 0, uncovered };
}
