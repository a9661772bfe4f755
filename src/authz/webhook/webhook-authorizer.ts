/**
 * A service that is asked who may do what.
 *
 * @module
 */
import { toError } from '../../meta/error-message.js';
import { aggregateText } from '../../meta/field-error.js';
import { goQuote, utf8Length } from '../../meta/go-text.js';
import type { JsonObject } from '../../meta/json.js';
import { report } from '../../meta/report.js';
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';
import { reviewVersions } from '../../outbound/review-versions.js';
import { postReview, type WebhookOptions } from '../../outbound/webhook.js';
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
  type AccessReviewVersion,
} from './access-review.js';
import { DecisionCache } from './decision-cache.js';
import { compileMatchConditions, type Matcher, type WebhookMatchCondition } from './match-conditions.js';

/** What holds when a webhook cannot be asked, or its conditions cannot be evaluated. */
export type WebhookFailurePolicy = 'NoOpinion' | 'Deny';

/** How a {@link createWebhookAuthorizer} works. `timeoutMs` bounds one attempt; default 30,000. */
export interface WebhookAuthorizerOptions extends WebhookOptions {
  readonly dialect: Dialect;
  /** Version of the reviews that are posted and answered. Default `v1beta1`, as the flag's in the production system. */
  readonly version?: AccessReviewVersion | undefined;
  /** How long it counts that something is allowed, in milliseconds. Default 300,000; 0 remembers nothing. */
  readonly authorizedTtlMs?: number | undefined;
  /** How long it counts that something is not allowed, in milliseconds. Default 30,000; 0 remembers nothing. */
  readonly unauthorizedTtlMs?: number | undefined;
  /** Default `NoOpinion`: the next authorizer is asked. */
  readonly failurePolicy?: WebhookFailurePolicy | undefined;
  /** At most 64. The webhook is asked when all are true. Default none: it is always asked. */
  readonly matchConditions?: readonly WebhookMatchCondition[] | undefined;
  /** Whether selectors go along, and conditions see them (feature gate `AuthorizeWithSelectors`). Default false. */
  readonly withSelectors?: boolean | undefined;
  /** Decisions that are remembered at most. Default 8,192. */
  readonly cacheSize?: number | undefined;
  /** Where decisions are remembered; default a cache of its own. One that is handed on outlives a change of the other options. */
  readonly cache?: DecisionCache | undefined;
  /** Told of every call that failed. */
  readonly onError?: ((error: Error) => void) | undefined;
}

const AUTHORIZATION = systemGroup('authorization');
const AUTHORIZED_TTL_MS = 300_000;
const UNAUTHORIZED_TTL_MS = 30_000;
/** What a requester has a hand in is remembered only below this many bytes, as in the production system. */
const MAX_REMEMBERED_BYTES = 10_000;
/** Reviews that may be under way at a time. Who asks has not been let in yet, so nothing else bounds them. */
const MAX_UNDER_WAY = 8192;
const UNLISTABLE: UserRules = Object.freeze(unlistable('webhook authorizer'));

/**
 * Asks a webhook, by a SubjectAccessReview, whether a user may. `denied` decides against the request, `allowed` for it, and
 * neither is no opinion. What goes wrong is decided by the failure policy, and told in the decision's `error`.
 *
 * Decisions are remembered by a digest of the whole question. Requests that ask the same while a review is under way wait for
 * it. Stays synchronous for what is remembered, and for what no condition matches.
 *
 * @throws TypeError for a version that there is not
 * @throws Error with everything that is wrong with the conditions, in production's words
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
  const asker = new Asker({ ...options, version });
  const isConditional = matchConditions.length > 0;
  const authorize = (attributes: Attributes): Decision | Promise<Decision> => {
    const matched = !isConditional || matchOf(matches, attributes, withSelectors);
    if (matched === true) return asker.decide(attributes);
    return matched === false ? NO_OPINION : asker.failed(matched);
  };
  return withRules(authorize, () => UNLISTABLE);
}

const matchOf = (matches: Matcher, attributes: Attributes, withSelectors: boolean): boolean | Error =>
  matches(matchableSpec(attributes, withSelectors));

/** Asks, and remembers what was answered. */
class Asker {
  readonly #options: WebhookAuthorizerOptions & { readonly version: AccessReviewVersion };
  readonly #cache: DecisionCache;
  readonly #apiVersion: string;
  readonly #underWay = new Map<string, Promise<Decision>>();

  constructor(options: WebhookAuthorizerOptions & { readonly version: AccessReviewVersion }) {
    const { clock, cacheSize, cache = new DecisionCache({ clock, size: cacheSize }) } = options;
    this.#options = options;
    this.#cache = cache;
    this.#apiVersion = `${groupName(AUTHORIZATION, options.dialect)}/${options.version}`;
  }

  decide(attributes: Attributes): Decision | Promise<Decision> {
    const spec = accessReviewSpec(attributes, this.#options.withSelectors ?? false);
    const key = tokenDigest(JSON.stringify(spec));
    return this.#cache.find(key) ?? this.#underWay.get(key) ?? this.#ask(key, spec, attributes);
  }

  failed(error: Error): Decision {
    return { decision: this.#options.failurePolicy ?? 'NoOpinion', reason: '', error };
  }

  #ask(key: string, spec: JsonObject, attributes: Attributes): Decision | Promise<Decision> {
    if (this.#underWay.size >= MAX_UNDER_WAY)
      return this.failed(new Error('too many reviews by the webhook are under way'));
    const pending = this.#post(key, spec, attributes).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, pending);
    return pending;
  }

  async #post(key: string, spec: JsonObject, attributes: Attributes): Promise<Decision> {
    const {
      version,
      onError,
      authorizedTtlMs = AUTHORIZED_TTL_MS,
      unauthorizedTtlMs = UNAUTHORIZED_TTL_MS,
    } = this.#options;
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
        this.#cache.remember(key, decision, answer.allowed ? authorizedTtlMs : unauthorizedTtlMs);
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

/** Whether a decision may be remembered: neither a requester nor a webhook fills the memory with long texts. */
function isSmall(
  { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path }: Attributes,
  { reason }: AccessReviewAnswer,
): boolean {
  let bytes = 0;
  for (const text of [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path])
    bytes += utf8Length(text);
  return bytes < MAX_REMEMBERED_BYTES && reason.length < MAX_REMEMBERED_BYTES;
}
