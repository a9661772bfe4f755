import { appendTo } from '../../../../foundation/index.js';
import { ALL, type PolicyRule } from '../types.js';
import { combinedResource, ruleAllows, urlPrefix, type RuleAttributes } from './rule-match.js';

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

/** How much may still be compiled, in rules and values of them. */
export interface CompileAllowance {
  left: number;
}

const sizeOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  1 +
  verbs.length +
  (apiGroups?.length ?? 0) +
  (resources?.length ?? 0) +
  (resourceNames?.length ?? 0) +
  (nonResourceURLs?.length ?? 0);

/**
 * The rules of a role, indexed by resource and path, so that a decision hardly depends on their number. Decides like
 * `rulesAllow`, without allocation. Rules that are not compiled yet are compared one by one.
 */
export class CompiledRules {
  readonly #rules: readonly PolicyRule[];
  /** Number of rules that are compiled, from the first. */
  #compiled = 0;
  /** By resource in the form of rules, subresources included. */
  readonly #byResource = new Map<string, CompiledRule[]>();
  /** Rules on `*` with a subresource, by subresource. */
  readonly #bySubresource = new Map<string, CompiledRule[]>();
  readonly #forAllResources: CompiledRule[] = [];
  readonly #byPath = new Map<string, CompiledRule[]>();
  readonly #byPrefix = new Map<string, CompiledRule[]>();

  /** @param allowance what is compiled now; default: all */
  constructor(rules: readonly PolicyRule[], allowance: CompileAllowance = { left: Infinity }) {
    this.#rules = rules;
    this.compile(allowance);
  }

  /**
   * Compiles further rules while the allowance lasts. Compiling a rule takes far longer than comparing it with a request.
   *
   * @internal
   */
  compile(allowance: CompileAllowance): void {
    for (; allowance.left > 0; this.#compiled += 1) {
      const rule = this.#rules[this.#compiled];
      if (rule === undefined) return;
      allowance.left -= sizeOf(rule);
      this.#add(rule);
    }
  }

  #add({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): void {
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
    return this.#compiledAllow(attributes, combined) || this.#othersAllow(attributes);
  }

  #othersAllow(attributes: RuleAttributes): boolean {
    for (let index = this.#compiled; index < this.#rules.length; index += 1) {
      const rule = this.#rules[index];
      if (rule !== undefined && ruleAllows(attributes, rule)) return true;
    }
    return false;
  }

  #compiledAllow(attributes: RuleAttributes, combined: string): boolean {
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
