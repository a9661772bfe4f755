/**
 * One call of a webhook.
 *
 * Source: `admission/plugin/webhook/mutating/dispatcher.go` and `webhook/errors` of Kubernetes 1.31.
 *
 * @module
 */
import {
  ApiError,
  errors,
  goQuote,
  inSlices,
  messageOf,
  partOf,
  qualified,
  stringOrEmpty,
  workOf,
  type JsonObject,
  type JsonValue,
  type Logger,
  type SpanAttributes,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { AdmissionAttributes, RequestContext } from '../../registry/index.js';
import type { EquivalentResource } from '../matching/equivalents.js';
import type { VersionedObjects } from '../matching/versioned-objects.js';
import { annotateCertificate } from './annotations.js';
import type { CallOutcome, Hook, WebhookMeter } from './hook.js';
import { reviewGroup, reviewOf, verdictSteps, type Verdict } from './review.js';
import { sentReview, type ReviewTexts } from './sent-review.js';

/** A webhook that could not be called, or whose answer is unusable. The failure policy decides about the request. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(hook: Hook, reason: string, cause?: unknown) {
    super(`failed calling webhook ${goQuote(hook.name)}: ${reason}`, { cause });
  }
}

const LAYERS = { Mutating: 'mutating-webhook', Validating: 'validating-webhook' } as const;

/**
 * Calls a webhook. Its warnings and audit annotations are recorded even when it refuses the request.
 *
 * @throws CallFailure when the call fails; ApiError when the webhook refuses the request, or a dry run may not call it
 */
export async function callHook(
  hook: Hook,
  attributes: AdmissionAttributes,
  matched: EquivalentResource,
  objects: VersionedObjects,
  texts: ReviewTexts,
): Promise<Verdict> {
  const { context, dryRun } = attributes;
  if (dryRun && !hook.allowsDryRun)
    throw errors.badRequest(`admission webhook ${goQuote(hook.name)} does not support dry run`);
  const requestWork = workOf(context);
  const work = partOf(requestWork);
  try {
    return await callWithin(hook, attributes, { matched, objects, texts, requestWork, work });
  } finally {
    work.end();
  }
}

/** The parts with which a call is made. */
interface HookCall {
  readonly matched: EquivalentResource;
  readonly objects: VersionedObjects;
  readonly texts: ReviewTexts;
  readonly requestWork: Work;
  /** The part of the work of the request that ends with the call: the memory of the answer. */
  readonly work: Work;
}

async function callWithin(
  hook: Hook,
  attributes: AdmissionAttributes,
  { matched, objects, texts, requestWork, work }: HookCall,
): Promise<Verdict> {
  const { context } = attributes;
  const uid = context.entropy.uuid();
  const review = reviewOf(attributes, matched, objects, hook.reviewVersion, uid);
  const { timeoutSeconds } = hook;
  let answer: JsonObject;
  const span = context.span?.child(CALL_STEPS[hook.phase], callAttributes(hook, attributes, uid));
  try {
    const sent = sentReview(review, texts, requestWork, work);
    answer = await hook.send(sent, { timeoutSeconds, signal: context.signal, span });
    span?.end();
  } catch (error) {
    span?.end(error);
    annotateCertificate(error, context);
    // The review does not fit into the memory budget.
    if (error instanceof ApiError) throw error;
    throw new CallFailure(hook, `failed to call webhook: ${messageOf(error)}`, error);
  }
  let verdict: Verdict;
  try {
    const returned = { review: answer, hook, uid, group: reviewGroup(context.dialect) };
    verdict = await inSlices(requestWork, verdictSteps(requestWork, returned), 'admission');
  } catch (error) {
    // The work of the request is over.
    if (error instanceof ApiError) throw error;
    throw new CallFailure(hook, `received invalid webhook response: ${messageOf(error)}`, error);
  }
  await inSlices(requestWork, recordSteps(hook, verdict, context, requestWork), 'admission');
  if (!verdict.allowed) throw refusal(hook, verdict.result ?? {});
  return verdict;
}

/** Work of recording a warning or an annotation. */
const UNITS_PER_RECORD = 40;

/** Records the warnings and annotations of a webhook, which the request keeps. */
function* recordSteps(
  hook: Hook,
  { warnings, auditAnnotations }: Verdict,
  context: RequestContext,
  work: Work,
): Steps<void> {
  for (const warning of warnings) {
    context.warn(warning);
    if (work.spend(UNITS_PER_RECORD)) yield;
  }
  if (context.annotate === undefined) return;
  for (const [key, value] of auditAnnotations) {
    work.reserve(key.length + value.length);
    context.annotate(`${hook.name}/${key}`, value);
    if (work.spend(UNITS_PER_RECORD)) yield;
  }
}

/** Steps of calls, by Kubernetes' names. */
const CALL_STEPS: Readonly<Record<Hook['phase'], string>> = {
  Mutating: 'Call mutating webhook',
  Validating: 'Call validating webhook',
};

const callAttributes = (
  { configuration, name }: Hook,
  { info, subresource, operation }: AdmissionAttributes,
  uid: string,
): SpanAttributes => ({
  configuration,
  webhook: name,
  resource: qualified(info.resource, info.group),
  subresource,
  operation,
  UID: uid,
});

/** The parts to which calls are reported. */
export interface CallReports {
  readonly logger: Logger;
  readonly meter: WebhookMeter;
}

/** Measures a call, whatever it leads to. @throws what it throws */
export async function measuredCall<Result>(
  hook: Hook,
  { operation, context }: AdmissionAttributes,
  meter: WebhookMeter,
  call: () => Promise<Result>,
): Promise<Result> {
  const beganMs = meter.now();
  try {
    const result = await call();
    addTime(hook, context, meter.now() - beganMs);
    meter.called(hook, operation, beganMs, undefined);
    return result;
  } catch (error) {
    addTime(hook, context, meter.now() - beganMs);
    const passes = error instanceof CallFailure && hook.ignoresFailures;
    meter.called(hook, operation, beganMs, passes ? undefined : outcomeOf(error));
    throw error;
  }
}

function addTime({ phase }: Hook, { took, webhookTimes: times }: RequestContext, tookMs: number): void {
  took?.(LAYERS[phase], tookMs);
  if (times === undefined) return;
  if (phase === 'Mutating') times.mutatingWebhooksMs += tookMs;
  else times.validatingWebhooksMs = Math.max(times.validatingWebhooksMs, tookMs);
}

function outcomeOf(error: unknown): CallOutcome {
  if (error instanceof CallFailure) return { type: 'calling_webhook_error', code: 0 };
  if (!(error instanceof ApiError) || error.code === INTERNAL_ERROR)
    return { type: 'apiserver_internal_error', code: 0 };
  return { type: 'no_error', code: error.code };
}

/**
 * Decides about a request whose webhook did not admit it: after a failed call the failure policy may let it pass.
 *
 * @throws ApiError when the request fails
 */
export function failOrPass(hook: Hook, error: unknown, { logger, meter }: CallReports): void {
  const { name, configuration, ignoresFailures } = hook;
  if (!(error instanceof CallFailure)) throw error;
  if (!ignoresFailures) throw errors.internal(error.message, { cause: error });
  const why = 'a webhook could not be called, and its failure policy lets the request pass';
  logger.error(why, { webhook: name, configuration, error });
  meter.failedOpen(hook);
}

const BAD_REQUEST = 400;
const INTERNAL_ERROR = 500;
const MAX_CODE = 599;

/** Returns the error of a refusal: the Status of the webhook, which is a failure whatever it says. */
function refusal({ name }: Hook, result: JsonObject): ApiError {
  const { code, message, reason } = result;
  const deniedBy = `admission webhook ${goQuote(name)} denied the request`;
  const why = stringOrEmpty(message) || stringOrEmpty(reason);
  const failure = { ...result, message: why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}` };
  return ApiError.fromStatus({ ...failure, code: codeOf(code) }, BAD_REQUEST);
}

/** Returns a code that is a failure, and that every transport can send. */
function codeOf(code: JsonValue | undefined): number {
  if (typeof code !== 'number' || code < BAD_REQUEST) return BAD_REQUEST;
  return code > MAX_CODE ? INTERNAL_ERROR : Math.trunc(code);
}
