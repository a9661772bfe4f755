/**
 * The policies of a server with their bindings, and what of them concerns a route.
 *
 * @module
 */
import {
  appendTo,
  equalJson,
  expressionBytes,
  inSlices,
  sortedSteps,
  whenReady,
  type CompiledArtefact,
  type CompiledArtefacts,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import type { AdmissionAttributes, Catalogue, RequestContext } from '../../registry/index.js';
import { isExempt } from '../matching/exempt.js';
import { MatchResources, type RequestRoute, type RouteMatch } from '../matching/match-resources.js';
import { RouteCache } from '../matching/route-cache.js';
import { compilePolicy, type CompiledPolicy } from './compile-policy.js';

type PolicySpec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
type BindingSpec = admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec;

/** A stored policy. Its expressions are compiled when a request first matches it. */
export class Policy {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly match: MatchResources;
  readonly #context: CompileContext;
  readonly #compiled: CompiledArtefact<CompiledPolicy>;

  constructor(name: string, spec: PolicySpec, context: CompileContext) {
    this.name = name;
    this.spec = spec;
    this.match = new MatchResources(spec.matchConstraints ?? {});
    this.#context = context;
    this.#compiled = context.compiled.artefact();
  }

  /** Whether errors pass the request. */
  get ignoresErrors(): boolean {
    return this.spec.failurePolicy === 'Ignore';
  }

  /** Returns the compiled expressions: at once when they are kept, else in slices of the request that needs them. */
  compiled(work: Work): CompiledPolicy | Promise<CompiledPolicy> {
    return (
      this.#compiled.value ??
      whenReady(inSlices(work, compilePolicy(this.spec, this.#context, work), 'admission'), (made) =>
        this.#compiled.keep(made, expressionBytesOf(this.spec)),
      )
    );
  }

  /** Forgets the compiled expressions, as the policy is no longer in use. */
  drop(): void {
    this.#compiled.drop();
  }
}

/** Returns the estimated memory of the compiled expressions of a policy, in bytes. */
function expressionBytesOf({ variables, matchConditions, validations, auditAnnotations }: PolicySpec): number {
  let bytes = 0;
  for (const { expression } of [...(variables ?? []), ...(matchConditions ?? [])]) bytes += expressionBytes(expression);
  for (const { expression, messageExpression = '' } of validations ?? [])
    bytes += expressionBytes(expression) + expressionBytes(messageExpression);
  for (const { valueExpression } of auditAnnotations ?? []) bytes += expressionBytes(valueExpression);
  return bytes;
}

/** A stored binding. */
export class Binding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** The requests that the binding matches; undefined for every request that the policy matches. */
  readonly match: MatchResources | undefined;

  constructor(name: string, spec: BindingSpec) {
    this.name = name;
    this.spec = spec;
    this.match = spec.matchResources === undefined ? undefined : new MatchResources(spec.matchResources);
  }
}

/** The parts with which policies are compiled. */
interface CompileContext extends Pick<RequestContext, 'dialect' | 'featureGates'> {
  readonly compiled: CompiledArtefacts;
}

/** A binding that can match requests on a route. */
export interface RouteBinding {
  readonly binding: Binding;
  /** Undefined when every request matches that the policy matches. */
  readonly match: { readonly resources: MatchResources; readonly route: RouteMatch } | undefined;
}

/** A policy that can match requests on a route, with its bindings. */
export interface RoutePolicy {
  readonly policy: Policy;
  readonly resources: MatchResources;
  readonly route: RouteMatch;
  readonly bindings: readonly RouteBinding[];
}

/** Parts of a {@link PolicyIndex}. */
export interface PolicyIndexParts extends CompileContext {
  readonly catalogue: Pick<Catalogue, 'resources'>;
}

/** The policies and bindings by name. What concerns a route is found once after each change. */
export class PolicyIndex {
  readonly #parts: PolicyIndexParts;
  readonly #policies = new Map<string, Policy>();
  readonly #bindings = new Map<string, Binding>();
  readonly #routes: RouteCache<RoutePolicy>;

  constructor(parts: PolicyIndexParts) {
    this.#parts = parts;
    this.#routes = new RouteCache(parts.catalogue, (route, work) => this.#onRoute(route, work));
  }

  /** Adds or replaces a policy. One whose spec is the same stays compiled. */
  setPolicy(name: string, spec: PolicySpec): void {
    const known = this.#policies.get(name);
    if (known !== undefined && equalJson(known.spec, spec)) return;
    known?.drop();
    this.#policies.set(name, new Policy(name, spec, this.#parts));
    this.#routes.forget();
  }

  /** Removes a policy. */
  deletePolicy(name: string): void {
    this.#policies.get(name)?.drop();
    this.#policies.delete(name);
    this.#routes.forget();
  }

  /** Adds or replaces a binding. */
  setBinding(name: string, spec: BindingSpec): void {
    this.#bindings.set(name, new Binding(name, spec));
    this.#routes.forget();
  }

  /** Removes a binding. */
  deleteBinding(name: string): void {
    this.#bindings.delete(name);
    this.#routes.forget();
  }

  /** Returns the bound policies that can match a request, ordered by name; see {@link RouteCache.of}. */
  of(attributes: AdmissionAttributes): readonly RoutePolicy[] | Promise<readonly RoutePolicy[]> {
    return this.#policies.size === 0 || this.#bindings.size === 0 ? NO_POLICIES : this.#routes.of(attributes);
  }

  *#onRoute(route: RequestRoute, work: Work): Steps<readonly RoutePolicy[]> {
    if (isExempt(route.requested.info.definition)) return NO_POLICIES;
    const bindings = yield* byPolicy(yield* sortedSteps([...this.#bindings.values()], byName, work), work);
    const found: RoutePolicy[] = [];
    for (const policy of yield* sortedSteps([...this.#policies.values()], byName, work)) {
      const bound = bindings.get(policy.name);
      if (work.spend(POLICY_UNITS)) yield;
      if (bound !== undefined) yield* addRoutePolicy(found, { policy, bound, route }, work);
    }
    return found;
  }
}

const NO_POLICIES: readonly RoutePolicy[] = [];

/** Units of work to look at a policy or binding. */
const POLICY_UNITS = 10;

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

function* byPolicy(bindings: readonly Binding[], work: Work): Steps<ReadonlyMap<string, readonly Binding[]>> {
  const found = new Map<string, Binding[]>();
  for (const binding of bindings) {
    if (work.spend(POLICY_UNITS)) yield;
    appendTo(found, binding.spec.policyName ?? '', binding);
  }
  return found;
}

/** A policy and its bindings on a route. */
interface BoundPolicy {
  readonly policy: Policy;
  readonly bound: readonly Binding[];
  readonly route: RequestRoute;
}

/** Adds what of a policy concerns a route: nothing when its rules, or those of all its bindings, do not match. */
function* addRoutePolicy(found: RoutePolicy[], { policy, bound, route }: BoundPolicy, work: Work): Steps<void> {
  const { match: resources } = policy;
  const matched = yield* resources.onRoute(route, work);
  if (matched === undefined) return;
  yield* resources.prepare(work);
  const bindings: RouteBinding[] = [];
  for (const binding of bound) {
    const { match } = binding;
    if (work.spend(POLICY_UNITS)) yield;
    const own = match === undefined ? undefined : yield* match.onRoute(route, work);
    if (match === undefined) bindings.push({ binding, match });
    else if (own !== undefined) {
      yield* match.prepare(work);
      bindings.push({ binding, match: { resources: match, route: own } });
    }
  }
  if (bindings.length > 0) found.push({ policy, resources, route: matched, bindings });
}
