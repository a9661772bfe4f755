import type { Validity } from '../../pki/index.js';
import { SigningRefusal } from './signer-refusal.js';

/** How long certificates are valid. All in seconds. */
export interface LifetimePolicy {
  /** For requests that do not say. Default a year. */
  readonly defaultSeconds?: number;
  /** Default 600. */
  readonly minSeconds?: number;
  /** Default `defaultSeconds`. */
  readonly maxSeconds?: number;
  /**
   * What becomes of `spec.expirationSeconds` out of these bounds. `bounded` (default): the nearest that is in them. `refused`: no
   * certificate. `ignored`: the signer alone determines it, also within the bounds.
   */
  readonly requested?: 'bounded' | 'refused' | 'ignored';
  /** How much before its issue a certificate begins to be valid, for clocks that are behind. Default 300. */
  readonly backdateSeconds?: number;
}

const YEAR_SECONDS = 365 * 86_400;
const MIN_SECONDS = 600;
const BACKDATE_SECONDS = 300;
/** Of a shorter life the minutes that it is backdated by would be a part that matters: they come on top. */
const SHORT_SECONDS = 8 * 3600;

/**
 * The validity of a certificate that is issued at a time. A life of eight hours or more counts from where it is backdated to.
 *
 * @param requestedSeconds as the request has it
 * @throws SigningRefusal when the policy refuses what is requested
 */
export function validityOf(now: number, requestedSeconds: number | undefined, policy: LifetimePolicy = {}): Validity {
  const seconds = lifetimeSeconds(requestedSeconds, policy);
  const notBefore = now - (policy.backdateSeconds ?? BACKDATE_SECONDS) * 1000;
  return { notBefore, notAfter: (seconds < SHORT_SECONDS ? now : notBefore) + seconds * 1000 };
}

function lifetimeSeconds(
  wanted: number | undefined,
  {
    defaultSeconds = YEAR_SECONDS,
    minSeconds = MIN_SECONDS,
    maxSeconds = defaultSeconds,
    requested = 'bounded',
  }: LifetimePolicy,
): number {
  if (wanted === undefined || requested === 'ignored') return defaultSeconds;
  const bounded = Math.min(Math.max(wanted, minSeconds), maxSeconds);
  if (bounded !== wanted && requested === 'refused') {
    throw new SigningRefusal(
      'LifetimeNotPermitted',
      `expirationSeconds must be between ${minSeconds} and ${maxSeconds}, and is ${wanted}`,
    );
  }
  return bounded;
}
