/**
 * The webhook authorizer: a remote service decides.
 *
 * @module
 */
import {
  aggregateText,
  durationMs,
  goQuote,
  groupName,
  postReview,
  report,
  reviewVersions,
  systemGroup,
  toError,
  utf8Length,
  whenReady,
  type Dialect,
  type Duration,
  WaitingRoom,
  type JsonObject,
  type ReviewVersion,
  type WebhookCallOptions,
  type WebhookOptions,
} from '../../../foundation/index.js';
import { tokenDigest } from '../../tokens/digest.js';
import type { Attributes } from '../attributes.js';
import { NO_OPINION, withRules, type Authorizer, type Decision } from '../authorizer.js';
import { unlistable, type UserRules } from '../rules.js';
import {
  accessReviewSpec,
  matchableSpec,
  readAccessReviewAnswer,
  specInVersion,
  type AccessReviewAnswer,
} from './access-review.js';
import { DecisionCache } from './decision-cache.js';
import { compileMatchConditions, type WebhookMatchCondition } from './match-conditions.js';

/** The decision when a webhook is unavailable or its match conditions fail. */
export type WebhookFailurePolicy = 'NoOpinion' | 'Deny';

/** A webhook that authorizes requests. */
export interface AccessWebhookOptions extends WebhookCallOptions {
  /** Version of the reviews. Default `v1beta1`, the default of the flag in Kubernetes. */
  readonly version?: ReviewVersion | undefined;
  /** Lifetime of a cached Allow. Default `5m`; 0 disables the cache. */
  readonly authorizedTtl?: Duration | undefined;
  /** Lifetime of any other cached decision. Default `30s`; 0 disables the cache. */
  readonly unauthorizedTtl?: Duration | undefined;
  /** Default `NoOpinion`: the next authorizer decides. */
  readonly failurePolicy?: WebhookFailurePolicy | undefined;
  /** At most 64. The webhook is called when all are true. Default none: it is always called. */
  readonly matchConditions?: readonly WebhookMatchCondition[] | undefined;
  /** Maximum number of cached decisions. Default 8,192. */
  readonly cacheSize?: number | undefined;
  /** Called with the error of every failed call. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** Options of {@link createWebhookAuthorizer}. */
export interface WebhookAuthorizerOptions extends AccessWebhookOptions, WebhookOptions {
  readonly dialect: Dialect;
  /** Whether to send selectors and let conditions read them (feature gate `AuthorizeWithSelectors`). Default false. */
  readonly withSelectors?: boolean | undefined;
  /** Cache of decisions; default a new one. A shared cache survives a change of the other options. */
  readonly cache?: DecisionCache | undefined;
}

const AUTHORIZATION = systemGroup('authorization');
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;
/** Maximum bytes of cached values that a client controls, as in Kubernetes. */
const MAX_CACHED_BYTES = 10_000;
/** Maximum number of concurrent reviews. The client is not authorized yet, so no other limit applies. */
const MAX_IN_FLIGHT = 8192;
/** Length of the specs of all concurrent reviews. */
const MAX_IN_FLIGHT_BYTES = 8 * 1024 * 1024;
const UNLISTABLE: UserRules = Object.freeze(unlistable('webhook authorizer'));

/**
 * Creates an authorizer that sends a SubjectAccessReview to a webhook. `denied` gives Deny, `allowed` gives Allow, and
 * neither gives NoOpinion. The failure policy decides after a failure; the cause is in the decision's `error`.
 *
 * The cache key is a digest of the complete spec. Requests with the same spec wait for one review. The result is
 * synchronous for cached decisions and for requests that no condition matches.
 *
 * @throws TypeError for an unsupported version
 * @throws Error with all errors of the conditions, in the words of Kubernetes
 */
export async function createWebhookAuthorizer(options: WebhookAuthorizerOptions): Promise<Authorizer> {
  const { dialect, matchConditions = [], withSelectors = false, version = 'v1beta1' } = options;
  if (!reviewVersions.includes(version)) {
    throw new TypeError(
      `unsupported webhook authorizer version ${goQuote(version)}, supported versions are ${reviewVersions.map(goQuote).join(', ')}`,
    );
  }
  const { errors, matches } = await compileMatchConditions(matchConditions, { dialect, withSelectors });
  if (errors.length > 0) throw new Error(aggregateText(errors));
  const reviews = new ReviewClient({ ...options, version });
  const isConditional = matchConditions.length > 0;
  const authorize = (attributes: Attributes): Decision | Promise<Decision> => {
    if (!isConditional) return reviews.decide(attributes);
    return whenReady(matches(matchableSpec(attributes, withSelectors)), (matched) => {
      if (matched === true) return reviews.decide(attributes);
      return matched === false ? NO_OPINION : reviews.failed(matched);
    });
  };
  return withRules(authorize, () => UNLISTABLE);
}

/** Posts reviews and caches the answers. */
class ReviewClient {
  readonly #options: WebhookAuthorizerOptions & { readonly version: ReviewVersion };
  readonly #authorizedTtlMs: number;
  readonly #unauthorizedTtlMs: number;
  readonly #cache: DecisionCache;
  readonly #apiVersion: string;
  readonly #inFlight = new Map<string, Promise<Decision>>();
  readonly #room = new WaitingRoom(MAX_IN_FLIGHT_BYTES);

