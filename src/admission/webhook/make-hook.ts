/**
 * Makes webhooks from configurations and from functions of the process.
 *
 * @module
 */
import {
  cloneJson,
  durationMs,
  expressionBytes,
  inSlices,
  isJsonObject,
  reviewVersions,
  WebhookClient,
  type Clock,
  type CompiledArtefacts,
  type DecodeAnswer,
  type FindCredentials,
  type FindService,
  type HttpClient,
  type ReviewVersion,
} from '../../foundation/index.js';
import { loadExpressions, reviewIn, type admissionregistrationV1 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { RequestContext } from '../../registry/index.js';
import { MatchResources } from '../matching/match-resources.js';
import { compileMatchConditions, type CompiledExpression } from '../policy/compile-policy.js';
import { callFunction } from './call-function.js';
import type { Hook, SendReview, WebhookPhase } from './hook.js';
import { ADMISSION_REVIEW, reviewGroup } from './review.js';
import type { AdmissionRequest, WebhookDefinition } from './webhook-definition.js';

/** The parts with which the webhooks of one server are made. */
export interface HookTools extends Pick<RequestContext, 'dialect' | 'featureGates'> {
  /** Where what is compiled is counted. */
  readonly compiled: CompiledArtefacts;
  readonly clock: Clock;
  readonly http: HttpClient;
  /** Decodes the responses, and the patches in them. */
  readonly decode: DecodeAnswer;
  /** Finds the address of a webhook that is called through a service. */
  readonly findService: FindService;
  /** Credentials for the webhooks of each phase. */
  readonly credentials?: Readonly<Record<WebhookPhase, FindCredentials | undefined>> | undefined;
}

/** A stored webhook: a mutating one has a reinvocation policy. */
export type StoredWebhook = admissionregistrationV1.ValidatingWebhook &
  Pick<admissionregistrationV1.MutatingWebhook, 'reinvocationPolicy'>;

/** Name of the configuration of webhooks that are functions. */
export const IN_PROCESS = 'in-process';

/**
 * Maximum size of a response, in bytes: a patch can replace the largest object, and is base64 in JSON with other
 * members.
 */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const DEFAULT_TIMEOUT_SECONDS = 10;
const NO_SIDE_EFFECTS: ReadonlySet<string> = new Set(['None', 'NoneOnDryRun']);

/** The identity of a webhook within its configuration, and the requests that it matches. */
type HookPlace = Pick<Hook, 'phase' | 'configuration' | 'uid' | 'match'>;

/** Returns a webhook of a configuration. @throws TypeError when it accepts no known version, which validation refuses */
export function configuredHook(place: HookPlace, stored: StoredWebhook, tools: HookTools): Hook {
  const { phase, configuration, uid, match } = place;
  const reviewVersion = reviewVersionOf(stored.admissionReviewVersions);
  return {
    ...hookOf(stored, phase, match, tools),
    ...{ configuration, uid, reviewVersion },
    allowsDryRun: NO_SIDE_EFFECTS.has(stored.sideEffects),
    send: httpSend(stored.clientConfig, phase, reviewVersion, tools),
  };
}

/** Returns the webhook of a function. @throws ApiError (400) for an invalid selector */
export function functionHook(definition: WebhookDefinition, index: number, tools: HookTools): Hook {
  const { phase = 'Validating', sideEffects = 'None', name, namespaceSelector = {}, objectSelector = {} } = definition;
  for (const selector of [namespaceSelector, objectSelector]) LabelSelector.fromObject(selector);
  return {
    ...hookOf({ ...definition, timeoutSeconds: secondsOf(definition) }, phase, matchOf(definition), tools),
    configuration: IN_PROCESS,
    uid: `${IN_PROCESS}/${name}/${index}`,
    allowsDryRun: NO_SIDE_EFFECTS.has(sideEffects),
    reviewVersion: 'v1',
    send: functionSend(definition, tools),
  };
}

const secondsOf = ({ timeout }: WebhookDefinition): number | undefined =>
  timeout === undefined ? undefined : durationMs(timeout) / 1000;

/** The fields that select the requests of a webhook, and how it is called. */
interface Selection {
  readonly name: string;
  readonly rules?: WebhookDefinition['rules'] | undefined;
  readonly matchPolicy?: string | undefined;
  readonly namespaceSelector?: WebhookDefinition['namespaceSelector'] | undefined;
  readonly objectSelector?: WebhookDefinition['objectSelector'] | undefined;
  readonly matchConditions?: readonly admissionregistrationV1.MatchCondition[] | undefined;
  readonly failurePolicy?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly reinvocationPolicy?: string | undefined;
}

/** A webhook without rules is never called. */
export const hasRules = ({ rules = [] }: Pick<Selection, 'rules'>): boolean => rules.length > 0;

/** Returns the requests that a webhook matches. */
export const matchOf = ({ rules = [], matchPolicy, namespaceSelector, objectSelector }: Selection): MatchResources =>
  new MatchResources({ resourceRules: [...rules], matchPolicy, namespaceSelector, objectSelector });

function hookOf(selection: Selection, phase: WebhookPhase, match: MatchResources, tools: HookTools) {
  const { name, matchConditions = [], failurePolicy, reinvocationPolicy } = selection;
  const { timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = selection;
  return {
    ...{ phase, name, match, timeoutSeconds },
    hasRules: hasRules(selection),
    conditions: matchConditions.length === 0 ? undefined : lazilyCompiled(matchConditions, tools),
    ignoresFailures: failurePolicy === 'Ignore',
    reinvocable: reinvocationPolicy === 'IfNeeded',
  };
}

/** Returns a function that compiles conditions when they are needed and not kept. The first call loads CEL. */
function lazilyCompiled(
  conditions: readonly admissionregistrationV1.MatchCondition[],
  tools: HookTools,
): NonNullable<Hook['conditions']> {
  const kept = tools.compiled.artefact<readonly CompiledExpression[]>();
  const bytes = conditions.reduce((sum, { expression }) => sum + expressionBytes(expression), 0);
  return async (work) => {
    const known = kept.value;
    if (known !== undefined) return known;
    await loadExpressions();
    return kept.keep(await inSlices(work, compileMatchConditions(conditions, tools, work), 'admission'), bytes);
  };
}

/** Validation has checked that there is a version that this server knows. */
function reviewVersionOf(accepted: readonly string[]): ReviewVersion {
  const known = accepted.flatMap((name) => reviewVersions.find((version) => version === name) ?? []);
  const [first] = known;
  if (first === undefined) throw new TypeError('the webhook accepts no known version of AdmissionReview');
  return first;
}

/** Returns what posts reviews to the address of a configuration. */
function httpSend(
  config: admissionregistrationV1.WebhookClientConfig,
  phase: WebhookPhase,
  version: ReviewVersion,
  { dialect, clock, http, decode, findService, credentials }: HookTools,
): SendReview {
  const client = new WebhookClient(config, {
    ...{ http, clock, findService, credentials: credentials?.[phase] },
    userAgent: `${dialect.apiServerName}-admission`,
    maxBytes: MAX_RESPONSE_BYTES,
  });
  const expected = { kind: ADMISSION_REVIEW, group: reviewGroup(dialect), version };
  return async ({ text, work }, call) => {
    const answer = await client.post(await text(), { ...call, reserve: (bytes) => work.reserve(bytes) });
    return reviewIn(answer, expected, { decode, work });
  };
}

/** Returns what calls a function with a copy of the request. */
function functionSend(definition: WebhookDefinition, { clock }: HookTools): SendReview {
  return async ({ review: { kind, apiVersion, request } }, { timeoutSeconds, signal }) => {
    const asked: unknown = cloneJson(request ?? null);
    if (!isRequest(asked)) throw new TypeError('a review has a request');
    const response = await callFunction(definition, asked, { clock, timeoutMs: timeoutSeconds * 1000, signal });
    return { kind: kind ?? null, apiVersion: apiVersion ?? null, response };
  };
}

/** The members of a request that was made here are those of the type. */
const isRequest = (value: unknown): value is AdmissionRequest => isJsonObject(value);
