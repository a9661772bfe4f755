import type {
  Clock,
  DefinitionLimitOptions,
  Dialect,
  Entropy,
  TraceSpan,
  UserInfo,
  Work,
} from '../../foundation/index.js';
import type { CheckedRules } from '../../machinery/index.js';
import type { StorageCondition, StorageRecord } from '../../storage/index.js';
import type { LatencyLayer } from './latency.js';

/**
 * Runs a wait for another request's work. The request does not count against the limit of requests in flight meanwhile.
 */
export type WhileWaiting = <Result>(wait: () => Promise<Result>) => Promise<Result>;

/** The switches of features that are not stable yet. */
export interface FeatureSwitches {
  /** Returns whether a feature is enabled. An unknown feature is disabled. */
  enabled(name: string): boolean;
}

/** The time that a request waits for webhooks, in milliseconds: mutation calls them in turn, validation together. */
export interface WebhookTimes {
  mutatingWebhooksMs: number;
  validatingWebhooksMs: number;
}

/** The context that every step of a request shares: the user, the dialect, the clock and randomness. */
export interface RequestContext {
  readonly user: UserInfo;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The feature gates of the server: strategies drop the fields of disabled features. */
  readonly featureGates: FeatureSwitches;
  /** Default name of the field manager: the first word of the User-Agent. */
  readonly userAgent: string;
  /** Aborts when the client disconnects or the server gives up on the request. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Runs a wait outside the limit of requests in flight; undefined where no limit applies.
   *
   * @internal
   */
  readonly whileWaiting?: WhileWaiting | undefined;
  /**
   * Adds an annotation to the audit events of the request; undefined where nothing is audited.
   *
   * @param level lowest level of events with the annotation; default Metadata. A value that may quote the object has Request
   */
  readonly annotate?: ((key: string, value: string, level?: 'Metadata' | 'Request') => void) | undefined;
  /**
   * The step of the trace in which the request is handled; undefined where nothing is traced.
   *
   * @internal
   */
  readonly span?: TraceSpan | undefined;
  /**
   * Sums up the time of webhooks; undefined where nothing is measured.
   *
   * @internal
   */
  readonly webhookTimes?: WebhookTimes | undefined;
  /**
   * Adds time to what the audit events of the request say of a part of it; undefined where nothing is audited.
   *
   * @internal
   */
  readonly took?: ((layer: LatencyLayer, ms: number) => void) | undefined;
  /** The work of the request: its share of the event loop and of memory; undefined where no limit applies. */
  readonly work?: Work | undefined;
  /**
   * The limits of definitions of custom kinds; an absent one has its default.
   *
   * @internal
   */
  readonly definitionLimits?: DefinitionLimitOptions | undefined;
  /**
   * Where the rules that the checks of definitions compile are kept; undefined where nothing uses them.
   *
   * @internal
   */
  readonly checkedRules?: CheckedRules | undefined;
  /**
   * Whether containers may be privileged; undefined for yes.
   *
   * @internal
   */
  readonly allowPrivileged?: boolean | undefined;
  /**
   * Whether the copies that code of the server's owner gets are frozen; undefined for no.
   *
   * @internal
   */
  readonly freezes?: boolean | undefined;
  /**
   * Called with the record of every write to the storage; undefined where nobody follows the writes of a request.
   *
   * @internal
   */
  readonly written?: ((record: StorageRecord) => void) | undefined;
  /**
   * Condition of the storage under which the request writes; undefined for every user's request.
   *
   * @internal
   */
  readonly while?: StorageCondition | undefined;
  /** Adds a `Warning` header to the response. A repeated warning is sent once. */
  warn(text: string): void;
}