  constructor(options: WebhookAuthorizerOptions & { readonly version: ReviewVersion }) {
    const { clock, cacheSize, cache = new DecisionCache({ clock, size: cacheSize }) } = options;
    this.#options = options;
    this.#authorizedTtlMs = durationMs(options.authorizedTtl ?? AUTHORIZED_TTL_MS);
    this.#unauthorizedTtlMs = durationMs(options.unauthorizedTtl ?? UNAUTHORIZED_TTL_MS);
    this.#cache = cache;
    this.#apiVersion = `${groupName(AUTHORIZATION, options.dialect)}/${options.version}`;
  }

  decide(attributes: Attributes): Decision | Promise<Decision> {
    const spec = accessReviewSpec(attributes, this.#options.withSelectors ?? false);
    const text = JSON.stringify(spec);
    const key = tokenDigest(text);
    return this.#cache.find(key) ?? this.#inFlight.get(key) ?? this.#start(key, text.length, spec, attributes);
  }

  failed(error: Error): Decision {
    return { decision: this.#options.failurePolicy ?? 'NoOpinion', reason: '', error };
  }

  #start(key: string, length: number, spec: JsonObject, attributes: Attributes): Decision | Promise<Decision> {
    const leave = this.#inFlight.size < MAX_IN_FLIGHT ? this.#room.enter(length) : undefined;
    if (leave === undefined) return this.failed(new Error('too many webhook reviews are in flight'));
    const pending = this.#post(key, spec, attributes).finally(() => {
      this.#inFlight.delete(key);
      leave();
    });
    this.#inFlight.set(key, pending);
    return pending;
  }

  async #post(key: string, spec: JsonObject, attributes: Attributes): Promise<Decision> {
    const { version, onError } = this.#options;
    const review = {
      kind: 'SubjectAccessReview',
      apiVersion: this.#apiVersion,
      metadata: { creationTimestamp: null },
      spec: specInVersion(spec, version),
      status: { allowed: false },
    };
    try {
      const answer = readAccessReviewAnswer(await postReview(review, this.#options));
      const decision = Object.freeze(decisionOf(answer));
      if (isSmall(attributes, answer))
        this.#cache.remember(key, decision, answer.allowed ? this.#authorizedTtlMs : this.#unauthorizedTtlMs);
      return decision;
    } catch (cause) {
      const error = toError(cause, 'the webhook failed');
      report(() => onError?.(error));
      return this.failed(error);
    }
  }
}

function decisionOf({ allowed, denied, reason }: AccessReviewAnswer): Decision {
  if (denied && allowed)
    return {
      decision: 'Deny',
      reason,
      error: new Error('webhook subject access review returned both allow and deny response'),
    };
  if (denied) return { decision: 'Deny', reason };
  return { decision: allowed ? 'Allow' : 'NoOpinion', reason };
}

/** True when a decision is small enough for the cache, so that neither a client nor a webhook can fill memory. */
function isSmall(
  { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path }: Attributes,
  { reason }: AccessReviewAnswer,
): boolean {
  let bytes = 0;
  for (const text of [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path])
    bytes += utf8Length(text);
  return bytes < MAX_CACHED_BYTES && reason.length < MAX_CACHED_BYTES;
}
