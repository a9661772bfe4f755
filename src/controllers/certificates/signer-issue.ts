import { encodePem, formatTime } from '../../foundation/index.js';
import {
  usagesOf,
  X509Error,
  type Certificate,
  type CertificateAuthority,
  type Validity,
} from '../../security/index.js';
import type { SigningRequest } from './request-controller.js';
import type { CertificateGrant } from './signer-policy.js';
import { SigningRefusal } from './signer-refusal.js';

/**
 * Issues a certificate for a grant.
 *
 * @returns PEM: the certificate, followed by its intermediate certificates
 * @throws SigningRefusal to fail the request; after any other error the request is retried
 */
export type IssueCertificate = (request: SigningRequest, grant: CertificateGrant) => Promise<string> | string;

/**
 * Returns a function that issues certificates with an authority. No certificate outlives the authority.
 *
 * @param authority authority that signs
 * @param options `intermediates`: PEM certificates between the authority and a trusted root, appended to each
 * certificate
 * @returns a function that throws an Error with the message of Kubernetes when the authority has expired, and a refusal for a
 * subject that is too large
 */
export function issuedBy(
  authority: CertificateAuthority,
  { intermediates = '' }: { readonly intermediates?: string | undefined } = {},
): IssueCertificate {
  return async ({ certificateRequest }, grant) => {
    const template = {
      ...grant,
      ...usagesOf(grant.usages),
      ...validityWithin(authority.certificate, grant),
      publicKey: certificateRequest.publicKey.raw,
    };
    try {
      return encodePem('CERTIFICATE', await authority.issue(template)) + intermediates;
    } catch (error) {
      if (error instanceof X509Error && error.problem === 'Limit')
        throw new SigningRefusal('SubjectNotPermitted', error.message);
      throw error;
    }
  };
}

function validityWithin({ notAfter: end }: Certificate, { now, notBefore, notAfter }: CertificateGrant): Validity {
  if (notBefore >= end) throw new Error(`the signer has expired: NotAfter=${timeText(end)}`);
  if (now >= end) throw new Error(`refusing to sign a certificate that expired in the past: NotAfter=${timeText(end)}`);
  return { notBefore, notAfter: Math.min(notAfter, end) };
}

/** Formats a time as in Kubernetes' messages. */
function timeText(ms: number): string {
  return formatTime(ms).replace('T', ' ').replace('Z', ' +0000 UTC');
}
