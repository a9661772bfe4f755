/**
 * Asking a webhook for a review: an object is posted, and comes back with its status filled in. The callers differ in what
 * they ask; how often, how long, and what counts as an answer is the same for all.
 *
 * @module
 */
import { delay, type Clock, type Entropy } from '../meta/clock.js';
import type { JsonObject } from '../meta/json.js';
import { onAbort } from '../meta/on-abort.js';
import type { HttpClient, OutboundRequest, OutboundResponse, OutboundTls } from './http-client.js';

/**
 * Posts a body, as JSON, to the one place that it was made for. Follows no redirect.
 *
 * @throws Error when there is no answer. A `code` in it, or in what it was caused by, says why, as the host's network errors have it
 */
export type WebhookPost = (body: string, signal: AbortSignal) => Promise<OutboundResponse>;

/** Pauses between attempts. */
export interface WebhookBackoff {
  /** The first pause, in milliseconds. Default 500. */
  readonly initialMs?: number;
  /** What each further pause is longer by. Default 1.5. */
  readonly factor?: number;
  /** Share of a pause that chance may add to it. Default 0.2. */
  readonly jitter?: number;
  /** Attempts in all. Default 5. */
  readonly steps?: number;
}

/** What it takes to ask a webhook. */
export interface WebhookOptions {
  readonly post: WebhookPost;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Longest time that an attempt may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** Longest answer that is taken, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
  readonly retry?: WebhookBackoff;
}

/** An object that asks something. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A webhook gave no usable answer. The message holds neither what was asked nor what was answered. */
export class WebhookError extends Error {
  /** HTTP status of the answer, where there was one. */
  readonly status: number | undefined;
  /** Whether another attempt may help. */
  readonly transient: boolean;
  /** How long the webhook wants to be left alone, in milliseconds; 0 when it does not say. */
  readonly retryAfterMs: number;

  constructor(
    message: string,
    facts: {
      readonly status?: number;
      readonly transient?: boolean;
      readonly retryAfterMs?: number;
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
const DEFAULT_MAX_BYTES = 1024 * 1024;
const DEFAULT_BACKOFF = { initialMs: 500, factor: 1.5, jitter: 0.2, steps: 5 } satisfies WebhookBackoff;
const TOO_MANY_REQUESTS = 429;

/** Network errors after which the same request may go through. Certificates that are not trusted are not among them. */
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
 * Posts a review until there is an answer: again after network errors, 429 and 5xx, with growing pauses that respect
 * `Retry-After`; not after anything else, and not after an attempt took too long.
 *
 * @param signal ends it
 * @returns the answer: an object of the same kind and version; what is in it is for the caller to check
 * @throws WebhookError the last failure
 */
export async function postReview(review: Review, options: WebhookOptions, signal?: AbortSignal): Promise<JsonObject> {
  const { clock, entropy } = options;
  const { initialMs, factor, jitter, steps } = { ...DEFAULT_BACKOFF, ...options.retry };
  const body = JSON.stringify(review);
  for (let attempt = 1, pauseMs = initialMs; ; attempt += 1, pauseMs *= factor) {
    try {
      return readAnswer(await attemptOnce(body, options, signal), review, options.maxBytes ?? DEFAULT_MAX_BYTES);
    } catch (error) {
      if (!(error instanceof WebhookError) || !error.transient || attempt >= steps) throw error;
      const retryAfterMs = Math.min(error.retryAfterMs, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      await delay(clock, Math.max(pauseMs * (1 + jitter * chance(entropy)), retryAfterMs), signal);
      if (signal?.aborted === true) throw error;
    }
  }
}

/** A number from 0 to less than 1. */
function chance(entropy: Entropy): number {
  return new DataView(entropy.bytes(4).slice().buffer).getUint32(0) / 2 ** 32;
}

/** One post, with its time limit. Ends when the limit or the signal says so, whatever the post does. */
function attemptOnce(
  body: string,
  { post, clock, timeoutMs = DEFAULT_TIMEOUT_MS }: WebhookOptions,
  signal: AbortSignal | undefined,
): Promise<OutboundResponse> {
  const abort = new AbortController();
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

function readAnswer({ status, header, body }: OutboundResponse, review: Review, maxBytes: number): JsonObject {
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
  if (body.length > maxBytes)
    throw new WebhookError(`the answer of the webhook is longer than ${maxBytes} bytes`, { status });
  const answer = parseObject(body);
  if (answer === undefined) throw new WebhookError('the answer of the webhook is not a JSON object', { status });
  for (const field of ['apiVersion', 'kind'] as const) {
    // The production system takes an answer that does not say what it is for what was asked for, and some webhooks rely on it.
    const found = answer[field] ?? '';
    if (found !== '' && found !== review[field])
      throw new WebhookError(`the answer of the webhook must have ${field} ${JSON.stringify(review[field])}`, {
        status,
      });
  }
  return answer;
}

function parseObject(body: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The form of `Retry-After` in seconds; the form with a date is not looked at, as in the production system. */
function retryAfterMs(value: string | undefined): number {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) * 1000 : 0;
}

/** What reaches one server, with its credentials: a connection of a kubeconfig is one. */
export interface WebhookConnection {
  request(request: {
    [Name in 'method' | 'headers' | 'body' | 'maxBytes' | 'signal']: NonNullable<OutboundRequest[Name]>;
  }): Promise<OutboundResponse>;
}

/** Posts over a connection, to the very URL that it has. */
export function connectionPost(connection: WebhookConnection, maxBytes = DEFAULT_MAX_BYTES): WebhookPost {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return (body, signal) => connection.request({ method: 'POST', headers, body, maxBytes, signal });
}

/** Where a webhook is. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly tls?: OutboundTls;
  /** Further header fields, such as `authorization`; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest answer that is taken, in bytes. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** Posts through a client to one place. */
export function webhookPost(client: HttpClient, { url, tls, headers, maxBytes }: WebhookEndpoint): WebhookPost {
  const toThere = tls === undefined ? { url } : { url, tls };
  return connectionPost(
    { request: (request) => client({ ...toThere, ...request, headers: { ...request.headers, ...headers } }) },
    maxBytes,
  );
}
