/**
 * One call of a function that is a webhook: in the process of the server, or served for another one.
 *
 * @module
 */
import {
  definedOnly,
  encodeBase64Text,
  isJsonObject,
  jsonText,
  jsonValue,
  shareTurn,
  within,
  type Clock,
  type JsonObject,
} from '../../foundation/index.js';
import { JSON_PATCH } from './review.js';
import type { AdmissionRequest, WebhookDefinition, WebhookResponse } from './webhook-definition.js';

/** The limits of a call of a function. */
export interface FunctionCall {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Aborts when the request ends. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Calls a function, and returns what it answers as the `response` of an AdmissionReview.
 *
 * @param request a copy, which the function may keep
 * @throws Error when the function throws, is late, or answers something that is not an object
 */
export async function callFunction(
  { handler }: WebhookDefinition,
  request: AdmissionRequest,
  { clock, timeoutMs, signal }: FunctionCall,
): Promise<JsonObject> {
  // A function that is called for what it writes itself must not keep the timers from ending its requests.
  await shareTurn();
  const answer = await within(
    clock,
    timeoutMs,
    (late) => handler(request, signal === undefined ? late : AbortSignal.any([signal, late])),
    () => new Error('context deadline exceeded'),
  );
  return responseOf(answer, request.uid);
}

/** Returns the answer of a function as the response of a webhook. @throws Error for an answer that is not an object */
function responseOf(answer: WebhookResponse, uid: string): JsonObject {
  if (typeof answer !== 'object' || answer === null)
    throw new Error('the function must return an object such as { allowed: true }');
  const { patch, ...rest } = answer;
  const hasPatch = patch !== undefined && patch.length > 0;
  const response: unknown = jsonValue(
    jsonText({
      uid,
      ...definedOnly(rest),
      ...(hasPatch ? { patch: encodeBase64Text(jsonText(patch)), patchType: JSON_PATCH } : {}),
    }),
  );
  if (!isJsonObject(response)) throw new Error('the function must return an object such as { allowed: true }');
  return response;
}
