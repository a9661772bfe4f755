/**
 * The decision of all policies about one request.
 *
 * Source: `admission/plugin/policy/validating/dispatcher.go` of Kubernetes 1.31.
 *
 * @module
 */
import { ownMember, whenReady, workOf, type StoredObject, type Work } from '../../foundation/index.js';
import { fromJson } from '../../machinery/index.js';
import type { AdmissionAttributes, ResourceInfo } from '../../registry/index.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { matchedResource } from '../matching/match-resources.js';
import { RequestNamespace, namespaceOf } from '../matching/request-namespace.js';
import { RequestVersions, type VersionedObjects } from '../matching/versioned-objects.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';
import { AccessDecisions, type DecideAccess } from './access-decisions.js';
import { AuditAnnotations } from './audit-annotations.js';
import { Denials } from './denials.js';
import { evaluatePolicy, type EvaluatedPolicy, type PolicyResult, type ValidationFailure } from './evaluate-policy.js';
import { RequestBudget } from './evaluation.js';
import type { ConditionMeter, MatchOutcome } from './match-conditions.js';
import {
  ConfigurationError,
  findParamKind,
  paramKindText,
  Params,
  type FoundParam,
  type ParamCatalogue,
} from './params.js';
import type { Binding, Policy, RouteBinding, RoutePolicy } from './policy-index.js';
import { RequestInput } from './request-input.js';

/** The parts that {@link dispatch} needs. */
export interface DispatchParts {
  readonly catalogue: ParamCatalogue;
  readonly findNamespace: NamespaceLookup;
  readonly decideAccess: DecideAccess;
  /** Default: nothing is measured. */
  readonly meter?: PolicyMeter | undefined;
}

/** The action of a policy on a request. */
export type PolicyAction = 'allow' | 'deny' | 'audit' | 'warn';

/** Measures the policies of a server. */
export interface PolicyMeter extends ConditionMeter {
  /**
   * Reports a validation that failed, or whose error was ignored (`allow`).
   *
   * @param message the failure
   * @param tookMs time of the evaluation of the policy
   */
  checked(policy: string, binding: string, action: PolicyAction, message: string, tookMs: number): void;
}

/**
 * Evaluates the policies that can match a request. Warnings and audit annotations are recorded even when the request is
 * refused.
 *
 * @returns undefined when nothing had to wait
 * @throws ApiError with the reason of the first denial
 */
export function dispatch(
  attributes: AdmissionAttributes,
  policies: readonly RoutePolicy[],
  parts: DispatchParts,
): void | Promise<void> {
  return applyFrom(0, new PolicyRequest(attributes, parts), policies);
}

function applyFrom(from: number, request: PolicyRequest, policies: readonly RoutePolicy[]): void | Promise<void> {
  for (let index = from; index < policies.length; index += 1) {
    const policy = policies[index];
    const pending = policy && request.apply(policy);
    if (pending !== undefined) return pending.then(() => applyFrom(index + 1, request, policies));
    if (policy !== undefined && request.work.spend(policy.resources.units))
      return request.work.next('admission').then(() => applyFrom(index + 1, request, policies));
  }
  request.finish();
}

/** One request before the policies. */
class PolicyRequest {
  readonly work: Work;
  readonly #attributes: AdmissionAttributes;
  readonly #parts: DispatchParts;
  readonly #namespace: RequestNamespace;
  readonly #versions: RequestVersions;
  readonly #access: AccessDecisions;
  readonly #params: Params;
  readonly #denials: Denials;
  readonly #budget = new RequestBudget();
  readonly #inputs = new Map<ResourceInfo, RequestInput>();

  constructor(attributes: AdmissionAttributes, parts: DispatchParts) {
    this.work = workOf(attributes.context);
    this.#attributes = attributes;
    this.#parts = parts;
    this.#namespace = new RequestNamespace(attributes, parts.findNamespace);
    this.#versions = new RequestVersions(attributes, attributes.context.dialect);
    this.#access = new AccessDecisions(attributes.user, parts.decideAccess);
    this.#params = new Params(parts.catalogue, this.work);
    this.#denials = new Denials(attributes);
  }

  /** @throws ApiError when a policy denied the request */
  finish(): void {
    this.#denials.throwFirst();
  }

