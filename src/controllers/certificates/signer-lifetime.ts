import { durationMs, type Duration } from '../../foundation/index.js';
import type { Validity } from '../../security/index.js';
import { SigningRefusal } from './signer-refusal.js';

/** Lifetimes of certificates: strings such as `720h`, or milliseconds. */
export interface LifetimePolicy {
  /** Lifetime for requests without `spec.expirationSeconds`. Default `8760h`, one year. */
  readonly default?: Duration | undefined;
  /** Minimum lifetime. Default `10m`. */
  readonly min?: Duration | undefined;
  /** Maximum lifetime. Default: that of `default`. */
  readonly max?: Duration | undefined;
  /**
   * Treatment of `spec.expirationSeconds`. `bounded` (default): raised or lowered to the limits. `refused`: a value
   * outside the limits fails the request. `ignored`: every certificate gets the default.
   */
  readonly requested?: 'bounded' | 'refused' | 'ignored' | undefined;
  /** How long before the time of issue the validity starts, to tolerate slow clocks. Default `5m`. */
  readonly backdate?: Duration | undefined;
}

const YEAR_MS = 365 * 86_400_000;
const MIN_MS = 600_000;
const BACKDATE_MS = 300_000;
/** Below this lifetime backdating does not shorten the certificate: it is counted from the time of issue. */
const SHORT_MS = 8 * 3_600_000;

/**
 * Returns the validity of a certificate. A lifetime of eight hours or more is counted from the backdated start.
 *
 * @param now time of issue, in milliseconds since the epoch
 * @param requestedSeconds `spec.expirationSeconds`
 * @throws SigningRefusal when the policy refuses the requested lifetime
 */
export function validityOf(now: number, requestedSeconds: number | undefined, policy: LifetimePolicy = {}): Validity {
  const lifetime = lifetimeMs(requestedSeconds, policy);
  const notBefore = now - durationMs(policy.backdate ?? BACKDATE_MS);
  return { notBefore, notAfter: (lifetime < SHORT_MS ? now : notBefore) + lifetime };
}

function lifetimeMs(requestedSeconds: number | undefined, policy: LifetimePolicy): number {
  const defaultMs = durationMs(policy.default ?? YEAR_MS);
  if (requestedSeconds === undefined || policy.requested === 'ignored') return defaultMs;
  const minMs = durationMs(policy.min ?? MIN_MS);
  const maxMs = policy.max === undefined ? defaultMs : durationMs(policy.max);
  const requestedMs = requestedSeconds * 1000;
  const bounded = Math.min(Math.max(requestedMs, minMs), maxMs);
  if (bounded !== requestedMs && policy.requested === 'refused') {
    throw new SigningRefusal(
      'LifetimeNotPermitted',
      `expirationSeconds must be between ${minMs / 1000} and ${maxMs / 1000}, but is ${requestedSeconds}`,
    );
  }
  return bounded;
}
