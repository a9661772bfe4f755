/**
 * What is asked of the issuer, and what it answers: `spec` and `status` of a TokenRequest (identity-resources.md,
 * "TokenRequest").
 *
 * @module
 */
import { invalid, typeInvalid, type FieldError } from '../../meta/field-error.js';

/** Names the object that a token is to be bound to. */
export interface BoundObjectReference {
  readonly apiVersion?: string | undefined;
  /** `Pod` or `Secret`. */
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** When given, the object must have it. */
  readonly uid?: string | undefined;
}

/** What is asked for. */
export interface TokenRequestSpec {
  /** Default: those of the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** Default an hour. */
  readonly expirationSeconds?: number | undefined;
  readonly boundObjectRef?: BoundObjectReference | null | undefined;
}

/** What is given. */
export interface TokenRequestStatus {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** How long a token lasts when nobody says so, in seconds. */
export const DEFAULT_EXPIRATION_SECONDS = 3600;
/** Shortest time that may be asked for. */
export const MIN_EXPIRATION_SECONDS = 600;
/** Longest time that may be asked for. */
export const MAX_EXPIRATION_SECONDS = 2 ** 32;

/** Shortest time that may be set as the longest. */
const MIN_LONGEST_EXPIRATION_SECONDS = 3600;

/**
 * Checks the longest time that tokens last, whatever is asked for.
 *
 * @throws RangeError when it is out of bounds
 */
export function checkLongestExpiration(seconds: number | undefined): void {
  if (seconds !== undefined && !(seconds >= MIN_LONGEST_EXPIRATION_SECONDS && seconds <= MAX_EXPIRATION_SECONDS)) {
    throw new RangeError('the longest time of a service account token must be between 1 hour and 2^32 seconds');
  }
}

/** What is wrong with the time that is asked for. */
export function validateExpiration(expirationSeconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (!Number.isInteger(expirationSeconds)) return [typeInvalid(field, expirationSeconds, 'must be an integer')];
  if (expirationSeconds < MIN_EXPIRATION_SECONDS)
    return [invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes')];
  if (expirationSeconds > MAX_EXPIRATION_SECONDS)
    return [invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}
