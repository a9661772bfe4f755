/**
 * Posts review objects to webhooks, which return them with a status. All callers share the retries, the timeouts, and
 * the checks of the response.
 *
 * @module
 */
import { onAbort } from '../async/on-abort.js';
import { shareTurn } from '../async/turn.js';
import { definedOnly } from '../collections/defined-only.js';
import { decodeValidUtf8 } from '../encoding/utf8.js';
import { jsonText } from '../json/json-text.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import { parseShortJson, TooManyValues } from '../json/short-json.js';
import { delay, type Clock, type Entropy } from '../time/clock.js';
import { durationMs, type Duration } from '../time/duration.js';
import type { OutboundResponse } from './http-client.js';
import { DEFAULT_MAX_BYTES, type WebhookPost } from './webhook-post.js';

/** The retries and the pauses between them. */
export interface WebhookBackoff {
  /** First pause. Default `500ms`. */
  readonly initial?: Duration | undefined;
  /** Factor by which each pause is longer than the previous one. Default 1.5. */
  readonly factor?: number | undefined;
  /** Maximum random addition to a pause, as a share of it. Default 0.2. */
  readonly jitter?: number | undefined;
  /** Maximum number of attempts. Default 5. */
  readonly steps?: number | undefined;
}

/** How a webhook is called. */
export interface WebhookCallOptions {
  /** Posts a body to the webhook: `webhookPost(client, { url })`, or `connectionPost(connection)` of a kubeconfig. */
  readonly post: WebhookPost;
  /** Timeout of an attempt. Default `30s`. */
  readonly timeout?: Duration | undefined;
  /** Maximum size of the response, in bytes. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** Pauses between attempts, and the number of attempts. */
  readonly retry?: WebhookBackoff | undefined;
}

/** Options of {@link postReview}. */
export interface WebhookOptions extends WebhookCallOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** A review object. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The error of a webhook without a usable response. The message contains neither the review nor the response. */
export class WebhookError extends Error {
  /** HTTP status of the response, if any. */
  readonly status: number | undefined;
  /** True when another attempt may help. */
  readonly transient: boolean;
  /** Delay that the webhook requests before the next attempt, in milliseconds; 0 for none. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    facts: {
      readonly status?: number | undefined;
      readonly transient?: boolean | undefined;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'WebhookError';
    this.status = facts.status;
    this.transient = facts.transient ?? false;
    this.retryAfterMs = facts.retryAfterMs ?? 0;
  }
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_BACKOFF = { initial: 500, factor: 1.5, jitter: 0.2, steps: 5 } satisfies WebhookBackoff;
const TOO_MANY_REQUESTS = 429;

/** Network errors after which a retry may succeed. Untrusted certificates are not among them. */
const TRANSIENT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);

/**
 * Posts a review and retries after network errors, 429 and 5xx, with growing pauses that respect `Retry-After`. It does
 * not retry after other errors or after a timeout.
 *
 * @param signal aborts the call
 * @returns the response: an object of the same kind and version; the caller checks its contents
 * @throws WebhookError the last failure
 */
export function postReview(review: Review, options: WebhookOptions, signal?: AbortSignal): Promise<JsonObject> {
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  return postRetrying(jsonText(review), (answer) => readAnswer(answer, review, maxBytes), options, signal);
}

/**
 * Posts a text whose response says only whether it was accepted, as {@link postReview} posts a review.
 *
 * @throws WebhookError the last failure
 */
export function postAccepted(body: string, options: WebhookOptions, signal?: AbortSignal): Promise<void> {
  return postRetrying(body, checkStatus, options, signal);
}

