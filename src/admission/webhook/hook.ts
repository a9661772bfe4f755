/**
 * A webhook as the dispatchers call it: one of a configuration, or a function of the process.
 *
 * @module
 */
import type { JsonObject, ReviewVersion, TraceSpan, Work } from '../../foundation/index.js';
import type { AdmissionOperation } from '../../registry/index.js';
import type { MatchResources, RouteMatch } from '../matching/match-resources.js';
import type { CompiledExpression } from '../policy/compile-policy.js';
import type { ConditionMeter } from '../policy/match-conditions.js';
import type { SentReview } from './sent-review.js';

/** Sends a review to a webhook, and returns the review that it answers, unchecked. */
export type SendReview = (review: SentReview, call: SendReviewCall) => Promise<JsonObject>;

/** The limits of a call. */
export interface SendReviewCall {
  readonly timeoutSeconds: number;
  /** Aborts when the request ends. */
  readonly signal: AbortSignal | undefined;
  /** The step of the trace that the call is; undefined where nothing is traced. */
  readonly span?: TraceSpan | undefined;
}

/** The phase of admission in which a webhook is called. */
export type WebhookPhase = 'Mutating' | 'Validating';

/** A webhook. */
export interface Hook {
  readonly phase: WebhookPhase;
  /** Name of its configuration. */
  readonly configuration: string;
  readonly name: string;
  /** Distinguishes the webhooks of a server, even those with the same name. */
  readonly uid: string;
  readonly hasRules: boolean;
  readonly match: MatchResources;
  /** Returns the match conditions, which the work compiles when they are not kept; undefined for none. */
  readonly conditions: ((work: Work) => Promise<readonly CompiledExpression[]>) | undefined;
  /** Whether a call that fails lets the request pass (failure policy Ignore). A refusal never does. */
  readonly ignoresFailures: boolean;
  /** Whether a dry run may call it. */
  readonly allowsDryRun: boolean;
  readonly timeoutSeconds: number;
  /** Whether it is called again when the object changes after its call (mutating webhooks). */
  readonly reinvocable: boolean;
  readonly reviewVersion: ReviewVersion;
  readonly send: SendReview;
}

/** A webhook that can match the requests on a route. */
export interface RouteHook {
  readonly hook: Hook;
  /** Position among all webhooks of its phase; audit annotations name it. */
  readonly index: number;
  readonly route: RouteMatch;
}

/** Why a call ended a request. */
export interface CallOutcome {
  readonly type: 'no_error' | 'calling_webhook_error' | 'apiserver_internal_error';
  /** The code of a refusal; 0 for a failed call. */
  readonly code: number;
}

/** Measures the calls of webhooks. */
export interface WebhookMeter {
  readonly now: () => number;
  /** @param failure undefined for a call that admitted the request, or whose failure let it pass */
  called(hook: Hook, operation: AdmissionOperation, beganMs: number, failure: CallOutcome | undefined): void;
  /** Measures match conditions. */
  readonly conditions: ConditionMeter;
  /** A call failed, and the failure policy let the request pass. */
  failedOpen(hook: Hook): void;
}
