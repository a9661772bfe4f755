/**
 * The target that answers the reviews of API servers by calling functions.
 *
 * @module
 */
import { callFunction, type InProcessWebhook, type WebhookDefinition } from '../../admission/index.js';
import {
  ApiError,
  durationMs,
  inSlices,
  jsonText,
  messageOf,
  parseGoDuration,
  SharedWork,
  type Clock,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { callConversion, FUNCTION_TIMEOUT_MS, type ConversionFunction } from '../../kinds/index.js';
import {
  bodyDecodeLimits,
  BodyTooLargeError,
  DecodeProblem,
  defaultLimits,
  readJson,
  type ApiRequest,
  type ApiResponse,
} from '../../server/index.js';
import type { TransportTarget } from '../../transport/index.js';
import {
  admissionRequestOf,
  conversionRequestOf,
  MalformedReview,
  receivedReview,
  type ReceivedReview,
  type ReviewKind,
} from './received-review.js';

/** The parts of {@link webhookTarget}. */
export interface WebhookFunctions {
  readonly webhooks: readonly InProcessWebhook[];
  /** Functions by the name of their definition, `<plural>.<group>`. */
  readonly conversions: Readonly<Record<string, ConversionFunction>>;
  readonly clock: Clock;
  /** Maximum size of a review, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of all reviews that are answered at a time, in bytes. */
  readonly maxTotalBytes: number;
  /** Called with what a function throws. */
  readonly onError: (error: unknown) => void;
}

/** Returns the path of an admission webhook. */
export const admissionPath = (name: string): string => `/admission/${encodeURIComponent(name)}`;
/** Returns the path of a conversion. @param name name of the definition, `<plural>.<group>` */
export const conversionPath = (name: string): string => `/conversion/${encodeURIComponent(name)}`;

/** How the reviews at a path are answered. */
interface Route {
  readonly kind: ReviewKind;
  /** Maximum time of an answer; undefined where only the caller limits it. */
  readonly timeoutMs: number | undefined;
  /** Returns the text of the `response` of the review. @throws MalformedReview; what the function throws */
  answer(review: ReceivedReview, call: RouteCall): Promise<string>;
}

/** The limits of an answer. */
interface RouteCall {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly work: Work;
}

/** Time for an answer where neither the caller nor the webhook names one, and the maximum that a caller may name. */
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;
/** Units of work of an object and of its text. */
const UNITS_PER_OBJECT = 20;
const CHARACTERS_PER_UNIT = 16;

/** Returns the target that answers the reviews that API servers post to `/admission/<name>` and `/conversion/<definition>`. */
export function webhookTarget({
  webhooks,
  conversions,
  clock,
  maxBytes,
  maxTotalBytes,
  onError,
}: WebhookFunctions): TransportTarget {
  const routes = new Map<string, Route>();
  for (const { definition } of webhooks) routes.set(admissionPath(definition.name), admissionRoute(definition, clock));
  for (const [name, convert] of Object.entries(conversions))
    routes.set(conversionPath(name), conversionRoute(convert, { clock, onError }));
  const bodies = new Bodies(maxBytes, maxTotalBytes);
  return {
    async handle(request) {
      const route = routes.get(request.path);
      if (route === undefined) return text(404, 'no webhook has this path');
      if (request.method !== 'POST') return text(405, 'method not allowed', { allow: 'POST' });
      if (!JSON_TYPE.test(request.headers.get('content-type') ?? ''))
        return text(415, 'the content type must be application/json');
      try {
        return await bodies.with(request, (body) => answerTo(route, request, body));
      } catch (error) {
        const refused = refusalOf(error);
        if (refused !== undefined) return refused;
        onError(error);
        return text(500, messageOf(error));
      }
    },
  };
}

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The bodies of reviews, within a limit for all of them. */
class Bodies {
  readonly #maxBytes: number;
  #freeBytes: number;

  constructor(maxBytes: number, maxTotalBytes: number) {
    this.#maxBytes = maxBytes;
    this.#freeBytes = maxTotalBytes;
  }

  /** Reads a body and works on it. @throws BodyTooLargeError; Busy when other bodies leave no room for it */
  async with<Result>(request: ApiRequest, work: (body: Uint8Array) => Promise<Result>): Promise<Result> {
    let taken = 0;
    const take = (bytes: number): void => {
      if (bytes > this.#freeBytes) throw new Busy();
      this.#freeBytes -= bytes;
      taken += bytes;
    };
    try {
      return await work(await request.body(this.#maxBytes, take));
    } finally {
      this.#freeBytes += taken;
    }
  }
}

/** The limit for all reviews leaves no room for another one. */
class Busy extends Error {}

async function answerTo(route: Route, request: ApiRequest, body: Uint8Array): Promise<ApiResponse> {
  const timeoutMs = timeoutOf(request.query, route.timeoutMs);
  const work = new SharedWork();
  const { value, duplicates } = await decoded(body, work);
  if (duplicates.length > 0) throw new MalformedReview('the body has a field more than once');
  const review = receivedReview(value, route.kind);
  const response = await route.answer(review, { timeoutMs, signal: request.signal, work });
  const head = jsonText({ kind: review.kind, apiVersion: review.apiVersion }).slice(0, -1);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: `${head},"response":${response}}\n` };
}

/** Decodes a body within the limits of request bodies. @throws DecodeProblem; TooManyValues */
async function decoded(body: Uint8Array, work: Work): Promise<DecodedBody> {
  try {
    return await readJson(body, bodyDecodeLimits(defaultLimits), { work });
  } catch (error) {
    throw error instanceof ApiError ? new TooManyValues(error.message, { cause: error }) : error;
  }
}

type DecodedBody = Awaited<ReturnType<typeof readJson>>;

/** A review has more objects and lists than a request body may have. */
class TooManyValues extends Error {}

/** Returns the time for an answer: what the caller gives, at most that of the webhook. @throws MalformedReview */
function timeoutOf(query: string, ownMs: number | undefined): number {
  const given = new URLSearchParams(query).get('timeout');
  if (given === null || given === '') return ownMs ?? DEFAULT_TIMEOUT_MS;
  let ms: number;
  try {
    ms = parseGoDuration(given);
  } catch (error) {
    throw new MalformedReview(`the parameter timeout is invalid: ${messageOf(error)}`, { cause: error });
  }
  if (ms <= 0) throw new MalformedReview('the parameter timeout must be above zero');
  return Math.min(ms, ownMs ?? MAX_TIMEOUT_MS);
}

/** Returns the route of a function that admits. Without a timeout of its own, that of its configuration counts. */
function admissionRoute(definition: WebhookDefinition, clock: Clock): Route {
  const { timeout } = definition;
  return {
    kind: 'AdmissionReview',
    timeoutMs: timeout === undefined ? undefined : durationMs(timeout),
    answer: async (review, { timeoutMs, signal }) =>
      jsonText(await callFunction(definition, admissionRequestOf(review), { clock, timeoutMs, signal })),
  };
}

/** Returns the route of a function that converts. What it throws is the result of the review, as Kubernetes expects. */
function conversionRoute(
  convert: ConversionFunction,
  { clock, onError }: Pick<WebhookFunctions, 'clock' | 'onError'>,
): Route {
  return {
    kind: 'ConversionReview',
    timeoutMs: FUNCTION_TIMEOUT_MS,
    async answer(review, { timeoutMs, work }) {
      const { objects, desiredApiVersion } = conversionRequestOf(review);
      const head = `{"uid":${jsonText(review.uid)},"convertedObjects":[`;
      let converted: readonly JsonValue[];
      try {
        converted = await callConversion(convert, objects, desiredApiVersion, { clock, timeoutMs });
      } catch (error) {
        onError(error);
        return `${head}],"result":${jsonText({ status: 'Failure', message: messageOf(error) })}}`;
      }
      const texts = await inSlices(work, textSteps(converted, work), 'conversion');
      return `${head}${texts.join(',')}],"result":{"status":"Success"}}`;
    },
  };
}

function* textSteps(values: readonly JsonValue[], work: Work): Steps<string[]> {
  const texts: string[] = [];
  for (const value of values) {
    const encoded = jsonText(value);
    texts.push(encoded);
    if (work.spend(UNITS_PER_OBJECT + encoded.length / CHARACTERS_PER_UNIT)) yield;
  }
  return texts;
}

/** Returns the answer to a request that reached no function; undefined for what a function threw. */
function refusalOf(error: unknown): ApiResponse | undefined {
  if (error instanceof BodyTooLargeError || error instanceof TooManyValues)
    return text(413, `the review is too large: ${error.message}`);
  if (error instanceof Busy) return text(429, 'too many reviews at a time, please try again', { 'retry-after': '1' });
  if (error instanceof MalformedReview || error instanceof DecodeProblem) return text(400, error.message);
  return undefined;
}

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
  body: `${body}\n`,
});
