import { formatTime } from '../../meta/time.js';
import type { Certificate, CertificateAuthority, Validity } from '../../pki/index.js';
import { encodePem } from '../../encoding/pem.js';
import { usagesOf } from '../../pki/usages.js';
import type { SigningRequest } from './request-controller.js';
import type { CertificateGrant } from './signer-policy.js';

/**
 * Makes a certificate of what was granted.
 *
 * @returns PEM: the certificate, and behind it those that lead to an authority that is trusted
 * @throws SigningRefusal when there will be none; whatever else it throws is tried again
 */
export type IssueCertificate = (request: SigningRequest, grant: CertificateGrant) => Promise<string> | string;

/**
 * Issues certificates by an authority, none of which is valid longer than the authority is.
 *
 * @param authority keeps the key
 * @param options `intermediates`: certificates between the authority and one that is trusted, PEM; they are handed out with each certificate
 * @returns a function that throws an Error in production's words when the authority has expired
 */
export function issuedBy(
  authority: CertificateAuthority,
  { intermediates = '' }: { readonly intermediates?: string } = {},
): IssueCertificate {
  return async ({ certificateRequest }, grant) => {
    const der = await authority.issue({
      ...grant,
      ...usagesOf(grant.usages),
      ...validityWithin(authority.certificate, grant),
      publicKey: certificateRequest.publicKey.raw,
    });
    return encodePem('CERTIFICATE', der) + intermediates;
  };
}

function validityWithin({ notAfter: end }: Certificate, { now, notBefore, notAfter }: CertificateGrant): Validity {
  if (notBefore >= end) throw new Error(`the signer has expired: NotAfter=${timeText(end)}`);
  if (now >= end) throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${timeText(end)}`);
  return { notBefore, notAfter: Math.min(notAfter, end) };
}

/** A time as production's texts have it. */
function timeText(ms: number): string {
  return formatTime(ms).replace('T', ' ').replace('Z', ' +0000 UTC');
}
