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
import type { Catalogue } from '../../registry/catalogue.js';
import type { ResourceInfo } from '../../registry/resource-info.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { matchedResource } from '../matching/match-resources.js';
import { RequestNamespace, namespaceOf } from '../matching/request-namespace.js';
import { RequestVersions } from '../matching/versioned-objects.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';
import { AccessDecisions, type DecideAccess } from './access-decisions.js';
import { AuditAnnotations } from './audit-annotations.js';
import { Denials } from './denials.js';
import { evaluatePolicy, type ValidationFailure } from './evaluate-policy.js';
import { ConfigurationError, findParamKind, paramKindText, Params } from './params.js';
import type { Binding, Policy, RouteBinding, RoutePolicy } from './policy-index.js';
import { RequestInput } from './request-input.js';

/** What {@link dispatch} needs. */
export interface DispatchParts {
  readonly catalogue: Catalogue;
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

  /** Applies a policy by all of its bindings. */
  async apply(route: RoutePolicy): Promise<void> {
    const { policy, bindings, resources } = route;
    const matched = matchedResource(route.route, this.#attributes.name);
    if (matched === undefined || !resources.selectsObject(this.#attributes)) return;
    const annotations = new AuditAnnotations(policy.name, this.#attributes.context);
    try {
      if (!(await this.#namespace.matches(resources.namespaceSelector))) return;
      const paramInfo = this.#paramInfo(policy);
      for (const bound of bindings) await this.#applyBinding({ policy, matched, paramInfo, annotations }, bound);
    } catch (error) {
      this.#denials.misconfigured(policy, undefined, error);
    }
    annotations.publish();
  }

  async #applyBinding(applied: AppliedPolicy, { binding, match }: RouteBinding): Promise<void> {
    const attributes = this.#attributes;
    try {
      if (match !== undefined) {
        if (matchedResource(match.route, attributes.name) === undefined) return;
        if (!match.resources.selectsObject(attributes)) return;
        if (!(await this.#namespace.matches(match.resources.namespaceSelector))) return;
      }
      const params = await this.#params.of(applied.paramInfo, binding.spec.paramRef, namespaceOf(attributes));
      if (params.length === 0) return;
      const input = await this.#input(applied);
      for (const param of params) await this.#evaluate(applied, binding, input, param);
    } catch (error) {
      this.#denials.misconfigured(applied.policy, binding, error);
    }
  }

  /** @throws ConfigurationError when the kind is not served */
  #paramInfo({ spec: { paramKind } }: Policy): ResourceInfo | undefined {
    if (paramKind === undefined) return undefined;
    const found = findParamKind(this.#parts.catalogue, paramKind);
    if (found !== undefined) return found;
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${paramKindText(paramKind)}'`);
  }

  async #input({ policy, matched }: AppliedPolicy): Promise<RequestInput> {
    const namespace = policy.compiled.readsNamespace ? await this.#namespace.ofObject() : undefined;
    const known = this.#inputs.get(matched.info);
    if (known !== undefined && (namespace === undefined || known.hasNamespace)) return known;
    const objects = await this.#versions.as(matched);
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
