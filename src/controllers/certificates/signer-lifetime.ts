import type { Validity } from '../../security/index.js';
import { SigningRefusal } from './signer-refusal.js';

/** Lifetimes of certificates, in seconds. */
export interface LifetimePolicy {
  /** For requests without `spec.expirationSeconds`. Default: one year. */
  readonly defaultSeconds?: number | undefined;
  /** Default 600. */
  readonly minSeconds?: number | undefined;
  /** Default `defaultSeconds`. */
  readonly maxSeconds?: number | undefined;
  /**
   * Treatment of `spec.expirationSeconds`. `bounded` (default): raised or lowered to the limits. `refused`: a value
   * outside the limits fails the request. `ignored`: every certificate gets the default.
   */
  readonly requested?: 'bounded' | 'refused' | 'ignored' | undefined;
  /** Start of the validity before the time of issue, to tolerate slow clocks. Default 300. */
  readonly backdateSeconds?: number | undefined;
}

const YEAR_SECONDS = 365 * 86_400;
const MIN_SECONDS = 600;
const BACKDATE_SECONDS = 300;
/** Below this lifetime backdating does not shorten the certificate: the seconds are counted from the time of issue. */
const SHORT_SECONDS = 8 * 3600;

/**
 * Returns the validity of a certificate. A lifetime of eight hours or more is counted from the backdated start.
 *
 * @param now time of issue, in milliseconds since the epoch
 * @param requestedSeconds `spec.expirationSeconds`
 * @throws SigningRefusal when the policy refuses the requested lifetime
 */
export function validityOf(now: number, requestedSeconds: number | undefined, policy: LifetimePolicy = {}): Validity {
  const seconds = lifetimeSeconds(requestedSeconds, policy);
  const notBefore = now - (policy.backdateSeconds ?? BACKDATE_SECONDS) * 1000;
  return { notBefore, notAfter: (seconds < SHORT_SECONDS ? now : notBefore) + seconds * 1000 };
}

function lifetimeSeconds(
  requestedSeconds: number | undefined,
  {
    defaultSeconds = YEAR_SECONDS,
    minSeconds = MIN_SECONDS,
    maxSeconds = defaultSeconds,
    requested = 'bounded',
  }: LifetimePolicy,
): number {
  if (requestedSeconds === undefined || requested === 'ignored') return defaultSeconds;
  const bounded = Math.min(Math.max(requestedSeconds, minSeconds), maxSeconds);
  if (bounded !== requestedSeconds && requested === 'refused') {
    throw new SigningRefusal(
      'LifetimeNotPermitted',
      `expirationSeconds must be between ${minSeconds} and ${maxSeconds}, but is ${requestedSeconds}`,
    );
  }
  return bounded;
}