  /**
   * Applies a policy by all of its bindings.
   *
   * @returns undefined when nothing had to wait
   * @throws ApiError 404 when an expression reads a namespace that does not exist
   */
  apply(route: RoutePolicy): void | Promise<void> {
    const { policy, resources } = route;
    const matched = matchedResource(route.route, this.#attributes.name);
    let isInEveryNamespace: boolean;
    try {
      if (matched === undefined || !resources.selectsObject(this.#attributes)) return;
      isInEveryNamespace = resources.namespaceSelector.empty;
    } catch (error) {
      this.#misconfigured(policy, undefined, error);
      return;
    }
    const annotations = new AuditAnnotations(policy.name, this.#attributes.context);
    const selected = { policy, matched, annotations, paramInfo: undefined };
    return isInEveryNamespace && policy.spec.paramKind === undefined
      ? this.#applyCompiled(selected, route.bindings)
      : this.#applySelected(selected, route);
  }

  #applyCompiled(selected: SelectedPolicy, bindings: readonly RouteBinding[]): void | Promise<void> {
    const { policy } = selected;
    return whenReady(policy.compiled(this.work), (compiled) =>
      this.#applyBindings({ ...selected, compiled, ignoresErrors: policy.ignoresErrors }, bindings),
    );
  }

  async #applySelected(selected: SelectedPolicy, { policy, resources, bindings }: RoutePolicy): Promise<void> {
    let paramInfo: ResourceInfo | undefined;
    try {
      if (!(await this.#namespace.matches(resources.namespaceSelector))) return;
      paramInfo = this.#paramInfo(policy);
    } catch (error) {
      this.#misconfigured(policy, undefined, error);
      return;
    }
    await this.#applyCompiled({ ...selected, paramInfo }, bindings);
  }

  #applyBindings(applied: AppliedPolicy, bindings: readonly RouteBinding[], from = 0): void | Promise<void> {
    for (let index = from; index < bindings.length; index += 1) {
      const pending = this.#applyBinding(applied, bindings[index]);
      if (pending !== undefined) return pending.then(() => this.#applyBindings(applied, bindings, index + 1));
    }
    applied.annotations.publish();
  }

  #applyBinding(applied: AppliedPolicy, bound: RouteBinding | undefined): void | Promise<void> {
    if (bound === undefined) return;
    const { matched, compiled } = applied;
    const objects = this.#versions.available(matched);
    const looksUp =
      objects === undefined ||
      bound.match !== undefined ||
      (applied.paramInfo !== undefined && bound.binding.spec.paramRef !== undefined) ||
      compiled.readsNamespace;
    if (looksUp) return this.#lookUp(applied, bound);
    return this.#evaluate(applied, bound.binding, this.#input(matched, objects, undefined), null);
  }

  /** Looks up what a binding needs: the namespace, parameters, the objects in another version. */
  async #lookUp(applied: AppliedPolicy, bound: RouteBinding): Promise<void> {
    const { policy, matched, paramInfo } = applied;
    const { binding } = bound;
    let params: readonly FoundParam[];
    let objects: VersionedObjects;
    try {
      if (!(await this.#bindingMatches(bound))) return;
      params = await this.#params.of(paramInfo, binding.spec.paramRef, namespaceOf(this.#attributes));
      if (params.length === 0) return;
      objects = await this.#versions.as(matched);
    } catch (error) {
      this.#misconfigured(policy, binding, error);
      return;
    }
    const namespace = applied.compiled.readsNamespace ? await this.#namespace.ofObject() : undefined;
    const input = this.#input(matched, objects, namespace);
    for (const readParam of params) {
      let param: StoredObject | null;
      try {
        param = await readParam();
      } catch (error) {
        this.#misconfigured(policy, binding, error);
        return;
      }
      await this.#evaluate(applied, binding, input, param);
    }
  }

  /** @throws ApiError 504 when the request is over: the policy is not at fault */
  #misconfigured(policy: Policy, binding: Binding | undefined, error: unknown): void {
    this.work.check?.();
    this.#denials.misconfigured(policy, binding, error);
  }

  async #bindingMatches({ match }: RouteBinding): Promise<boolean> {
    if (match === undefined) return true;
    const { route, resources } = match;
    return (
      matchedResource(route, this.#attributes.name) !== undefined &&
      resources.selectsObject(this.#attributes) &&
      (await this.#namespace.matches(resources.namespaceSelector))
    );
  }

  /** @throws ConfigurationError when the kind is not served */
  #paramInfo({ spec: { paramKind } }: Policy): ResourceInfo | undefined {
    if (paramKind === undefined) return undefined;
    const found = findParamKind(this.#parts.catalogue, paramKind);
    if (found !== undefined) return found;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${paramKindText(paramKind)}'`);
  }

  /** Returns the input of policies that match a resource; the first one that reads the namespace replaces it. */
  #input(matched: EquivalentResource, objects: VersionedObjects, namespace: StoredObject | undefined): RequestInput {
    const known = this.#inputs.get(matched.info);
    if (known !== undefined && (namespace === undefined || known.hasNamespace)) return known;
    const input = new RequestInput(this.#attributes, matched, objects, namespace, this.#access.decide);
    this.#inputs.set(matched.info, input);
    return input;
  }

  #evaluate(
    applied: AppliedPolicy,
    binding: Binding,
    input: RequestInput,
    param: StoredObject | null,
  ): void | Promise<void> {
    const beganMs = this.#parts.meter?.now() ?? 0;
    const { last } = applied;
    if (last?.input === input && last.param === param) return this.#record(applied, binding, last.result, beganMs);
    const params = fromJson(param);
    const given = { input, params, work: this.work, requestBudget: this.#budget };
    const result = this.#access.complete(() => evaluatePolicy(applied, given), this.work);
    return whenReady(result, (found) => {
      applied.last = { input, param, result: found };
      this.#record(applied, binding, found, beganMs);
    });
  }

  #record({ policy, annotations }: AppliedPolicy, binding: Binding, result: PolicyResult, beganMs: number): void {
    const { meter } = this.#parts;
    if (result.failures.length + result.annotations.length + result.ignored.length === 0) {
      // The usual case costs no second look at the clock.
      if (result.conditions !== undefined) this.#measureConditions(policy, result.conditions, beganMs);
      return;
    }
    const tookMs = (meter?.now() ?? 0) - beganMs;
    if (result.conditions !== undefined) this.#measureConditions(policy, result.conditions, beganMs);
    for (const message of result.ignored) meter?.checked(policy.name, binding.name, 'allow', message, tookMs);
    for (const failure of result.failures) this.#fail(policy, binding, failure, annotations, tookMs);
    for (const annotation of result.annotations) {
      if ('error' in annotation) {
        this.#denials.deny(policy, binding, annotation.error);
        meter?.checked(policy.name, binding.name, 'deny', annotation.error, tookMs);
      } else annotations.add(annotation.key, annotation.value);
    }
  }

  #measureConditions({ name }: Policy, outcome: MatchOutcome, beganMs: number): void {
    const { meter } = this.#parts;
    if (meter === undefined) return;
    const owner = { name, kind: 'policy', type: 'validate' } as const;
    meter.evaluated(owner, this.#attributes.operation, outcome, meter.now() - beganMs);
  }

  #fail(
    policy: Policy,
    binding: Binding,
    failure: ValidationFailure,
    annotations: AuditAnnotations,
    tookMs: number,
  ): void {
    const { context } = this.#attributes;
    for (const action of binding.spec.validationActions ?? []) {
      const measured = ownMember(ACTIONS, action);
      if (measured !== undefined)
        this.#parts.meter?.checked(policy.name, binding.name, measured, failure.message, tookMs);
      if (action === 'Deny') this.#denials.deny(policy, binding, failure.message, failure.reason);
      else if (action === 'Audit') annotations.addFailure(binding, failure);
      else
        context.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${failure.message}`,
        );
    }
  }
}

/** The actions of bindings on a failure, as metrics name them. */
const ACTIONS: Readonly<Record<string, PolicyAction>> = { Deny: 'deny', Audit: 'audit', Warn: 'warn' };

/** A policy that matches a request. */
interface SelectedPolicy {
  readonly policy: Policy;
  readonly matched: EquivalentResource;
  readonly paramInfo: ResourceInfo | undefined;
  readonly annotations: AuditAnnotations;
}

/** A policy that matches a request, with its compiled expressions. */
interface AppliedPolicy extends SelectedPolicy, EvaluatedPolicy {
  /**
   * The last evaluation. No expression sees the binding, so bindings with the same parameter, or without one, have the same
   * result.
   */
  last?: Evaluated | undefined;
}

interface Evaluated {
  readonly input: RequestInput;
  readonly param: StoredObject | null;
  readonly result: PolicyResult;
}
