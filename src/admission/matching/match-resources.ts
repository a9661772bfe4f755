/**
 * The matching of a policy or binding. Most of it depends only on the kind, route and operation of a request: it
 * is decided once for each of them. Names and labels are compared for each request.
 *
 * @module
 */
import { ApiError, errors, messageOf, type ApiObject, type Steps, type Work } from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import { LabelSelector, type LabelSelectorObject } from '../../machinery/index.js';
import type { AdmissionOperation } from '../../registry/index.js';
import type { EquivalentResource } from './equivalents.js';
import { ruleMatches, type RuleTarget } from './rules.js';

/** The route of a request: its resource, subresource and operation, and the other resources with the same objects. */
export interface RequestRoute extends Omit<RuleTarget, 'namespaced' | 'group' | 'version' | 'resource'> {
  readonly requested: EquivalentResource;
  /** The other resources. Called only when rules do not match the requested one. */
  readonly equivalents: () => readonly EquivalentResource[];
}

/** A rule that matches a route, if the request has one of the names. */
export interface RouteRule {
  /** The resource that the rule matches: another one than the request's for the match policy Equivalent. */
  readonly matched: EquivalentResource;
  /** Undefined for every name. */
  readonly names: ReadonlySet<string> | undefined;
}

/** The rules that match on one route. */
export interface RouteMatch {
  readonly excluded: readonly RouteRule[];
  readonly included: readonly RouteRule[];
}

/** The objects of a request, of which labels are read. */
export interface SelectedObjects {
  readonly operation: AdmissionOperation;
  readonly object: ApiObject | undefined;
  readonly oldObject: Pick<ApiObject, 'metadata'> | undefined;
}

/** Units of work to compare a request with a rule, and to look at a webhook or policy. */
const MATCH_UNITS = 10;

type NamedRules = readonly admissionregistrationV1.NamedRuleWithOperations[];

/** The `matchConstraints` of a policy, or `matchResources` of a binding. Its selectors are compiled when they are needed. */
export class MatchResources {
  readonly #match: admissionregistrationV1.MatchResources;
  #namespaceSelector: LabelSelector | undefined;
  #objectSelector: LabelSelector | undefined;

  constructor(match: admissionregistrationV1.MatchResources) {
    this.#match = match;
  }

  /** @throws ApiError 500 for an invalid selector, which validation refuses */
  get namespaceSelector(): LabelSelector {
    return (this.#namespaceSelector ??= selectorOf(this.#match.namespaceSelector));
  }

  /** Compiles the selectors. An invalid one is left to the requests that need it. */
  *prepare(work: Work): Steps<void> {
    const { namespaceSelector, objectSelector } = this.#match;
    try {
      this.#namespaceSelector ??= yield* LabelSelector.fromObjectSteps(namespaceSelector ?? {}, work);
      this.#objectSelector ??= yield* LabelSelector.fromObjectSteps(objectSelector ?? {}, work);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Work of comparing the labels of a request, in the units of `Work`. */
  get units(): number {
    const requirements =
      (this.#namespaceSelector?.requirements.length ?? 0) + (this.#objectSelector?.requirements.length ?? 0);
    return MATCH_UNITS + requirements;
  }

  /** Returns the rules that can match on a route; undefined when no request on it matches. */
  *onRoute(route: RequestRoute, work: Work): Steps<RouteMatch | undefined> {
    const { resourceRules = [], excludeResourceRules = [] } = this.#match;
    if (work.spend(MATCH_UNITS)) yield;
    const included =
      resourceRules.length === 0
        ? [{ matched: route.requested, names: undefined }]
        : yield* this.#matching(resourceRules, route, work);
    if (included.length === 0) return undefined;
    const excluded = yield* this.#matching(excludeResourceRules, route, work);
    return excluded.some(({ names }) => names === undefined) ? undefined : { included, excluded };
  }

  /**
   * Returns whether the labels of the new or of the old object match.
   *
   * @throws ApiError 500 for an invalid selector, which validation refuses
   */
  selectsObject({ operation, object, oldObject }: SelectedObjects): boolean {
    const selector = (this.#objectSelector ??= selectorOf(this.#match.objectSelector));
    if (selector.empty) return true;
    // The options of a connection have no labels.
    if (operation === 'CONNECT') return false;
    return (
      (object !== undefined && selector.matches(object.metadata.labels ?? {})) ||
      (oldObject !== undefined && selector.matches(oldObject.metadata.labels ?? {}))
    );
  }

  /** Rules for the requested resource come first, as in Kubernetes. */
  *#matching(rules: NamedRules, route: RequestRoute, work: Work): Steps<FoundRule[]> {
    const matching: FoundRule[] = [];
    for (const rule of rules) {
      if (work.spend(MATCH_UNITS)) yield;
      addRule(matching, rule, route, route.requested);
    }
    if (this.#match.matchPolicy === 'Exact' || rules.length === 0 || matching.some(({ names }) => names === undefined))
      return matching;
    const equivalents = route.equivalents();
    for (const rule of rules)
      for (const equivalent of equivalents) {
        if (work.spend(MATCH_UNITS)) yield;
        addRule(matching, rule, route, equivalent);
      }
    return matching;
  }
}

/** An absent selector is empty: the kinds have this default. */
function selectorOf(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return LabelSelector.fromObject(selector ?? {});
  } catch (error) {
    throw errors.internal(messageOf(error), { cause: error });
  }
}

/** A rule that is being found: rules in a row that match the same resource become one. */
interface FoundRule extends RouteRule {
  readonly names: Set<string> | undefined;
}

/** Adds a rule that matches a resource on a route to those before it. */
function addRule(
  found: FoundRule[],
  rule: admissionregistrationV1.NamedRuleWithOperations,
  { operation, subresource }: RequestRoute,
  matched: EquivalentResource,
): void {
  const { group, version, resource, namespaced } = matched.info;
  if (!ruleMatches(rule, { operation, subresource, group, version, resource, namespaced })) return;
  const { resourceNames = [] } = rule;
  const last = found.at(-1);
  if (last?.matched !== matched || last.names === undefined || resourceNames.length === 0)
    found.push({ matched, names: resourceNames.length === 0 ? undefined : new Set(resourceNames) });
  else for (const name of resourceNames) last.names.add(name);
}

/** Returns the resource that a request with a name matches; undefined when it matches none, or is excluded. */
export function matchedResource({ included, excluded }: RouteMatch, name: string): EquivalentResource | undefined {
  const has = ({ names }: RouteRule): boolean => names === undefined || names.has(name);
  return excluded.some(has) ? undefined : included.find(has)?.matched;
}
