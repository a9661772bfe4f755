/**
 * How long certificate signing requests are kept: as long as they are of use to who asked.
 *
 * @module
 */
import { parseTime } from '../../meta/time.js';
import { parseCertificateBundle } from '../../pki/index.js';
import type { CertificateSigningRequestObject } from './request-controller.js';

const HOUR_MS = 3_600_000;

/** How long a request is kept that nobody has decided on. */
const PENDING_MS = 24 * HOUR_MS;
/** How long a request is kept that is over, from the last word on it. */
const OVER_MS = HOUR_MS;

/**
 * Until when a request is kept, in milliseconds since the epoch: one that nobody has decided on for a day; one that is denied, failed or signed
 * for an hour, but no longer than its certificate lasts. Infinity for one that is approved and waits for its signer.
 */
export function keptUntil({ metadata, status = {} }: CertificateSigningRequestObject): number {
  const { conditions = [], certificate = '' } = status;
  if (conditions.length === 0) return after(metadata.creationTimestamp, PENDING_MS);
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return after(lastUpdateTime, OVER_MS);
    return type === 'Approved' && certificate !== ''
      ? Math.min(after(lastUpdateTime, OVER_MS), certificateEnd(certificate))
      : Infinity;
  });
  return Math.min(...ends);
}

/** A time that is not there, or cannot be read, never comes. */
function after(time: string | null | undefined, ms: number): number {
  const from = parseTime(time ?? '');
  return from === undefined ? Infinity : from + ms;
}

/** When an issued certificate ends; never, when it cannot be read. @param base64 of PEM, that which was issued first */
function certificateEnd(base64: string): number {
  try {
    return parseCertificateBundle(atob(base64))[0]?.notAfter ?? Infinity;
  } catch {
    return Infinity;
  }
}
