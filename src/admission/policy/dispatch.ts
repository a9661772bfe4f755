/**
 * The decision of all policies about one request.
 *
 * Source: `admission/plugin/policy/validating/dispatcher.go` of Kubernetes 1.31.
 *
 * @module
 */
import { fromJson } from '../../cel/index.js';
import type { StoredObject } from '../../meta/object.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import type { ResourceInfo } from '../../registry/resource-info.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { matchedResource } from '../matching/match-resources.js';
import { RequestNamespace, namespaceOf } from '../matching/request-namespace.js';
import { RequestVersions, type VersionedObjects } from '../matching/versioned-objects.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';
import { AccessDecisions, type DecideAccess } from './access-decisions.js';
import { AuditAnnotations } from './audit-annotations.js';
import { Denials } from './denials.js';
import { evaluatePolicy, type ValidationFailure } from './evaluate-policy.js';
import { ConfigurationError, findParamKind, paramKindText, Params, type ParamCatalogue } from './params.js';
import type { Binding, Policy, RouteBinding, RoutePolicy } from './policy-index.js';
import { RequestInput } from './request-input.js';

/** What {@link dispatch} needs. */
export interface DispatchParts {
  readonly catalogue: ParamCatalogue;
  readonly findNamespace: NamespaceLookup;
  readonly decideAccess: DecideAccess;
}

/**
 * Evaluates the policies that can match a request. Warnings and audit annotations are recorded even when the request is
 * refused.
 *
 * @throws ApiError with the reason of the first denial
 */
export async function dispatch(
  attributes: AdmissionAttributes,
  policies: readonly RoutePolicy[],
  parts: DispatchParts,
): Promise<void> {
  const request = new PolicyRequest(attributes, parts);
  for (const policy of policies) await request.apply(policy);
  request.finish();
}

/** One request before the policies. */
class PolicyRequest {
  readonly #attributes: AdmissionAttributes;
  readonly #parts: DispatchParts;
  readonly #namespace: RequestNamespace;
  readonly #versions: RequestVersions;
  readonly #access: AccessDecisions;
  readonly #params: Params;
  readonly #denials: Denials;
  readonly #inputs = new Map<ResourceInfo, RequestInput>();

  constructor(attributes: AdmissionAttributes, parts: DispatchParts) {
    this.#attributes = attributes;
    this.#parts = parts;
    this.#namespace = new RequestNamespace(attributes, parts.findNamespace);
    this.#versions = new RequestVersions(attributes, attributes.context.dialect);
    this.#access = new AccessDecisions(attributes.user, parts.decideAccess);
    this.#params = new Params(parts.catalogue);
    this.#denials = new Denials(attributes);
  }

  /** @throws ApiError when a policy denied the request */
  finish(): void {
    this.#denials.throwFirst();
  }

  /**
   * Applies a policy by all of its bindings.
   *
   * @throws ApiError 404 when an expression reads a namespace that does not exist
   */
  async apply(route: RoutePolicy): Promise<void> {
    const { policy, resources } = route;
    const matched = matchedResource(route.route, this.#attributes.name);
    if (matched === undefined || !resources.selectsObject(this.#attributes)) return;
    let paramInfo: ResourceInfo | undefined;
    try {
      if (!(await this.#namespace.matches(resources.namespaceSelector))) return;
      paramInfo = this.#paramInfo(policy);
    } catch (error) {
      return this.#denials.misconfigured(policy, undefined, error);
    }
    const annotations = new AuditAnnotations(policy.name, this.#attributes.context);
    for (const bound of route.bindings) await this.#applyBinding({ policy, matched, paramInfo, annotations }, bound);
    annotations.publish();
  }

  async #applyBinding(applied: AppliedPolicy, bound: RouteBinding): Promise<void> {
    const { policy, matched } = applied;
    const { binding } = bound;
    let params: readonly (StoredObject | null)[];
    let objects: VersionedObjects;
    try {
      if (!(await this.#bindingMatches(bound))) return;
      params = await this.#params.of(applied.paramInfo, binding.spec.paramRef, namespaceOf(this.#attributes));
      if (params.length === 0) return;
      objects = await this.#versions.as(matched);
    } catch (error) {
      return this.#denials.misconfigured(policy, binding, error);
    }
    const namespace = policy.compiled.readsNamespace ? await this.#namespace.ofObject() : undefined;
    const input = this.#input(matched, objects, namespace);
    for (const param of params) await this.#evaluate(applied, binding, input, param);
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

  async #evaluate(
    { policy, annotations }: AppliedPolicy,
    binding: Binding,
    input: RequestInput,
    param: StoredObject | null,
  ): Promise<void> {
    const params = fromJson(param);
    const { failures, annotations: found } = await this.#access.complete(() => evaluatePolicy(policy, input, params));
    for (const failure of failures) this.#fail(policy, binding, failure, annotations);
    for (const annotation of found) {
      if ('error' in annotation) this.#denials.deny(policy, binding, annotation.error);
      else annotations.add(annotation.key, annotation.value);
    }
  }

  #fail(policy: Policy, binding: Binding, failure: ValidationFailure, annotations: AuditAnnotations): void {
    const { context } = this.#attributes;
    for (const action of binding.spec.validationActions ?? []) {
      if (action === 'Deny') this.#denials.deny(policy, binding, failure.message, failure.reason);
      else if (action === 'Audit') annotations.addFailure(binding, failure);
      else
        context.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${failure.message}`,
        );
    }
  }
}

/** A policy that matches a request. */
interface AppliedPolicy {
  readonly policy: Policy;
  readonly matched: EquivalentResource;
  readonly paramInfo: ResourceInfo | undefined;
  readonly annotations: AuditAnnotations;
}
