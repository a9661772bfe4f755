/**
 * Webhooks that are functions of the process. They behave as those of a configuration, without the connection.
 *
 * @module
 */
import {
  durationMs,
  isDuration,
  shown,
  type Duration,
  type GroupVersionKind,
  type GroupVersionResource,
  type JsonObject,
  type UserInfo,
} from '../../foundation/index.js';
import type { admissionregistrationV1 } from '../../kinds/index.js';
import type { JsonPatchOperation } from '../../machinery/index.js';
import type { AdmissionOperation } from '../../registry/index.js';

/** The request to a webhook: the AdmissionRequest of an AdmissionReview, version v1. */
export interface AdmissionRequest {
  readonly uid: string;
  /** Kind of the objects: that of the rule that matches. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string | undefined;
  /** Kind of the request, which another version of the resource may have received. */
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly requestSubResource?: string | undefined;
  /** Absent for a create whose name is still to be generated. */
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly operation: AdmissionOperation;
  readonly userInfo: Partial<UserInfo>;
  /** The new object; null for a delete. */
  readonly object: JsonObject | null;
  /** The stored object; null for a create. */
  readonly oldObject: JsonObject | null;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject | null;
}

/** The answer of a webhook. */
export interface WebhookResponse {
  readonly allowed: boolean;
  /** Changes of the object. Only for mutating webhooks. */
  readonly patch?: readonly JsonPatchOperation[] | undefined;
  /** Why the request is refused. Default code 400. */
  readonly status?:
    | {
        readonly code?: number | undefined;
        readonly message?: string | undefined;
        readonly reason?: string | undefined;
      }
    | undefined;
  /** Warnings for the client. */
  readonly warnings?: readonly string[] | undefined;
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

/** A webhook that is a function of the process. */
export interface WebhookDefinition {
  /** Name in messages, such as `sidecars.example.com`. */
  readonly name: string;
  /** Default `Validating`: the webhook sees the object as it is about to be stored. `Mutating`: it may change it. */
  readonly phase?: 'Mutating' | 'Validating' | undefined;
  /** The requests that it is called for. */
  readonly rules: readonly admissionregistrationV1.RuleWithOperations[];
  /** Whether a request fails when the function throws or is late. Default `Fail`. */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** Whether the rules match other versions of a resource too. Default `Equivalent`. */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | undefined;
  readonly namespaceSelector?: admissionregistrationV1.MatchResources['namespaceSelector'] | undefined;
  readonly objectSelector?: admissionregistrationV1.MatchResources['objectSelector'] | undefined;
  /** Expressions in CEL, all of which must be true. */
  readonly matchConditions?: readonly admissionregistrationV1.MatchCondition[] | undefined;
  /** Effects beside the answer. Dry runs are refused with `Some`. Default `None`. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | 'Some' | undefined;
  /** Maximum time of a call, from `1s` to `30s`, on the clock of the server. Default `10s`. */
  readonly timeout?: Duration | undefined;
  /** `IfNeeded` calls a mutating webhook again when the object changes after its call. Default `Never`. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded' | undefined;
  /**
   * Decides about a request.
   *
   * @param request a copy
   * @param signal aborts at the timeout and when the client goes away
   */
  handler(request: AdmissionRequest, signal: AbortSignal): WebhookResponse | Promise<WebhookResponse>;
}

/** A checked {@link WebhookDefinition}, for the option `admission.plugins` of a server. */
export class InProcessWebhook {
  readonly definition: WebhookDefinition;

  /** @throws TypeError that names an invalid member */
  constructor(definition: WebhookDefinition) {
    check(definition);
    this.definition = Object.freeze({ ...definition, handler: definition.handler.bind(definition) });
  }

  get name(): string {
    return this.definition.name;
  }
}

/**
 * Defines a webhook that is a function of the process.
 *
 * ```
 * new ApiServer({
 *   admission: {
 *     plugins: [
 *       webhook({
 *         name: 'no-latest.example.com',
 *         rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
 *         handler: ({ object }) => ({ allowed: !JSON.stringify(object).includes(':latest') }),
 *       }),
 *     ],
 *   },
 * });
 * ```
 *
 * @throws TypeError that names an invalid member
 */
export const webhook = (definition: WebhookDefinition): InProcessWebhook => new InProcessWebhook(definition);

const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 30_000;

const isTimeout = (value: unknown): boolean =>
  isDuration(value) && durationMs(value) >= MIN_TIMEOUT_MS && durationMs(value) <= MAX_TIMEOUT_MS;

const VALUES: Readonly<Record<string, readonly string[]>> = {
  phase: ['Mutating', 'Validating'],
  failurePolicy: ['Fail', 'Ignore'],
  matchPolicy: ['Equivalent', 'Exact'],
  sideEffects: ['None', 'NoneOnDryRun', 'Some'],
  reinvocationPolicy: ['Never', 'IfNeeded'],
};
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(VALUES),
  ...['name', 'rules', 'namespaceSelector', 'objectSelector', 'matchConditions', 'timeout', 'handler'],
]);

function check(definition: WebhookDefinition): void {
  const refuse = (why: string): never => {
    throw new TypeError(`webhook: ${why}`);
  };
  if (typeof definition !== 'object' || definition === null)
    refuse(`the definition must be an object { name, rules, handler }, got ${shown(definition)}`);
  const unknown = Object.keys(definition).find((key) => !KNOWN.has(key));
  if (unknown === 'timeoutSeconds')
    refuse('the member timeoutSeconds is timeout now: milliseconds, or a string such as "10s"');
  if (unknown !== undefined) refuse(`there is no member ${unknown}; the members are ${[...KNOWN].join(', ')}`);
  const { name, rules, handler, timeout, phase, reinvocationPolicy } = definition;
  if (typeof name !== 'string' || name === '') refuse(`name must be a string, got ${shown(name)}`);
  if (!Array.isArray(rules) || rules.length === 0)
    refuse(
      `rules must be a list such as [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }], got ${shown(rules)}`,
    );
  if (typeof handler !== 'function') refuse(`handler must be a function of a request, got ${shown(handler)}`);
  for (const [member, values] of Object.entries(VALUES)) {
    const value: unknown = Reflect.get(definition, member);
    if (value !== undefined && !values.some((known) => known === value))
      refuse(`${member} must be one of ${values.join(', ')}, got ${shown(value)}`);
  }
  if (timeout !== undefined && !isTimeout(timeout))
    refuse(`timeout must be milliseconds, or a string such as "10s", from 1s to 30s, got ${shown(timeout)}`);
  if (reinvocationPolicy !== undefined && phase !== 'Mutating')
    refuse('reinvocationPolicy is only for webhooks with phase Mutating');
}
