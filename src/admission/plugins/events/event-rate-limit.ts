import {
  ApiError,
  isJsonObject,
  LruMap,
  stringOrEmpty,
  type Clock,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { Event, EventEventsV1 } from '../../../kinds/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../registry/index.js';
import { aggregated } from '../aggregated.js';

/** A limit of the rate at which events are written. */
export interface EventLimit {
  /**
   * Which events share the limit: all, those of a namespace, those of a user, or those of a source about one object.
   */
  readonly type: 'Server' | 'Namespace' | 'User' | 'SourceAndObject';
  /** Events per second. */
  readonly qps: number;
  /** Maximum number of events in a burst. */
  readonly burst: number;
  /** Maximum number of namespaces, users or objects that are counted at a time; default 4096. */
  readonly cacheSize?: number | undefined;
}

/** Options of the plugin EventRateLimit. */
export interface EventRateLimitOptions {
  readonly limits: readonly EventLimit[];
}

const DEFAULT_CACHE_SIZE = 4096;

/** The events that may still be written, and when that was so. */
interface Bucket {
  tokens: number;
  atMs: number;
}

/** One limit, with a bucket of tokens for each key. The keys used least recently are forgotten. */
class Limiter {
  readonly #limit: EventLimit;
  readonly #buckets: LruMap<string, Bucket>;

  constructor(limit: EventLimit) {
    this.#limit = limit;
    this.#buckets = new LruMap(limit.cacheSize ?? DEFAULT_CACHE_SIZE);
  }

  /** Takes a token. Returns the refusal when there is none. */
  take(attributes: AdmissionAttributes, nowMs: number): string | undefined {
    const { type, qps, burst } = this.#limit;
    const key = keyOf(type, attributes);
    const known = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, known.tokens + (Math.max(0, nowMs - known.atMs) * qps) / 1000);
    const isFree = tokens >= 1;
    this.#buckets.set(key, { tokens: isFree ? tokens - 1 : tokens, atMs: nowMs });
    return isFree ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

function keyOf(type: EventLimit['type'], { namespace, user, object }: AdmissionAttributes): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return namespace;
    case 'User':
      return user.username;
    case 'SourceAndObject': {
      const source = fieldsOf(object?.['source'] ?? object?.['deprecatedSource']);
      const about = fieldsOf(object?.['involvedObject'] ?? object?.['regarding']);
      const texts = [
        ...['component', 'host'].map((name) => source[name]),
        ...['kind', 'namespace', 'name', 'uid', 'apiVersion'].map((name) => about[name]),
      ];
      return texts.map(stringOrEmpty).join('');
    }
  }
}

const fieldsOf = (value: unknown): JsonObject => {
  const known = value as JsonValue | undefined;
  return known !== undefined && isJsonObject(known) ? known : {};
};

/** Limits the rate at which events are written. */
export function eventRateLimit(clock: Clock, { limits }: EventRateLimitOptions): AdmissionPlugin {
  const limiters = limits.map((limit) => new Limiter(limit));
  return {
    name: 'EventRateLimit',
    kinds: [Event, EventEventsV1],
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      if (attributes.dryRun) return;
      const nowMs = clock.now();
      const refusals = limiters.flatMap((limiter) => limiter.take(attributes, nowMs) ?? []);
      if (refusals.length === 0) return;
      throw new ApiError({
        message: `Too many requests: ${aggregated(refusals)}`,
        reason: 'TooManyRequests',
        code: 429,
      });
    },
  };
}
