/**
 * Request and response of the issuer: `spec` and `status` of a TokenRequest (identity-resources.md, "TokenRequest").
 *
 * @module
 */
import { durationMs, invalid, typeInvalid, type Duration, type FieldError } from '../../../foundation/index.js';

/** Reference to the object that a token is bound to. */
export interface BoundObjectReference {
  readonly apiVersion?: string | undefined;
  /** `Pod` or `Secret`. */
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** Optional; when given, the object must have this uid. */
  readonly uid?: string | undefined;
}

/** The spec of a TokenRequest. */
export interface TokenRequestSpec {
  /** Default: those of the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** Requested lifetime, in seconds. Default 3600. */
  readonly expirationSeconds?: number | undefined;
  readonly boundObjectRef?: BoundObjectReference | null | undefined;
}

/** The status of a TokenRequest. */
export interface TokenRequestStatus {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Default lifetime of a token, in seconds. */
export const DEFAULT_EXPIRATION_SECONDS = 3600;
/** Minimum requested lifetime, in seconds. */
export const MIN_EXPIRATION_SECONDS = 600;
/** Maximum requested lifetime, in seconds. */
export const MAX_EXPIRATION_SECONDS = 2 ** 32;

/** Minimum value of the configured maximum lifetime, in seconds. */
const MIN_LONGEST_EXPIRATION_SECONDS = 3600;

/**
 * Returns the configured maximum lifetime in whole seconds; without one, that of a request.
 *
 * @throws RangeError when it is out of range
 */
export function longestExpirationSeconds(configured: Duration | undefined): number {
  if (configured === undefined) return MAX_EXPIRATION_SECONDS;
  const seconds = Math.floor(durationMs(configured) / 1000);
  if (seconds >= MIN_LONGEST_EXPIRATION_SECONDS && seconds <= MAX_EXPIRATION_SECONDS) return seconds;
  throw new RangeError('the maximum lifetime of a service account token must be between 1 hour and 2^32 seconds');
}

/** Validates the requested lifetime. */
export function validateExpiration(expirationSeconds: number | bigint): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (typeof expirationSeconds === 'number' && !Number.isInteger(expirationSeconds))
    return [typeInvalid(field, expirationSeconds, 'must be an integer')];
  if (expirationSeconds < MIN_EXPIRATION_SECONDS)
    return [invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes')];
  if (expirationSeconds > MAX_EXPIRATION_SECONDS)
    return [invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}
