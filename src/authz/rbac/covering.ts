import { errors } from '../../meta/api-error.js';
import { urlMatches } from './rule-match.js';
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
   * that one owned rule covers whole. Default 100,000.
   */
  readonly maxPermissions?: number;
}

const MAX_PERMISSIONS = 100_000;

type Names = ReadonlySet<string> | undefined;

const namesOf = (list: readonly string[]): Names => (list.includes(ALL) ? undefined : new Set(list));
const hasAll = (names: Names, wanted: readonly string[]): boolean => names === undefined || wanted.every((name) => names.has(name));

/** `*` with the subresource of a resource; undefined when it has none. */
function ofEveryResource(resource: string): string | undefined {
  const slash = resource.indexOf('/');
  return slash === -1 ? undefined : `*${resource.slice(slash)}`;
}

/** A rule that somebody has. */
class OwnedRule {
  readonly verbs: Names;
  readonly groups: Names;
  readonly resources: Names;
  /** Undefined: every name. */
  readonly names: Names;
  readonly urls: readonly string[];

  constructor({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
    this.verbs = namesOf(verbs);
    this.groups = namesOf(apiGroups);
    this.resources = namesOf(resources);
    this.names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
    this.urls = nonResourceURLs;
  }

  /** True when everything that the rule allows is allowed here. */
  covers({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): boolean {
    return (
      hasAll(this.verbs, verbs) &&
      hasAll(this.groups, apiGroups) &&
      this.#coversResources(resources) &&
      (this.names === undefined || (resourceNames.length > 0 && hasAll(this.names, resourceNames))) &&
      nonResourceURLs.every((path) => this.urls.some((pattern) => urlMatches(pattern, path)))
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
}

/** Owned rules by the resources that they name, so that a permission is compared with few of them. */
class OwnedRules {
  readonly #all: readonly OwnedRule[];
  readonly #forPaths: readonly OwnedRule[];
  readonly #forAllResources: readonly OwnedRule[];
  readonly #byResource = new Map<string, OwnedRule[]>();

  constructor(rules: readonly PolicyRule[]) {
    this.#all = rules.map((rule) => new OwnedRule(rule));
    this.#forPaths = this.#all.filter(({ urls }) => urls.length > 0);
    this.#forAllResources = this.#all.filter(({ resources }) => resources === undefined);
    for (const rule of this.#all) {
      for (const resource of rule.resources ?? []) {
        const list = this.#byResource.get(resource);
        if (list === undefined) this.#byResource.set(resource, [rule]);
        else list.push(rule);
      }
    }
  }

  coverWhole(rule: PolicyRule): boolean {
    return this.#all.some((owned) => owned.covers(rule));
  }

  coverPath(permission: PolicyRule): boolean {
    return this.#forPaths.some((owned) => owned.covers(permission));
  }

  coverResource(permission: PolicyRule, resource: string): boolean {
    const every = ofEveryResource(resource);
    const covers = (owned: OwnedRule): boolean => owned.covers(permission);
    return (
      this.#forAllResources.some(covers) ||
      this.#byResource.get(resource)?.some(covers) === true ||
      (every !== undefined && this.#byResource.get(every)?.some(covers) === true)
    );
  }
}

const countOf = ({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number =>
  verbs.length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);

/** The single permissions that a rule stands for, in production's order. */
export function* breakDown({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): Generator<PolicyRule, void, undefined> {
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
 * @throws ApiError (400) when the rules asked about stand for more permissions than the limit
 */
export function coveringRules(ownerRules: readonly PolicyRule[], requestedRules: readonly PolicyRule[], options: CoveringOptions = {}): Covering {
  const { maxPermissions = MAX_PERMISSIONS } = options;
  const owned = new OwnedRules(ownerRules);
  const uncovered: PolicyRule[] = [];
  let permissions = 0;
  for (const rule of requestedRules) {
    if (owned.coverWhole(rule)) continue;
    permissions += countOf(rule);
    if (permissions > maxPermissions) throw errors.badRequest(`the rules stand for more than ${maxPermissions} permissions, which is more than can be compared`);
    for (const permission of breakDown(rule)) {
      const [resource] = permission.resources ?? [];
      const covered = resource === undefined ? owned.coverPath(permission) : owned.coverResource(permission, resource);
      if (!covered) uncovered.push(permission);
    }
  }
  return { covered: uncovered.length === 0, uncovered };
}
