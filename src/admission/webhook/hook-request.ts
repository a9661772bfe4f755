/**
 * Which webhooks a request calls.
 *
 * Source: `admission/plugin/webhook/generic/webhook.go` of Kubernetes 1.31.
 *
 * @module
 */
import { errors, messageOf, UNBOUNDED_WORK, type DecodeAnswer, type Steps } from '../../foundation/index.js';
import type { AdmissionAttributes } from '../../registry/index.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import { matchedResource } from '../matching/match-resources.js';
import { RequestNamespace } from '../matching/request-namespace.js';
import type { VersionedObjects } from '../matching/versioned-objects.js';
import type { NamespaceLookup } from '../namespace-lifecycle.js';
import { AccessDecisions, type DecideAccess } from '../policy/access-decisions.js';
import { OutOfBudget, RequestBudget } from '../policy/evaluation.js';
import {
  matchConditions,
  type ConditionMeter,
  type ConditionOwner,
  type MatchOutcome,
} from '../policy/match-conditions.js';
import { RequestInput } from '../policy/request-input.js';
import type { CallReports } from './call.js';
import type { Hook, RouteHook, WebhookMeter } from './hook.js';

/** The parts that decide whether a webhook is called. */
interface HookRequestParts {
  readonly findNamespace: NamespaceLookup;
  readonly decideAccess: DecideAccess;
  readonly meter: Pick<WebhookMeter, 'conditions'>;
}

/** The parts with which the webhooks of a request are called. */
export interface DispatchParts extends HookRequestParts, CallReports {
  readonly meter: WebhookMeter;
  /** Decodes the patches of webhooks. */
  readonly decode: DecodeAnswer;
}

/** Phases as the metrics of match conditions name them. */
const TYPES: Readonly<Record<Hook['phase'], ConditionOwner['type']>> = { Mutating: 'admit', Validating: 'validate' };

/** One request before the webhooks of a phase. */
export class HookRequest {
  readonly #attributes: AdmissionAttributes;
  readonly #namespace: RequestNamespace;
  readonly #access: AccessDecisions;
  readonly #meter: ConditionMeter;
  readonly #budget = new RequestBudget();

  constructor(attributes: AdmissionAttributes, { findNamespace, decideAccess, meter }: HookRequestParts) {
    this.#attributes = attributes;
    this.#meter = meter.conditions;
    this.#namespace = new RequestNamespace(attributes, findNamespace);
    this.#access = new AccessDecisions(attributes.user, decideAccess);
  }

  /**
   * Returns the resource that a webhook matches, and the objects in its version; undefined when the webhook is not
   * called.
   *
   * @param objectsAs returns the objects in the version of a resource
   * @throws ApiError 404 when the namespace does not exist; 403 when a match condition cannot be evaluated and the
   *   failure policy is Fail; 500 when the objects cannot be converted
   */
  async matched(
    { hook, route }: RouteHook,
    objectsAs: (matched: EquivalentResource) => VersionedObjects | Promise<VersionedObjects>,
  ): Promise<{ readonly matched: EquivalentResource; readonly objects: VersionedObjects } | undefined> {
    const { match } = hook;
    if (!match.selectsObject(this.#attributes)) return undefined;
    const matched = matchedResource(route, this.#attributes.name);
    if (matched === undefined || !(await this.#namespace.matches(match.namespaceSelector))) return undefined;
    let objects: VersionedObjects;
    try {
      objects = await objectsAs(matched);
    } catch (error) {
      throw errors.internal(messageOf(error));
    }
    return (await this.#conditionsHold(hook, matched, objects)) ? { matched, objects } : undefined;
  }

  async #conditionsHold(hook: Hook, matched: EquivalentResource, objects: VersionedObjects): Promise<boolean> {
    if (hook.conditions === undefined) return true;
    const { work = UNBOUNDED_WORK } = this.#attributes.context;
    const conditions = { matchConditions: await hook.conditions(work), variables: [] };
    const input = new RequestInput(this.#attributes, matched, objects, undefined, this.#access.decide);
    const beganMs = this.#meter.now();
    const given = { input, params: null, work, requestBudget: this.#budget };
    const outcome = await this.#access.complete(function* (): Steps<MatchOutcome> {
      try {
        return yield* matchConditions(conditions, given);
      } catch (error) {
        if (error instanceof OutOfBudget) return { holds: error.message, errors: 0 };
        throw error;
      }
    }, work);
    const owner = { name: hook.name, kind: 'webhook', type: TYPES[hook.phase] } as const;
    this.#meter.evaluated(owner, this.#attributes.operation, outcome, this.#meter.now() - beganMs);
    const { holds } = outcome;
    if (typeof holds === 'boolean') return holds;
    if (hook.ignoresFailures) return false;
    const { info, name } = this.#attributes;
    throw errors.forbidden(info, name, holds);
  }
}
