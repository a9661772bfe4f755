import { appendTo } from '../../../../foundation/index.js';
import { ALL, type PolicyRule } from '../types.js';
import { combinedResource, urlPrefix, type RuleAttributes } from './rule-match.js';

/** A set of values; undefined contains every value. */
export type Names = ReadonlySet<string> | undefined;

const isOneOf = (names: Names, value: string): boolean => names === undefined || names.has(value);

/** Returns the set of a list; `*` stands for every value. */
export const namesOf = (list: readonly string[]): Names => (list.includes(ALL) ? undefined : new Set(list));

/** The parts of a rule besides the resources and paths of its index. */
interface CompiledRule {
  readonly verbs: Names;
  readonly groups: Names;
  readonly names: Names;
}

function anyAllows(rules: readonly CompiledRule[] | undefined, { verb, apiGroup, name }: RuleAttributes): boolean {
  if (rules === undefined) return false;
  for (let index = 0; index < rules.length; index += 1) {
    const rule = rules[index];
    if (rule !== undefined && isOneOf(rule.verbs, verb) && isOneOf(rule.groups, apiGroup) && isOneOf(rule.names, name))
      return true;
  }
  return false;
}

/**
 * The rules of a role, indexed by resource and path, so that a decision hardly depends on their number. Decides like
 * `rulesAllow`, without allocation.
 */
export class CompiledRules {
  /** By resource in the form of rules, subresources included. */
  readonly #byResource = new Map<string, CompiledRule[]>();
  /** Rules on `*` with a subresource, by subresource. */
  readonly #bySubresource = new Map<string, CompiledRule[]>();
  readonly #forAllResources: CompiledRule[] = [];
  readonly #byPath = new Map<string, CompiledRule[]>();
  readonly #byPrefix = new Map<string, CompiledRule[]>();

  constructor(rules: readonly PolicyRule[]) {
    for (const rule of rules) this.#compile(rule);
  }

  #compile({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): void {
    const rule: CompiledRule = {
      verbs: namesOf(verbs),
      groups: namesOf(apiGroups),
      names: resourceNames.length === 0 ? undefined : new Set(resourceNames),
    };
    for (const resource of new Set(resources)) {
      if (resource === ALL) this.#forAllResources.push(rule);
      appendTo(this.#byResource, resource, rule);
      if (resource.startsWith('*/')) appendTo(this.#bySubresource, resource.slice(2), rule);
    }
    for (const pattern of new Set(nonResourceURLs)) {
      const prefix = urlPrefix(pattern);
      appendTo(this.#byPath, pattern, rule);
      if (prefix !== undefined) appendTo(this.#byPrefix, prefix, rule);
    }
  }

  /**
   * True when any of the rules allows the request.
   *
   * @param combined resource and subresource in the form of rules; computed once for all roles
   */
  allow(attributes: RuleAttributes, combined = combinedResource(attributes.resource, attributes.subresource)): boolean {
    if (!attributes.isResource) return this.#allowPath(attributes);
    if (this.#forAllResources.length > 0 && anyAllows(this.#forAllResources, attributes)) return true;
    if (anyAllows(this.#byResource.get(combined), attributes)) return true;
    return (
      attributes.subresource !== '' &&
      this.#bySubresource.size > 0 &&
      anyAllows(this.#bySubresource.get(attributes.subresource), attributes)
    );
  }

  #allowPath({ verb, path }: RuleAttributes): boolean {
    const exact = this.#byPath.get(path);
    if (exact?.some(({ verbs }) => isOneOf(verbs, verb)) === true) return true;
    for (const [prefix, rules] of this.#byPrefix) {
      if (path.startsWith(prefix) && rules.some(({ verbs }) => isOneOf(verbs, verb))) return true;
    }
    return false;
  }
}
