/**
 * How long certificate signing requests are kept: as long as they are of use to who asked.
 *
 * @module
 */
import { parseTime } from '../../meta/time.js';
import { parseCertificateBundle } from '../../pki/index.js';
import type { CertificateSigningRequestObject } from './request-controller.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a request is kept that nobody has decided on. */
const PENDING_MS = 24 * HOUR_MS;
/** How long a request is kept that is over, from the last word on it. */
const OVER_MS = HOUR_MS;

/**
 * Until when a request is kept, in milliseconds since the epoch: one that nobody has decided on for a day; one that is denied, failed or signed
 * for an hour, but no longer than its certificate lasts. Infinity for one that is approved and waits for its signer.
 */
export function keptUntil(object: CertificateSigningRequestObject): number {
  return endOf(object, certificateEnd);
}

/**
 * From when on it is worth looking at how long a request is kept: when that is, without reading the certificate. That is put off by a
 * minute, so that whoever waits for the certificate does not wait for this.
 */
export function lookedAtFrom(object: CertificateSigningRequestObject, now: number): number {
  return endOf(object, () => now + MINUTE_MS);
}

/** @param endOfCertificate of what `status.certificate` has */
function endOf({ metadata, status = {} }: CertificateSigningRequestObject, endOfCertificate: (certificate: string) => number): number {
  const { conditions = [], certificate = '' } = status;
  if (conditions.length === 0) return after(metadata.creationTimestamp, PENDING_MS);
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return after(lastUpdateTime, OVER_MS);
    return type === 'Approved' && certificate !== '' ? Math.min(after(lastUpdateTime, OVER_MS), endOfCertificate(certificate)) : Infinity;
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
