/**
 * Retention times of certificate signing requests.
 *
 * @module
 */
import { decodeBase64Latin1, least, parseTime } from '../../foundation/index.js';
import { parseCertificateBundle } from '../../security/index.js';
import type { CertificateSigningRequestObject } from './request-controller.js';

const HOUR_MS = 3_600_000;

/** Retention of a request without a decision, from its creation. */
const PENDING_MS = 24 * HOUR_MS;
/** Retention of a denied, failed or issued request, from its last condition. */
const COMPLETED_MS = HOUR_MS;

/**
 * Returns when a request expires, in milliseconds since the epoch: a request without a decision after a day; a denied,
 * failed or issued request after an hour, or when its certificate expires if that is earlier. Returns Infinity for an
 * approved request that waits for its signer.
 */
export function retainedUntil({ metadata, status = {} }: CertificateSigningRequestObject): number {
  const { conditions = [], certificate = '' } = status;
  if (conditions.length === 0) return after(metadata.creationTimestamp, PENDING_MS);
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return after(lastUpdateTime, COMPLETED_MS);
    return type === 'Approved' && certificate !== ''
      ? Math.min(after(lastUpdateTime, COMPLETED_MS), certificateEnd(certificate))
      : Infinity;
  });
  return least(ends);
}

/** Adds milliseconds to a time. Returns Infinity when the time is missing or invalid. */
function after(time: string | null | undefined, ms: number): number {
  const from = parseTime(time ?? '');
  return from === undefined ? Infinity : from + ms;
}

/**
 * Returns when an issued certificate expires; Infinity when it cannot be parsed.
 *
 * @param base64 base64 of PEM; its first certificate counts
 */
function certificateEnd(base64: string): number {
  try {
    return parseCertificateBundle(decodeBase64Latin1(base64) ?? '')[0]?.notAfter ?? Infinity;
  } catch {
    return Infinity;
  }
}