/** Posts until `read` accepts the response. @throws WebhookError the last failure */
async function postRetrying<Answer>(
  body: string,
  read: (answer: OutboundResponse) => Answer,
  options: WebhookOptions,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const { clock, entropy } = options;
  const { initial, factor, jitter, steps } = { ...DEFAULT_BACKOFF, ...definedOnly(options.retry ?? {}) };
  for (let attempt = 1, pauseMs = durationMs(initial); ; attempt += 1, pauseMs *= factor) {
    try {
      const answer = await attemptOnce(body, options, signal);
      // Many answers may arrive in one turn, and each may be long.
      await shareTurn();
      return read(answer);
    } catch (error) {
      if (!(error instanceof WebhookError) || !error.transient || attempt >= steps) throw error;
      const retryAfterMs = Math.min(error.retryAfterMs, durationMs(options.timeout ?? DEFAULT_TIMEOUT_MS));
      await delay(clock, Math.max(pauseMs * (1 + jitter * randomFraction(entropy)), retryAfterMs), signal);
      if (signal?.aborted === true) throw error;
    }
  }
}

/** Returns a random number from 0 to less than 1. */
function randomFraction(entropy: Entropy): number {
  return new DataView(entropy.bytes(4).slice().buffer).getUint32(0) / 2 ** 32;
}

/** Posts once with a timeout. Ends on timeout or abort, whatever the post does. */
function attemptOnce(
  body: string,
  { post, clock, timeout = DEFAULT_TIMEOUT_MS }: WebhookOptions,
  signal: AbortSignal | undefined,
): Promise<OutboundResponse> {
  const abort = new AbortController();
  const timeoutMs = durationMs(timeout);
  return new Promise((resolve, reject) => {
    const end = (error: WebhookError): void => {
      reject(error);
      abort.abort(error);
    };
    const cancelled = (): void => end(new WebhookError('the request to the webhook was cancelled'));
    if (signal?.aborted === true) return cancelled();
    const timer = clock.after(timeoutMs, () =>
      end(new WebhookError(`the webhook has not answered within ${timeoutMs / 1000} seconds`)),
    );
    const stop = onAbort(signal, cancelled);
    (async () => post(body, abort.signal))()
      .then(resolve, (error: unknown) => reject(noAnswer(error)))
      .finally(() => {
        timer.cancel();
        stop();
      });
  });
}

function noAnswer(cause: unknown): WebhookError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new WebhookError(`the request to the webhook failed${reason}`, { cause, transient: isTransient(cause) });
}

function isTransient(error: unknown): boolean {
  let at = error;
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1, at = at.cause)
    if ('code' in at && TRANSIENT_CODES.has(at.code)) return true;
  return false;
}

/** @throws WebhookError for a status other than success */
function checkStatus({ status, header }: OutboundResponse): void {
  if (status >= 300 && status < 400)
    throw new WebhookError(`the webhook answered with a redirect (${status}), which is not followed`, { status });
  if (status < 200 || status > 206) {
    const transient = status === TOO_MANY_REQUESTS || status >= 500;
    throw new WebhookError(`the webhook answered with status ${status}`, {
      status,
      transient,
      retryAfterMs: retryAfterMs(header('retry-after')),
    });
  }
}

function readAnswer(response: OutboundResponse, review: Review, maxBytes: number): JsonObject {
  checkStatus(response);
  const { status, body } = response;
  if (body.length > maxBytes)
    throw new WebhookError(`the answer of the webhook is longer than ${maxBytes} bytes`, { status });
  const answer = parseObject(body, status);
  if (answer === undefined) throw new WebhookError('the answer of the webhook is not a JSON object', { status });
  for (const field of ['apiVersion', 'kind'] as const) {
    // Kubernetes accepts a response without apiVersion or kind as one of the requested type, and some webhooks rely on
    // it.
    const found = answer[field] ?? '';
    if (found !== '' && found !== review[field])
      throw new WebhookError(`the answer of the webhook must have ${field} ${JSON.stringify(review[field])}`, {
        status,
      });
  }
  return answer;
}

function parseObject(body: Uint8Array, status: number): JsonObject | undefined {
  const text = decodeValidUtf8(body);
  if (text === undefined) return undefined;
  try {
    const value = parseShortJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof TooManyValues)) return undefined;
    throw new WebhookError(`the answer of the webhook cannot be read: ${error.message}`, { status });
  }
}

/** Reads a `Retry-After` in seconds. The form with a date is ignored, as in Kubernetes. */
function retryAfterMs(value: string | undefined): number {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : 0;
}
